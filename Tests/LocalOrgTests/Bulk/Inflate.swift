// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

@testable import LocalOrg

/// Unpacks DEFLATE (RFC 1951), to see what packed answers hold.
struct Inflate {
    private let bytes: [UInt8]
    private let limit: Int
    private var position: Int
    private var buffer: UInt32 = 0
    private var held = 0

    init(_ bytes: [UInt8], from position: Int, limit: Int) {
        self.bytes = bytes
        self.position = position
        self.limit = limit
    }

    /// The position behind the packed bytes, when they were unpacked.
    var end: Int { position - held / 8 }

    /// - Returns: nil for damaged bytes, and for more than the limit.
    mutating func unpacked() -> [UInt8]? {
        var output: [UInt8] = []
        while true {
            guard let isLast = bits(1), let kind = bits(2) else { return nil }
            let isGood =
                switch kind {
                case 0: copyStored(&output)
                case 1: unpack(&output, Self.fixedLengths, Self.fixedDistances)
                case 2: unpackDynamic(&output)
                default: false
                }
            guard isGood else { return nil }
            if isLast == 1 { return output }
        }
    }

    // MARK: Bits

    private mutating func bits(_ count: Int) -> Int? {
        while held < count {
            guard position < bytes.count else { return nil }
            buffer |= UInt32(bytes[position]) << UInt32(held)
            position += 1
            held += 8
        }
        let value = buffer & (1 << UInt32(count) - 1)
        buffer >>= UInt32(count)
        held -= count
        return Int(value)
    }

    // MARK: Codes

    /// A prefix code: how many symbols have each length, and the symbols in the order of their codes.
    struct Code {
        fileprivate var counts = [Int](repeating: 0, count: 16)
        fileprivate var symbols: [Int] = []

        init(lengths: [Int]) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            for length in 1...15 {
                for (symbol, own) in lengths.enumerated() where own == length { symbols.append(symbol) }
            }
        }
    }

    private static let fixedLengths = Code(
        lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = Code(lengths: Array(repeating: 5, count: 30))

    private mutating func symbol(_ code: Code) -> Int? {
        var value = 0
        var first = 0
        var index = 0
        for length in 1...15 {
            guard let bit = bits(1) else { return nil }
            value |= bit
            let count = code.counts[length]
            if value - first < count { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        return nil
    }

    // MARK: Blocks

    private mutating func copyStored(_ output: inout [UInt8]) -> Bool {
        position -= held / 8
        buffer = 0
        held = 0
        guard position + 4 <= bytes.count else { return false }
        let length = Int(bytes[position]) | Int(bytes[position + 1]) << 8
        let check = Int(bytes[position + 2]) | Int(bytes[position + 3]) << 8
        position += 4
        guard length == check ^ 0xFFFF, position + length <= bytes.count, output.count + length <= limit else {
            return false
        }
        output += bytes[position..<position + length]
        position += length
        return true
    }

    private mutating func unpack(_ output: inout [UInt8], _ lengths: Code, _ distances: Code) -> Bool {
        while true {
            guard let symbol = symbol(lengths) else { return false }
            if symbol == 256 { return true }
            if symbol < 256 {
                guard output.count < limit else { return false }
                output.append(UInt8(symbol))
                continue
            }
            guard symbol - 257 < Deflate.lengths.count, let extra = bits(Deflate.lengths[symbol - 257].bits),
                let place = self.symbol(distances), place < Deflate.distances.count,
                let further = bits(Deflate.distances[place].bits)
            else { return false }
            let length = Deflate.lengths[symbol - 257].base + extra
            let distance = Deflate.distances[place].base + further
            guard distance <= output.count, output.count + length <= limit else { return false }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    private mutating func unpackDynamic(_ output: inout [UInt8]) -> Bool {
        guard let moreLengths = bits(5), let moreDistances = bits(5), let moreCodes = bits(4) else { return false }
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        var own = [Int](repeating: 0, count: 19)
        for place in order.prefix(moreCodes + 4) {
            guard let length = bits(3) else { return false }
            own[place] = length
        }
        let code = Code(lengths: own)
        let count = moreLengths + 257 + moreDistances + 1
        var lengths: [Int] = []
        while lengths.count < count {
            guard let symbol = symbol(code) else { return false }
            switch symbol {
            case 16:
                guard let last = lengths.last, let more = bits(2) else { return false }
                lengths += Array(repeating: last, count: more + 3)
            case 17:
                guard let more = bits(3) else { return false }
                lengths += Array(repeating: 0, count: more + 3)
            case 18:
                guard let more = bits(7) else { return false }
                lengths += Array(repeating: 0, count: more + 11)
            default: lengths.append(symbol)
            }
        }
        guard lengths.count == count else { return false }
        return unpack(
            &output, Code(lengths: Array(lengths[..<(moreLengths + 257)])),
            Code(lengths: Array(lengths[(moreLengths + 257)...])))
    }
}
