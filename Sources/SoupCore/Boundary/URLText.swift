// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding for the parts of a path that a target sends.
///
/// Use it for every text from a record, a cursor or a configuration: without it, a `/`, a `?` or a `&` in the text
/// changes the request.
///
/// ```swift
/// context.get("/lists/\(URLText.segment(list))/todos?after=\(URLText.query(cursor.rawValue))")
/// ```
public enum URLText {
    /// Returns one segment of a path, with everything but letters, digits, `-`, `.`, `_` and `~` encoded, slashes
    /// included.
    ///
    /// A segment that consists of one or two dots would change the path, so its dots are encoded.
    public static func segment(_ text: String) -> String {
        text == "." || text == ".." ? text.replacing(".", with: "%2E") : encoded(text, keeping: "-._~")
    }

    /// Returns a name or a value for a query, encoded as a segment but with permitted punctuation left readable.
    public static func query(_ text: String) -> String { encoded(text, keeping: "-._~,()'*!:") }

    /// Returns a name or a value for a form, encoded as a segment; dots stay.
    package static func form(_ text: String) -> String { encoded(text, keeping: "-._~") }

    /// Returns a URL for a message: without the user and the password before its host, and without its query and
    /// fragment, which can contain a key.
    package static func masked(_ url: String) -> String {
        let end = url.unicodeScalars.firstIndex { $0 == "?" || $0 == "#" }
        guard let at = url.unicodeScalars.lastIndex(of: "@") else {
            return end.map { url[...$0] + SecretMask.replacement } ?? url
        }
        let scheme = url.firstRange(of: "://").map { String(url[..<$0.upperBound]) } ?? ""
        // A password can contain these characters, and a query an at sign: nothing of both is shown.
        return scheme + SecretMask.replacement + (end == nil ? String(url[at...]) : "")
    }

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
