// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Bytes as text of 64 characters, in the alphabet of mail and in that of URLs.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        values[Int(UInt8(ascii: "-"))] = 62
        values[Int(UInt8(ascii: "_"))] = 63
        return values
    }()

    /// The text of bytes, with padding.
    static func encoded(_ bytes: some Collection<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while !rest.isEmpty {
            let group = Array(rest.prefix(3))
            rest = rest.dropFirst(3)
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for index in 0..<4 {
                output.append(
                    index <= group.count ? digits[Int(bits >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes behind a text in either alphabet.
    ///
    /// Line breaks count for nothing, and the padding may be left out.
    ///
    /// - Returns: nil for a text that has other characters, or that ends within a byte.
    static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        var output: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        var isOver = false
        for byte in text.utf8 {
            if byte == 0x0A || byte == 0x0D { continue }
            if byte == UInt8(ascii: "=") {
                isOver = true
                continue
            }
            guard !isOver, let value = values[Int(byte)] else { return nil }
            buffer = (buffer << 6 | UInt32(value)) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(buffer >> UInt32(bits) & 0xFF))
            }
        }
        return bits < 6 ? output : nil
    }
}
