// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The name of a store's key in the keychain.
enum KeychainAccount {
    /// Returns the path of a store's file; in a container of an app, without the path to it.
    ///
    /// The path of a container contains a random ID, which changes with each installation of the app. The name begins
    /// with the kind of container: an app and its group can have files with the same path.
    static func name(ofFile path: String) -> String {
        let parts = path.split(separator: "/")
        // Containers/Data/Application/ID or Containers/Shared/AppGroup/ID; in the simulator below the ID of a device.
        let start = parts.indices.last { index in
            parts[index] == "Containers" && index + 4 < parts.count && isID(parts[index + 3])
        }
        guard let start else { return path }
        return ([parts[start + 2]] + parts[(start + 4)...]).joined(separator: "/")
    }

    /// Whether a text has the form of a UUID.
    private static func isID(_ text: Substring) -> Bool {
        let lengths = text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
        return lengths == [8, 4, 4, 4, 12] && text.allSatisfy { $0.isHexDigit || $0 == "-" }
    }
}
