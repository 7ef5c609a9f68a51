// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Parses small XML documents strictly: one element, matching tags, known references, no document type.
///
/// Foundation's `XMLParser` cannot be used, because a request must not end the process: on Linux (Swift 6.3) it crashes
/// with a null pointer at a processing instruction without content (`<?a?>`). It also accepts a document type and drops
/// the entities that it declares, and it returns true for text after the root element.
struct XMLReader {
    /// The reason why a text is rejected, and its position; both numbers are counted from 1, columns in bytes.
    struct Failure: Error, Hashable {
        var line: Int
        var column: Int
        var message: String

        /// The position and the reason, as the end of a sentence.
        var description: String { "in line \(line), column \(column): \(message)" }
    }

    /// The maximum nesting of elements.
    private static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    mutating func document() throws(Failure) -> XMLElement {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw failure("the text is not UTF-8") }
        try skipAround()
        guard skip("<") else { throw failure("an element is missing") }
        let root = try element(depth: 1)
        try skipAround()
        guard position == bytes.count else { throw failure("there is content after the root element") }
        return root
    }

    // MARK: Elements

    /// Parses an element after its `<`.
    private mutating func element(depth: Int) throws(Failure) -> XMLElement {
        guard depth <= Self.maximumDepth else { throw failure("elements are nested too deeply") }
        let tag = try name()
        var element = XMLElement(name: Self.localName(tag))
        while true {
            let hadSpace = skipSpace()
            if skip("/>") { return element }
            if skip(">") { break }
            guard hadSpace else { throw failure("a space is missing in a tag") }
            let attribute = try name()
            let value = try attributeValue()
            if Self.localName(attribute) == "nil" { element.isNil = value == "true" || value == "1" }
        }
        var text: [UInt8] = []
        while true {
            guard position < bytes.count else { throw failure("<\(tag)> is not closed") }
            if skip("</") {
                guard try name() == tag else { throw failure("<\(tag)> is closed by another tag") }
                skipSpace()
                guard skip(">") else { throw failure("a > is missing") }
                element.text = String(decoding: text, as: UTF8.self)
                return element
            } else if skip("<![CDATA[") {
                text += try upTo("]]>")
            } else if skip("<!--") {
                _ = try upTo("-->")
            } else if skip("<?") {
                _ = try upTo("?>")
            } else if skip("<") {
                element.elements.append(try self.element(depth: depth + 1))
            } else {
                try takeText(upTo: UInt8(ascii: "<"), into: &text)
            }
        }
    }

    private mutating func attributeValue() throws(Failure) -> String {
        skipSpace()
        guard skip("=") else { throw failure("an attribute has no value") }
        skipSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
        else { throw failure("a value is not quoted") }
        let quote = bytes[position]
        position += 1
        var value: [UInt8] = []
        try takeText(upTo: quote, into: &value)
        guard position < bytes.count else { throw failure("a value is not closed") }
        guard bytes[position] == quote else { throw failure("the value of an attribute contains <") }
        position += 1
        return String(decoding: value, as: UTF8.self)
    }

    // MARK: Characters

    /// Appends the text up to a byte, a `<` or the end, with its references resolved.
    private mutating func takeText(upTo end: UInt8, into text: inout [UInt8]) throws(Failure) {
        var start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == end || byte == UInt8(ascii: "<") { break }
            if byte == UInt8(ascii: "&") {
                text += bytes[start..<position]
                text += try reference().utf8
                start = position
                continue
            }
            guard byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else {
                throw failure("a control character")
            }
            position += 1
        }
        text += bytes[start..<position]
    }

    /// Resolves a reference.
    private mutating func reference() throws(Failure) -> String {
        let start = position
        guard let end = bytes[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw failure("a reference is not closed")
        }
        let reference = String(decoding: bytes[start + 1..<end], as: UTF8.self)
        guard let scalar = Self.scalar(reference) else { throw failure("&\(reference); is not known") }
        position = end + 1
        return String(scalar)
    }

    private static let references: [String: Unicode.Scalar] = [
        "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
    ]

    private static func scalar(_ reference: String) -> Unicode.Scalar? {
        if let scalar = references[reference] { return scalar }
        var digits = reference[...]
        guard digits.first == "#" else { return nil }
        digits = digits.dropFirst()
        let isHex = digits.first == "x"
        if isHex { digits = digits.dropFirst() }
        guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
            let number = UInt32(digits, radix: isHex ? 16 : 10),
            number >= 0x20 || [0x09, 0x0A, 0x0D].contains(number)
        else { return nil }
        return Unicode.Scalar(number)
    }

    /// Parses a name with its prefix.
    private mutating func name() throws(Failure) -> String {
        let start = position
        while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
        guard position > start, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[start]) else {
            throw failure("a name is missing")
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"), 0x80...:
            true
        default: false
        }
    }

    private static func localName(_ name: String) -> String {
        String(decoding: name.utf8.split(separator: UInt8(ascii: ":")).last ?? name.utf8[...], as: UTF8.self)
    }

    // MARK: Skipping

    /// Skips white space, comments and instructions before and after the element.
    private mutating func skipAround() throws(Failure) {
        while true {
            skipSpace()
            if skip("<?") {
                _ = try upTo("?>")
            } else if skip("<!--") {
                _ = try upTo("-->")
            } else if skip("<!") {
                throw failure("a document type is not allowed")
            } else {
                return
            }
        }
    }

    @discardableResult private mutating func skipSpace() -> Bool {
        let start = position
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
        return position > start
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        let found = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
        if found { position += text.utf8CodeUnitCount }
        return found
    }

    /// Returns the bytes before `end`, and skips `end` too.
    private mutating func upTo(_ end: StaticString) throws(Failure) -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count {
            if skip(end) { return bytes[start..<position - end.utf8CodeUnitCount] }
            position += 1
        }
        throw failure("an end is missing")
    }

    private func failure(_ message: String) -> Failure {
        let place = SoupError.Place(offset: min(position, bytes.count), in: bytes)
        return Failure(line: place.line ?? 1, column: place.column ?? 1, message: message)
    }
}
