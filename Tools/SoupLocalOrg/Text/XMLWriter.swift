// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Writes XML elements with text.
struct XMLWriter {
    private(set) var bytes: [UInt8] = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>".utf8)

    /// Writes an element whose content `body` writes.
    mutating func element(_ name: String, attributes: String = "", _ body: (inout XMLWriter) -> Void) {
        bytes += "<\(name)\(attributes)>".utf8
        body(&self)
        bytes += "</\(name)>".utf8
    }

    /// Writes an element with a text.
    mutating func element(_ name: String, _ text: String) { element(name) { $0.append(text) } }

    /// Writes text.
    ///
    /// Control characters, which XML cannot contain, become question marks.
    mutating func append(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case 0x0D: bytes += "&#13;".utf8
            case 0x00..<0x20 where byte != 0x09 && byte != 0x0A: bytes.append(UInt8(ascii: "?"))
            default: bytes.append(byte)
            }
        }
    }
}
