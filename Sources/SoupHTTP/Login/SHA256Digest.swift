// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The hash function SHA-256 (FIPS 180-4), for the challenge of a login and to compare tokens without keeping them.
///
/// It is here because an app on Linux would otherwise have to fetch a package for one hash of 43 characters. It is too
/// slow for files.
package enum SHA256Digest {
    /// Returns the 32 bytes of the hash.
    package static func hash(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        var padded = message + [0x80]
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        let bits = UInt64(message.count) * 8
        padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
        for start in stride(from: 0, to: padded.count, by: 64) { add(padded[start..<start + 64], to: &state) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    }

    /// Returns the hash of a text as 64 hexadecimal digits.
    package static func hexadecimal(of text: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = hash(Array(text.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = turned(early, 7) ^ turned(early, 18) ^ (early >> 3)
            let second = turned(late, 17) ^ turned(late, 19) ^ (late >> 10)
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var next = state
        for index in 0..<64 {
            let (a, e) = (next[0], next[4])
            let choice = (e & next[5]) ^ (~e & next[6])
            let turns = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
            let sum = next[7] &+ turns &+ choice &+ constants[index] &+ words[index]
            let majority = (a & next[1]) ^ (a & next[2]) ^ (next[1] & next[2])
            let other = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
            next = [sum &+ other, a, next[1], next[2], next[3] &+ sum, e, next[5], next[6]]
        }
        for index in state.indices { state[index] = state[index] &+ next[index] }
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = {
        let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }
        return primes.map { prime in
            // The integer cube root of prime * 2^96, whose lowest 32 bits are the fraction.
            var (low, high): (UInt64, UInt64) = (0, 8 << 32)
            while high - low > 1 {
                let middle = (low + high) / 2
                if hasCube(middle, atMost: UInt64(prime)) { low = middle } else { high = middle }
            }
            return UInt32(truncatingIfNeeded: low)
        }
    }()

    /// Returns whether number^3 is at most prime * 2^96.
    private static func hasCube(_ number: UInt64, atMost prime: UInt64) -> Bool {
        // A root below 8 * 2^32 has a square below 2^70, and a cube below 2^105.
        let square = number.multipliedFullWidth(by: number)
        let lower = square.low.multipliedFullWidth(by: number)
        let upper = square.high.multipliedReportingOverflow(by: number).partialValue &+ lower.high
        let limit = prime << 32
        return upper < limit || (upper == limit && lower.low == 0)
    }
}

extension [UInt8] {
    /// The bytes in the alphabet of Base64 for URLs, without padding.
    package var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
