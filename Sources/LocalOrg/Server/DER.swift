// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The few kinds of ASN.1 values that a certificate is made of, in their binary form.
enum DER {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, Array(parts.joined())) }
    static func set(_ parts: [UInt8]...) -> [UInt8] { element(0x31, Array(parts.joined())) }
    static func text(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }
    static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }
    static func bits(_ bytes: [UInt8], unused: UInt8 = 0) -> [UInt8] { element(0x03, [unused] + bytes) }
    static let yes = element(0x01, [0xFF])

    /// A number that is not negative, from its bytes.
    static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        return element(0x02, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits)
    }

    /// A part that is known by its place, such as `[3]`.
    static func tagged(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { element(0xA0 | number, content) }

    /// An object identifier by its numbers.
    static func identifier(_ numbers: UInt32...) -> [UInt8] {
        var content = [UInt8(truncatingIfNeeded: numbers[0] * 40 + numbers[1])]
        for number in numbers.dropFirst(2) {
            var digits = [UInt8(number & 0x7F)]
            var rest = number >> 7
            while rest > 0 {
                digits.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            content += digits.reversed()
        }
        return element(0x06, content)
    }

    /// An instant of the years up to 2049 or after, from its digits: `20260131235959`.
    static func time(_ digits: String) -> [UInt8] {
        digits < "2050" ? element(0x17, Array("\(digits.dropFirst(2))Z".utf8)) : element(0x18, Array("\(digits)Z".utf8))
    }

    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
