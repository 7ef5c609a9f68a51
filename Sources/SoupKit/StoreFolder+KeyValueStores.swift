// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SmartStore

extension StoreFolder {
    /// The key-value stores of a scope, in `user/key_value_stores` or `global/key_value_stores` of the folder.
    ///
    /// Looks at nothing yet; what is missing is made when a store is opened.
    public func keyValueStores(in scope: StoreScope) -> KeyValueStores {
        KeyValueStores(in: (path.isEmpty || path.hasSuffix("/") ? path : path + "/") + scope.rawValue)
    }
}
