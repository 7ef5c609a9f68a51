// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension JSONValue: Codable {
    /// The maximum depth to which decoders and encoders process a value, from the outermost type that they code.
    public static let codingDepth = 32

    private static let tooDeepToCode =
        "nested more than \(codingDepth) levels deep. Use JSONText or JSONValue(parsing:), which support 512 levels"

    /// Decodes any value.
    ///
    /// Numbers are ``int(_:)`` if possible, and keep up to 38 digits if the decoder has them.
    ///
    /// Members are sorted by key, because decoders do not report their order; only `ConfigurationDecoder` passes the
    /// value unchanged.
    ///
    /// Decoders and encoders are recursive. So that no value can exhaust the stack, both directions stop at
    /// ``codingDepth`` levels; ``JSONText`` and ``init(parsing:)-(String)`` read all 512.
    ///
    /// - Throws: `DecodingError` for a value that is nested deeper.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.codingDepth else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: Self.tooDeepToCode))
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            // Foundation's decoder truncates a fraction after more digits than a double has.
            let isShort = value.magnitude < 1 << 53
            self = isShort ? .int(value) : Self.exact(value, (try? container.decode(Decimal.self))?.description)
        } else if let value = try? container.decode(UInt64.self) {
            self = .number(JSONNumber(value))
        } else if let value = try? container.decode(Double.self) {
            self = Self.exact(value, (try? container.decode(Decimal.self))?.description)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            let members = try container.decode([String: JSONValue].self)
            self = .object(JSONObject(members.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }))
        }
    }

    /// Returns a number with the digits of a decimal, if the whole number does not have them.
    private static func exact(_ whole: Int64, _ decimal: String?) -> JSONValue {
        guard let number = decimal.flatMap({ JSONNumber($0) }), number != JSONNumber(whole) else { return .int(whole) }
        return .number(number)
    }

    /// Returns a number with the digits of a decimal, if the double does not have them.
    private static func exact(_ real: Double, _ decimal: String?) -> JSONValue {
        guard let number = decimal.flatMap({ JSONNumber($0) }), number != JSONNumber("\(real)") else {
            return .double(real)
        }
        return .number(number)
    }

    /// Encodes the bare value; the encoder decides the order of members.
    ///
    /// A number keeps up to 38 digits.
    ///
    /// - Throws: `EncodingError` for a value that is nested deeper than ``codingDepth``.
    public func encode(to encoder: any Encoder) throws {
        guard encoder.codingPath.count <= Self.codingDepth else {
            throw EncodingError.invalidValue(
                self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: Self.tooDeepToCode))
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .number(let value):
            if let whole = UInt64(value.text) {
                try container.encode(whole)
            } else if let decimal = Decimal(string: value.text), JSONNumber(decimal.description) == value {
                try container.encode(decimal)
            } else {
                try container.encode(value.doubleValue)
            }
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value):
            try container.encode(Dictionary(uniqueKeysWithValues: value.members.map { ($0.key, $0.value) }))
        }
    }
}
