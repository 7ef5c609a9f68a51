// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The escaping and unescaping of JSON strings.
public enum JSONEscapes {
    /// Returns the UTF-8 text of a string whose validated body (between the quotes) is `range`.
    static func unescape(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "\\"), index + 1 < range.upperBound else {
                text.append(byte)
                index += 1
                continue
            }
            let code = bytes[index + 1]
            index += 2
            switch code {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                var unit = (try? JSONGrammar.hexUnit(bytes, at: index)) ?? 0xFFFD
                index += 4
                if unit >= 0xD800 && unit <= 0xDBFF, let low = try? JSONGrammar.hexUnit(bytes, at: index + 2) {
                    unit = 0x10000 + (unit - 0xD800) << 10 + (low &- 0xDC00)
                    index += 6
                }
                text.append(contentsOf: String(Unicode.Scalar(unit) ?? "\u{FFFD}").utf8)
            default: text.append(code)
            }
        }
        return text
    }

    /// Appends a string's text as a JSON string, quotes included: the shortest valid form.
    public static func appendQuoted(_ text: some Sequence<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case 0x08: output += Array("\\b".utf8)
            case 0x0C: output += Array("\\f".utf8)
            case 0x0A: output += Array("\\n".utf8)
            case 0x0D: output += Array("\\r".utf8)
            case 0x09: output += Array("\\t".utf8)
            case ..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                output += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Returns a string as JSON text, quotes included.
    public static func quoted(_ text: String) -> String {
        var output: [UInt8] = []
        appendQuoted(text.utf8, to: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
