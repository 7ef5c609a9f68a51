// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Reads the compressed data format of RFC 1951.
struct Inflater {
    private let input: [UInt8]
    private let limit: Int
    private var offset: Int
    private var buffer: UInt32 = 0
    private var available = 0

    /// - Parameters:
    ///   - offset: where the data begins.
    ///   - limit: how long the output may become.
    init(_ input: [UInt8], from offset: Int, limit: Int) {
        self.input = input
        self.limit = limit
        self.offset = offset
    }

    /// Appends what comes out.
    ///
    /// - Returns: where the data ends.
    mutating func run(_ output: inout [UInt8]) throws(Gzip.Failure) -> Int {
        let start = output.count
        var isLast = false
        while !isLast {
            isLast = try bits(1) == 1
            switch try bits(2) {
            case 0: try stored(&output)
            case 1: try compressed(Self.fixedLengths, Self.fixedDistances, &output, start)
            case 2:
                let (lengths, distances) = try dynamicCodes()
                try compressed(lengths, distances, &output, start)
            default: throw .damaged
            }
        }
        return offset
    }

    // MARK: Bits

    private mutating func bits(_ count: Int) throws(Gzip.Failure) -> Int {
        while available < count {
            guard offset < input.count else { throw .damaged }
            buffer |= UInt32(input[offset]) << UInt32(available)
            offset += 1
            available += 8
        }
        let value = buffer & (1 << UInt32(count) - 1)
        buffer >>= UInt32(count)
        available -= count
        return Int(value)
    }

    /// Bytes as they are; they begin at a whole byte.
    private mutating func stored(_ output: inout [UInt8]) throws(Gzip.Failure) {
        buffer = 0
        available = 0
        guard offset + 4 <= input.count else { throw .damaged }
        let count = Int(input[offset]) | Int(input[offset + 1]) << 8
        let check = Int(input[offset + 2]) | Int(input[offset + 3]) << 8
        offset += 4
        guard count == ~check & 0xFFFF, offset + count <= input.count else { throw .damaged }
        guard output.count + count <= limit else { throw .tooLong }
        output += input[offset..<offset + count]
        offset += count
    }

    // MARK: Codes

    /// A set of prefix codes, as how many codes there are of each length and the symbols in the order of their codes.
    private struct Codes {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        /// - Throws: for lengths that no set of codes has; one that leaves codes over is taken.
        init(lengths: ArraySlice<Int>) throws(Gzip.Failure) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            var left = 1
            for length in 1...15 {
                left = left << 1 - counts[length]
                guard left >= 0 else { throw .damaged }
            }
            for length in 1...15 {
                symbols += lengths.indices.filter { lengths[$0] == length }.map { $0 - lengths.startIndex }
            }
        }

        private init() {}
        static let none = Codes()
    }

    private mutating func symbol(_ codes: Codes) throws(Gzip.Failure) -> Int {
        var code = 0
        var first = 0
        var index = 0
        for length in 1...15 {
            code |= try bits(1)
            let count = codes.counts[length]
            if code - count < first { return codes.symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw .damaged
    }

    private static let fixedLengths =
        (try? Codes(
            lengths: (Array(repeating: 8, count: 144) + Array(repeating: 9, count: 112)
                + Array(repeating: 7, count: 24) + Array(repeating: 8, count: 8))[...])) ?? .none
    private static let fixedDistances = (try? Codes(lengths: Array(repeating: 5, count: 30)[...])) ?? .none

    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private mutating func dynamicCodes() throws(Gzip.Failure) -> (Codes, Codes) {
        let literals = try bits(5) + 257
        let distances = try bits(5) + 1
        let codeLengths = try bits(4) + 4
        guard literals <= 286, distances <= 30 else { throw .damaged }
        var lengths = [Int](repeating: 0, count: 19)
        for index in 0..<codeLengths { lengths[Self.order[index]] = try bits(3) }
        let codes = try Codes(lengths: lengths[...])
        lengths = []
        while lengths.count < literals + distances {
            let symbol = try symbol(codes)
            switch symbol {
            case 16:
                guard let last = lengths.last else { throw .damaged }
                lengths += Array(repeating: last, count: 3 + (try bits(2)))
            case 17: lengths += Array(repeating: 0, count: 3 + (try bits(3)))
            case 18: lengths += Array(repeating: 0, count: 11 + (try bits(7)))
            default: lengths.append(symbol)
            }
        }
        guard lengths.count == literals + distances, lengths[256] > 0 else { throw .damaged }
        return (try Codes(lengths: lengths[..<literals]), try Codes(lengths: lengths[literals...]))
    }

    // MARK: Literals and copies

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145, 8193, 12_289, 16_385, 24_577,
    ]

    private mutating func compressed(
        _ lengths: Codes, _ distances: Codes, _ output: inout [UInt8], _ start: Int
    ) throws(Gzip.Failure) {
        while true {
            let found = try symbol(lengths)
            if found < 256 {
                guard output.count < limit else { throw .tooLong }
                output.append(UInt8(found))
                continue
            }
            if found == 256 { return }
            guard found - 257 < Self.lengthBases.count else { throw .damaged }
            let count = Self.lengthBases[found - 257] + (try bits(Self.lengthBits[found - 257]))
            let far = try symbol(distances)
            guard far < Self.distanceBases.count else { throw .damaged }
            let distance = Self.distanceBases[far] + (try bits(max(0, far / 2 - 1)))
            guard distance <= output.count - start else { throw .damaged }
            guard output.count + count <= limit else { throw .tooLong }
            for _ in 0..<count { output.append(output[output.count - distance]) }
        }
    }
}
