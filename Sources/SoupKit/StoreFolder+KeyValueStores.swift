// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SmartStore

extension StoreFolder {
    /// Returns the key-value stores of a scope, in `user/key_value_stores` or `global/key_value_stores` of the folder.
    ///
    /// Does not access the file system; missing folders are created when a store is opened.
    public func keyValueStores(in scope: StoreScope) -> KeyValueStores {
        KeyValueStores(in: (path.isEmpty || path.hasSuffix("/") ? path : path + "/") + scope.rawValue)
    }
}
