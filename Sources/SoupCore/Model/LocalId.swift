// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The ids of records that a server does not know yet.
public enum LocalId {
    /// What every local id begins with; no server gives such ids.
    public static let prefix = "local_"

    /// A new one, random in 128 bits, so that it repeats neither on this device nor on another.
    public static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        let (high, low) = (generator.next() as UInt64, generator.next() as UInt64)
        return prefix + pad(String(high, radix: 16)) + pad(String(low, radix: 16))
    }

    /// Whether an id was made on a device and not by a server.
    public static func isLocal(_ id: String) -> Bool { id.hasPrefix(prefix) }

    private static func pad(_ digits: String) -> String {
        String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The IDs that servers give to records.
public enum ServerId {
    /// Whether a text can be a server's ID of a record, of any server: not empty or blank, not a local ID, and without
    /// control characters.
    public static func isPossible(_ id: String) -> Bool {
        !LocalId.isLocal(id) && id.contains { !$0.isWhitespace }
            && id.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }
}
