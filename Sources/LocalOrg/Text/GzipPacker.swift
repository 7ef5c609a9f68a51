// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Packs bodies with gzip (RFC 1952).
enum GzipPacker {
    /// The packed form of bytes.
    static func packed(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        output += Deflate.packed(bytes)
        append(checksum(bytes), to: &output)
        append(UInt32(truncatingIfNeeded: bytes.count), to: &output)
        return output
    }

    private static func append(_ number: UInt32, to output: inout [UInt8]) {
        for shift in [0, 8, 16, 24] { output.append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }

    // MARK: Checksum

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    /// The CRC-32 of bytes.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(0xFFFF_FFFF) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 0xFF)] }
    }
}
