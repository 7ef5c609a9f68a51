// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// One valid JSON value as UTF-8 bytes, exactly as written, decoded only on request.
///
/// Copies share their bytes, and so do the ``members`` and ``elements``. Two texts are equal if their bytes are: to
/// compare the meaning, compare ``JSONValue``s.
public struct JSONText: Sendable, Hashable, CustomStringConvertible {
    /// The bytes, without white space around the value.
    public let bytes: ArraySlice<UInt8>

    /// Creates a text from unchecked bytes.
    ///
    /// - Throws: ``JSONError`` if they are not exactly one JSON value.
    public init(_ bytes: ArraySlice<UInt8>) throws(JSONError) {
        let field = try JSONScanner.validate(bytes.span)
        self.bytes = bytes[bytes.startIndex + field.start..<bytes.startIndex + field.end]
    }

    /// Creates a text from an unchecked string.
    ///
    /// - Throws: ``JSONError`` if it is not exactly one JSON value.
    public init(_ text: String) throws(JSONError) {
        try self.init(Array(text.utf8)[...])
    }

    /// Creates the text of a value.
    ///
    /// - Throws: ``JSONError``: `.notFinite` for NaN and infinity, which have no JSON form; `.tooDeep` for values
    ///   nested more than 512 levels deep, which could not be read again.
    public init(_ value: JSONValue) throws(JSONError) {
        var output: [UInt8] = []
        try value.write(to: &output)
        self.bytes = output[...]
    }

    /// Creates a text from bytes that are known to be one JSON value, because a scanner or a writer produced them.
    public init(trusted bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Encodes a value with Foundation's encoder: dates as numbers and keys as declared, unless the type says
    /// otherwise.
    ///
    /// A ``JSONValue`` is written as ``init(_:)-(JSONValue)`` writes it.
    ///
    /// - Throws: `EncodingError`, or ``JSONError`` for a ``JSONValue``.
    public init(encoding value: some Encodable) throws {
        if let value = value as? JSONValue {
            try self.init(value)
            return
        }
        self.init(trusted: Array(try JSONEncoder().encode(value))[...])
    }

    /// Decodes the text as `type` with Foundation's decoder.
    ///
    /// For ``JSONValue`` the result is ``value``, whatever its depth.
    ///
    /// - Throws: `DecodingError`, whose context names the path.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        if let value = value(as: type) { return value }
        return try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Returns the tree of values, if that is the requested type.
    private func value<T>(as type: T.Type) -> T? { type == JSONValue.self ? value as? T : nil }

    /// The text as a tree of values.
    public var value: JSONValue {
        var position = 0
        return (try? JSONValue.parse(bytes.span, &position, depth: 0)) ?? .null
    }

    /// The value at `path`, with arrays traversed; nil if the path leads to no value.
    ///
    /// Only the value itself is decoded. For many paths of many records prepare a ``JSONProjection``.
    public subscript(path: JSONPath) -> JSONValue? {
        if path.keys.isEmpty { return value }
        var result = JSONProjected()
        let whole = 0..<bytes.count
        guard (try? JSONScanner.project(JSONProjection([path]), from: bytes.span, in: whole, into: &result)) != nil
        else { return nil }
        return JSONText.text(of: result.fields[0], in: bytes, collected: result.collected)?.value
    }

    /// Returns the text of a field that was found in `bytes`; nil if the field is missing.
    public static func text(of field: JSONField, in bytes: ArraySlice<UInt8>, collected: [[UInt8]] = []) -> JSONText? {
        switch field.kind {
        case .missing: nil
        case .collected: JSONText(trusted: collected[field.start][...])
        default: JSONText(trusted: bytes[bytes.startIndex + field.start..<bytes.startIndex + field.end])
        }
    }

    /// The text of a JSON string, its escapes resolved; nil for any other kind of value.
    public var string: String? {
        guard bytes.first == UInt8(ascii: "\""), bytes.count >= 2 else { return nil }
        return String(decoding: JSONEscapes.unescape(bytes.span, 1..<bytes.count - 1), as: UTF8.self)
    }

    /// The value as written, white space inside it included.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSONText {
    /// The value null, for an existing member; a missing one is a nil `JSONText?`.
    public static let null = JSONText(trusted: Array("null".utf8)[...])
    /// The value of a set local flag in an entry.
    public static let `true` = JSONText(trusted: Array("true".utf8)[...])
    /// The value of an unset local flag in an entry.
    public static let `false` = JSONText(trusted: Array("false".utf8)[...])

    /// Returns an integer's text.
    public static func integer(_ value: some BinaryInteger) -> JSONText {
        JSONText(trusted: Array(String(value).utf8)[...])
    }

    /// Returns a string's JSON text: quoted and escaped.
    public static func string(_ value: String) -> JSONText {
        var output: [UInt8] = []
        JSONEscapes.appendQuoted(value.utf8, to: &output)
        return JSONText(trusted: output[...])
    }
}
