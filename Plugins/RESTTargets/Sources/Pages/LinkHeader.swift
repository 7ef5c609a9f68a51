// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The links of a `Link` header (RFC 8288).
struct LinkHeader: Sendable, Hashable {
    /// A link: its target, and its relations in lower case.
    struct Link: Sendable, Hashable {
        var target: String
        var relations: [String]
    }

    let links: [Link]
    /// Whether the whole header consists of links: a part that is no link can hide the next page.
    let isComplete: Bool

    /// The target of the first link with `rel="next"`; nil if there is none.
    var next: String? { links.first { $0.relations.contains("next") }?.target }

    /// Reads the value of a header; several headers are joined by commas.
    ///
    /// Reading stops at the first byte that is not part of a link: the links before it are valid.
    init(_ text: String) {
        var reader = Reader(bytes: Array(text.utf8)[...])
        var links: [Link] = []
        while let link = reader.link() { links.append(link) }
        self.links = links
        isComplete = reader.isAtEnd
    }
}

/// The reader of a header's bytes.
private struct Reader {
    var bytes: ArraySlice<UInt8>

    var isAtEnd: Bool { bytes.isEmpty }

    /// Reads the next link; nil at the end, and at the first byte that is not part of a link.
    mutating func link() -> LinkHeader.Link? {
        skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",") }
        guard take(UInt8(ascii: "<")), let end = bytes.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let target = String(decoding: bytes[..<end], as: UTF8.self)
        bytes = bytes[(end + 1)...]
        var relations: [String]?
        while let (name, value) = parameter() {
            // Only the first `rel` counts.
            if name == "rel", relations == nil {
                relations = value.lowercased().split(separator: " ").map(String.init)
            }
        }
        return LinkHeader.Link(target: target, relations: relations ?? [])
    }

    /// Reads `; name=value` with a token or a quoted text; the name is in lower case.
    private mutating func parameter() -> (name: String, value: String)? {
        skipSpaces()
        guard take(UInt8(ascii: ";")) else { return nil }
        skipSpaces()
        let name = token().lowercased()
        skipSpaces()
        guard take(UInt8(ascii: "=")) else { return (name, "") }
        skipSpaces()
        return (name, take(UInt8(ascii: "\"")) ? quotedText() : token())
    }

    private mutating func token() -> String {
        let text = bytes.prefix { !" \t;,=\"<>".utf8.contains($0) }
        bytes = bytes[text.endIndex...]
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads to the closing quote, or to the end if there is none.
    private mutating func quotedText() -> String {
        var text: [UInt8] = []
        while let byte = bytes.popFirst(), byte != UInt8(ascii: "\"") {
            text.append(byte == UInt8(ascii: "\\") ? bytes.popFirst() ?? byte : byte)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard bytes.first == byte else { return false }
        bytes = bytes.dropFirst()
        return true
    }

    private mutating func skipSpaces() { skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

    private mutating func skip(_ condition: (UInt8) -> Bool) { bytes = bytes.drop(while: condition) }
}
