// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The gzip form of bodies (RFC 1952).
enum Gzip {
    /// Why bytes are not gzip.
    struct Failure: Error {}

    /// The packed form of bytes.
    static func packed(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        output += Deflate.packed(bytes)
        append(checksum(bytes), to: &output)
        append(UInt32(truncatingIfNeeded: bytes.count), to: &output)
        return output
    }

    /// The bytes behind a packed form; several packed one after another give all of them.
    ///
    /// - Parameter limit: the most bytes that are unpacked.
    /// - Throws: ``Failure`` for what is not gzip, is damaged, or is longer than `limit`.
    static func unpacked(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        var output: [UInt8] = []
        var position = 0
        repeat {
            position = try endOfHeader(bytes, position)
            var inflate = Inflate(bytes, from: position, limit: limit - output.count)
            guard let part = inflate.unpacked() else { throw Failure() }
            position = inflate.end
            guard position + 8 <= bytes.count, number(bytes, position) == checksum(part),
                number(bytes, position + 4) == UInt32(truncatingIfNeeded: part.count)
            else { throw Failure() }
            output += part
            position += 8
        } while position < bytes.count
        return output
    }

    private static func endOfHeader(_ bytes: [UInt8], _ start: Int) throws(Failure) -> Int {
        guard start + 10 <= bytes.count, bytes[start] == 0x1F, bytes[start + 1] == 0x8B, bytes[start + 2] == 8 else {
            throw Failure()
        }
        let flags = bytes[start + 3]
        var position = start + 10
        if flags & 4 != 0 {
            guard position + 2 <= bytes.count else { throw Failure() }
            position += 2 + Int(bytes[position]) + Int(bytes[position + 1]) << 8
        }
        for flag: UInt8 in [8, 16] where flags & flag != 0 {
            guard position < bytes.count, let end = bytes[position...].firstIndex(of: 0) else { throw Failure() }
            position = end + 1
        }
        if flags & 2 != 0 { position += 2 }
        guard position < bytes.count else { throw Failure() }
        return position
    }

    private static func number(_ bytes: [UInt8], _ start: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }
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
