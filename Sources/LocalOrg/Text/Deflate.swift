// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Packs by DEFLATE (RFC 1951): repetitions found by their first three bytes, written in the fixed code.
struct Deflate {
    /// What symbols from 257 on stand for: a length and how many more bits tell the rest of it.
    static let lengths: [(base: Int, bits: Int)] = {
        var table: [(Int, Int)] = []
        var base = 3
        for symbol in 0..<28 {
            let bits = symbol < 8 ? 0 : symbol / 4 - 1
            table.append((base, bits))
            base += 1 << bits
        }
        return table + [(258, 0)]
    }()

    /// The same for distances.
    static let distances: [(base: Int, bits: Int)] = {
        var table: [(Int, Int)] = []
        var base = 1
        for symbol in 0..<30 {
            let bits = symbol < 4 ? 0 : symbol / 2 - 1
            table.append((base, bits))
            base += 1 << bits
        }
        return table
    }()

    private var output: [UInt8] = []
    private var buffer: UInt32 = 0
    private var held: UInt32 = 0

    static func packed(_ bytes: [UInt8]) -> [UInt8] {
        var packer = Deflate()
        packer.pack(bytes)
        return packer.output
    }

    private mutating func pack(_ bytes: [UInt8]) {
        // One block, the last, in the fixed code.
        put(0b011, 3)
        var places = [Int](repeating: -1, count: 1 << 15)
        var position = 0
        while position < bytes.count {
            let (length, distance) = Self.repetition(bytes, position, &places)
            if length >= 3 {
                put(length: length, distance: distance)
                position += length
            } else {
                put(symbol: Int(bytes[position]))
                position += 1
            }
        }
        put(symbol: 256)
        if held > 0 { output.append(UInt8(truncatingIfNeeded: buffer)) }
    }

    /// The stretch at `position` that was there before, and notes the position for later.
    private static func repetition(
        _ bytes: [UInt8], _ position: Int, _ places: inout [Int]
    ) -> (length: Int, distance: Int) {
        guard position + 3 <= bytes.count else { return (0, 0) }
        let first = UInt32(bytes[position]) | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2]) << 16
        let slot = Int((first &* 0x9E37_79B1) >> 17)
        let before = places[slot]
        places[slot] = position
        guard before >= 0, position - before <= 32_768 else { return (0, 0) }
        let limit = min(258, bytes.count - position)
        var length = 0
        while length < limit, bytes[before + length] == bytes[position + length] { length += 1 }
        return (length, position - before)
    }

    // MARK: Codes

    private mutating func put(length: Int, distance: Int) {
        let place = Self.lengths.lastIndex { $0.base <= length } ?? 0
        put(symbol: 257 + place)
        put(UInt32(length - Self.lengths[place].base), UInt32(Self.lengths[place].bits))
        let far = Self.distances.lastIndex { $0.base <= distance } ?? 0
        put(reversed: UInt32(far), 5)
        put(UInt32(distance - Self.distances[far].base), UInt32(Self.distances[far].bits))
    }

    private mutating func put(symbol: Int) {
        let symbol = UInt32(symbol)
        switch symbol {
        case ..<144: put(reversed: 0x30 + symbol, 8)
        case ..<256: put(reversed: 0x190 + symbol - 144, 9)
        case ..<280: put(reversed: symbol - 256, 7)
        default: put(reversed: 0xC0 + symbol - 280, 8)
        }
    }

    /// Codes go out with their first bit first.
    private mutating func put(reversed code: UInt32, _ count: UInt32) {
        var bits: UInt32 = 0
        for index in 0..<count where code >> index & 1 == 1 { bits |= 1 << (count - 1 - index) }
        put(bits, count)
    }

    private mutating func put(_ bits: UInt32, _ count: UInt32) {
        buffer |= bits << held
        held += count
        while held >= 8 {
            output.append(UInt8(truncatingIfNeeded: buffer))
            buffer >>= 8
            held -= 8
        }
    }
}
