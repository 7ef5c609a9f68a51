// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The IDs of records that a server does not have yet.
public enum LocalId {
    /// The prefix of all local IDs; no server assigns such IDs.
    public static let prefix = "local_"

    /// Returns a new ID with 128 random bits, so that it is unique on this device and on all others.
    public static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        let (high, low) = (generator.next() as UInt64, generator.next() as UInt64)
        return prefix + pad(String(high, radix: 16)) + pad(String(low, radix: 16))
    }

    /// Returns whether an ID was created on a device and not by a server.
    public static func isLocal(_ id: String) -> Bool { id.hasPrefix(prefix) }

    /// Returns the 32 hexadecimal digits of an ID; nil if ``random()`` has not made it.
    package static func digits(of id: String) -> String? {
        guard isLocal(id) else { return nil }
        let digits = id.dropFirst(prefix.count)
        return digits.utf8.count == 32 && digits.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
            ? String(digits) : nil
    }

    private static func pad(_ digits: String) -> String {
        String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The IDs that servers assign to records.
public enum ServerId {
    /// Returns whether a text can be the ID of a record on any server.
    ///
    /// Such an ID is not empty or blank, is not a local ID, and has no control characters.
    public static func isPossible(_ id: String) -> Bool {
        !LocalId.isLocal(id) && id.contains { !$0.isWhitespace }
            && id.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }
}
