// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Bodies in the format gzip (RFC 1952), created without a compression library.
package enum GzipText {
    /// Returns the bytes in stored blocks: longer than the input, and valid.
    package static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var output = header
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            output.append(rest.isEmpty ? 1 : 0)
            output += littleEndian(UInt32(block.count), 2) + littleEndian(UInt32(0xFFFF - block.count), 2) + block
        } while !rest.isEmpty
        return output + littleEndian(checksum(bytes), 4) + littleEndian(UInt32(truncatingIfNeeded: bytes.count), 4)
    }

    /// Returns the beginning of a body that repeats one byte; decompression makes it 158 times as long.
    ///
    /// It has no checksum.
    ///
    /// - Parameter count: the number of decompressed bytes, rounded up to a multiple of 258.
    package static func repeating(_ byte: UInt8, count: Int) -> [UInt8] {
        var bits = BitWriter()
        // The last block, with the codes that the format fixes.
        bits.append(1, 1)
        bits.append(1, 2)
        bits.appendCode(0x30 + UInt32(byte & 0x7F), 8)
        for _ in 0..<max(1, (count + 257) / 258) {
            // Repeats the previous byte 258 times.
            bits.appendCode(0xC5, 8)
            bits.appendCode(0, 5)
        }
        bits.appendCode(0, 7)
        return header + bits.bytes
    }

    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    private static func littleEndian(_ value: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }

    /// Returns the CRC-32 of bytes, computed with a table because tests run without optimisation.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ (sum >> 8) }
        return ~sum
    }

    private static let table: [UInt32] = (0..<256).map { index in
        var value = UInt32(index)
        for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
        return value
    }

    /// A writer of bits in the format deflate, the lowest bit of a byte first.
    private struct BitWriter {
        var bytes: [UInt8] = []
        private var used = 8

        mutating func append(_ value: UInt32, _ count: Int) {
            for bit in 0..<count {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                bytes[bytes.count - 1] |= UInt8(value >> UInt32(bit) & 1) << UInt8(used)
                used += 1
            }
        }

        /// Codes begin with their highest bit.
        mutating func appendCode(_ code: UInt32, _ count: Int) {
            for bit in (0..<count).reversed() { append(code >> UInt32(bit) & 1, 1) }
        }
    }
}
