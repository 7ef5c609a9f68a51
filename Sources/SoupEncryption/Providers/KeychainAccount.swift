// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The name of a store's key in the keychain.
enum KeychainAccount {
    /// Returns the name of a store's file with its folder, without the rest of the path.
    ///
    /// The container of an app has another path after each installation. Additional stores of a composed store and
    /// key-value stores are in folders with the same names for each user, so that the name also contains the folder of
    /// these folders.
    static func name(ofFile path: String) -> String {
        let parts = path.split(separator: "/")
        var count = min(2, parts.count)
        var isInKeyValueStores = false
        while count < parts.count {
            let folder = parts[parts.count - count]
            // Key-value stores can be in the folder of a scope, `user` or `global`.
            guard
                folder.hasSuffix(".stores") || folder == "key_value_stores"
                    || (isInKeyValueStores && (folder == "user" || folder == "global"))
            else { break }
            isInKeyValueStores = folder == "key_value_stores"
            count += 1
        }
        return parts.suffix(count).joined(separator: "/")
    }
}
