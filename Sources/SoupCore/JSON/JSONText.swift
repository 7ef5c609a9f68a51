// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// One valid JSON value as the UTF-8 bytes it was written in, decoded only when somebody asks.
///
/// Copies share their bytes, and so do the ``members`` and ``elements``. Two texts are equal when their bytes are:
/// compare ``JSONValue``s to compare meaning.
public struct JSONText: Sendable, Hashable, CustomStringConvertible {
    /// The bytes, without white space around the value.
    public let bytes: ArraySlice<UInt8>

    /// Takes bytes from outside.
    ///
    /// - Throws: ``JSONError`` when they are not exactly one JSON value.
    public init(_ bytes: ArraySlice<UInt8>) throws(JSONError) {
        let field = try JSONScanner.validate(bytes.span)
        self.bytes = bytes[bytes.startIndex + field.start..<bytes.startIndex + field.end]
    }

    /// Takes text from outside.
    ///
    /// - Throws: ``JSONError`` when it is not exactly one JSON value.
    public init(_ text: String) throws(JSONError) {
        try self.init(Array(text.utf8)[...])
    }

    /// Writes a value.
    ///
    /// - Throws: ``JSONError``: `.notFinite` for NaN and infinity, which have no JSON form; `.tooDeep` for what is
    ///   nested more than 512 levels deep, which nobody could read again.
    public init(_ value: JSONValue) throws(JSONError) {
        var output: [UInt8] = []
        try value.write(to: &output)
        self.bytes = output[...]
    }

    /// Takes bytes that are known to be one JSON value, because a scanner sliced them or a writer made them.
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

    /// The tree of values, when that is the type that is asked for.
    private func value<T>(as type: T.Type) -> T? { type == JSONValue.self ? value as? T : nil }

    /// The text as a tree of values.
    public var value: JSONValue {
        var position = 0
        return (try? JSONValue.parse(bytes.span, &position, depth: 0)) ?? .null
    }

    /// The value at `path`, arrays traversed; nil when the path leads nowhere.
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

    /// The text of a field that was found in `bytes`; nil when the field is missing.
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

    /// The value as it was written, white space inside of it included.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSONText {
    /// The value null, for a member that is there; one that is not is a nil `JSONText?`.
    public static let null = JSONText(trusted: Array("null".utf8)[...])
    /// What a local flag that is set looks like in an entry.
    public static let `true` = JSONText(trusted: Array("true".utf8)[...])
    /// What a local flag that is not set looks like in an entry.
    public static let `false` = JSONText(trusted: Array("false".utf8)[...])

    /// An integer's text.
    public static func integer(_ value: some BinaryInteger) -> JSONText {
        JSONText(trusted: Array(String(value).utf8)[...])
    }

    /// A string's JSON text: quoted and escaped.
    public static func string(_ value: String) -> JSONText {
        var output: [UInt8] = []
        JSONEscapes.appendQuoted(value.utf8, to: &output)
        return JSONText(trusted: output[...])
    }
}
