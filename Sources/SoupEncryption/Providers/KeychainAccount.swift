// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

/// The name of a store's key in the keychain.
enum KeychainAccount {
    /// Returns the name of a store's file with its folder, without the rest of the path.
    ///
    /// The container of an app has another path after each installation. An additional store of a composed store is in
    /// a folder that is named after the file of the main store; this file can have the same name for each user, so that
    /// the name also contains the folder of that file.
    static func name(ofFile path: String) -> String {
        let parts = path.split(separator: "/")
        var count = min(2, parts.count)
        while count < parts.count, parts[parts.count - count].hasSuffix(".stores") { count += 1 }
        return parts.suffix(count).joined(separator: "/")
    }
}

#endif
