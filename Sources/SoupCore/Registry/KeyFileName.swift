// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The names of the files in which the key provider `file` keeps the key of a store.
package enum KeyFileName {
    /// The number of random bytes in the name of a file that is being created.
    package static let randomLength = 8

    /// Returns the path of the file with the key.
    package static func file(ofStore path: String) -> String { path + ".key" }

    /// Whether a name is that of a store's file with the key, or of the rest of its interrupted creation.
    ///
    /// - Parameter key: the name of the file with the key.
    package static func matches(_ name: String, key: String) -> Bool {
        guard name != key else { return true }
        let suffix = name.dropFirst(key.count + 1)
        return name.hasPrefix(key + ".") && suffix.utf8.count == 2 * randomLength
            && suffix.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }
}
