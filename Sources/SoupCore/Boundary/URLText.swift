// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding for the parts of a path that a target sends: whatever comes from a record, a cursor or a
/// configuration goes through it, or a `/`, a `?` or a `&` in there makes another request of it.
///
/// ```swift
/// context.get("/lists/\(URLText.segment(list))/todos?after=\(URLText.query(cursor.rawValue))")
/// ```
public enum URLText {
    /// One segment of a path: everything but letters, digits, `-`, `.`, `_` and `~` is encoded, slashes included.
    ///
    /// A segment of nothing but one or two dots would lead to another place, so its dots are encoded.
    public static func segment(_ text: String) -> String {
        text == "." || text == ".." ? text.replacing(".", with: "%2E") : encoded(text, keeping: "-._~")
    }

    /// A name or a value in a query: as a segment, with the punctuation that needs no encoding there left readable.
    public static func query(_ text: String) -> String { encoded(text, keeping: "-._~,()'*!:") }

    /// A name or a value of a form: as a segment, dots included.
    package static func form(_ text: String) -> String { encoded(text, keeping: "-._~") }

    private static func encoded(_ text: String, keeping: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let kept = Array(keeping.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count + text.utf8.count / 4)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                output.append(byte)
            case _ where kept.contains(byte): output.append(byte)
            default: output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
