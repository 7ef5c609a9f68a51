// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Unpacks what clients compress with gzip.
enum Gzip {
    enum Failure: Error {
        /// The bytes are not what they should be, or they end too early.
        case damaged
        /// What comes out is longer than the limit.
        case tooLong
    }

    /// The bytes behind compressed ones: all members of the file, one behind the other, their checksums verified.
    static func unpacked(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        var output: [UInt8] = []
        var offset = 0
        repeat {
            offset = try headerEnd(bytes, offset)
            let start = output.count
            var inflater = Inflater(bytes, from: offset, limit: limit)
            offset = try inflater.run(&output)
            guard offset + 8 <= bytes.count else { throw .damaged }
            let size = output.count - start
            guard number(bytes, offset) == GzipPacker.checksum(Array(output[start...])),
                number(bytes, offset + 4) == UInt32(truncatingIfNeeded: size)
            else { throw .damaged }
            offset += 8
        } while offset < bytes.count
        return output
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }

    /// Where the compressed data of a member begins.
    private static func headerEnd(_ bytes: [UInt8], _ start: Int) throws(Failure) -> Int {
        guard start + 18 <= bytes.count, bytes[start] == 0x1F, bytes[start + 1] == 0x8B, bytes[start + 2] == 8 else {
            throw .damaged
        }
        let flags = bytes[start + 3]
        var offset = start + 10
        if flags & 4 != 0 {
            guard offset + 2 <= bytes.count else { throw .damaged }
            offset += 2 + Int(bytes[offset]) + Int(bytes[offset + 1]) << 8
        }
        for flag: UInt8 in [8, 16] where flags & flag != 0 {
            guard offset < bytes.count, let end = bytes[offset...].firstIndex(of: 0) else { throw .damaged }
            offset = end + 1
        }
        if flags & 2 != 0 { offset += 2 }
        guard offset < bytes.count else { throw .damaged }
        return offset
    }
}
