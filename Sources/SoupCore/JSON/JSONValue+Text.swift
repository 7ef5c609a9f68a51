// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension JSONValue {
    /// Parses a text from outside.
    ///
    /// - Throws: ``JSONError``.
    public init(parsing text: String) throws(JSONError) { try self.init(parsing: Array(text.utf8)) }

    /// Parses bytes from outside.
    ///
    /// - Throws: ``JSONError``.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        var position = 0
        let slice = bytes[...]
        let span = slice.span
        JSONGrammar.skipWhitespace(span, &position)
        self = try Self.parse(span, &position, depth: 0)
        try JSONScanner.expectEnd(span, &position)
    }

    static func parse(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, depth: Int
    ) throws(JSONError) -> JSONValue {
        let start = position
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        switch bytes[position] {
        case UInt8(ascii: "{"): return try parseObject(bytes, &position, depth: depth)
        case UInt8(ascii: "["): return try parseArray(bytes, &position, depth: depth)
        case UInt8(ascii: "\""): return .string(try parseString(bytes, &position))
        default:
            switch try JSONGrammar.skipValue(bytes, &position, depth: depth) {
            case .true: return .bool(true)
            case .false: return .bool(false)
            case .number: return number(bytes, start..<position)
            default: return .null
            }
        }
    }

    private static func parseObject(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, depth: Int
    ) throws(JSONError) -> JSONValue {
        var object = JSONObject()
        guard try JSONGrammar.openContainer(bytes, &position, depth: depth, close: UInt8(ascii: "}")) else {
            return .object(object)
        }
        repeat {
            guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
            guard bytes[position] == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: position) }
            let key = try parseString(bytes, &position)
            try JSONGrammar.skipColon(bytes, &position)
            let value = try parse(bytes, &position, depth: depth + 1)
            if object[key] == nil { object[key] = value }
        } while try JSONGrammar.anotherFollows(bytes, &position, close: UInt8(ascii: "}"))
        return .object(object)
    }

    private static func parseArray(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, depth: Int
    ) throws(JSONError) -> JSONValue {
        var array: [JSONValue] = []
        guard try JSONGrammar.openContainer(bytes, &position, depth: depth, close: UInt8(ascii: "]")) else {
            return .array(array)
        }
        repeat {
            array.append(try parse(bytes, &position, depth: depth + 1))
        } while try JSONGrammar.anotherFollows(bytes, &position, close: UInt8(ascii: "]"))
        return .array(array)
    }

    private static func parseString(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int
    ) throws(JSONError) -> String {
        let start = position + 1
        _ = try JSONGrammar.skipString(bytes, &position)
        return String(decoding: JSONEscapes.unescape(bytes, start..<position - 1), as: UTF8.self)
    }

    /// The number that a validated text spells, in the first form that writes the same text again.
    private static func number(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> JSONValue {
        var text: [UInt8] = []
        for index in range { text.append(bytes[index]) }
        let string = String(decoding: text, as: UTF8.self)
        if let whole = Int64(string), string != "-0" { return .int(whole) }
        if let real = Double(string), "\(real)" == string { return .double(real) }
        return .number(JSONNumber(trusted: string))
    }

    /// The value as compact JSON.
    ///
    /// - Throws: ``JSONError``: `.notFinite` for NaN and infinity, `.tooDeep` for more than 512 levels.
    public func jsonText() throws(JSONError) -> JSONText { try JSONText(self) }

    /// - Parameter depth: the arrays and objects around this value.
    func write(to output: inout [UInt8], depth: Int = 0) throws(JSONError) {
        switch self {
        case .array where depth >= JSONGrammar.maximumDepth, .object where depth >= JSONGrammar.maximumDepth:
            // Nobody could read it again.
            throw JSONError(.tooDeep, at: output.count)
        case .null: output += Array("null".utf8)
        case .bool(let value): output += Array((value ? "true" : "false").utf8)
        case .int(let value): output += Array(String(value).utf8)
        case .double(let value):
            guard value.isFinite else { throw JSONError(.notFinite, at: output.count) }
            output += Array("\(value)".utf8)
        case .number(let value): output += Array(value.text.utf8)
        case .string(let value): JSONEscapes.appendQuoted(value.utf8, to: &output)
        case .array(let values):
            output.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                try value.write(to: &output, depth: depth + 1)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                JSONEscapes.appendQuoted(member.key.utf8, to: &output)
                output.append(UInt8(ascii: ":"))
                try member.value.write(to: &output, depth: depth + 1)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// Compact JSON, members in their order; words instead when a number in it is NaN or infinite, or it is too deep.
    public var description: String {
        do throws(JSONError) { return try JSONText(self).description } catch {
            return "not JSON: \(error.reason.rawValue)"
        }
    }
}

extension JSONValue: Codable {
    /// Takes whatever value the decoder stands on.
    ///
    /// Numbers are ``int(_:)`` where they can be, and keep up to 38 digits where the decoder has them.
    ///
    /// Members come sorted by key, because decoders do not tell their order; only ``ConfigurationDecoder``
    /// hands the value over as it is.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
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

    /// A number with the digits of a decimal, where the double does not have them.
    private static func exact(_ real: Double, _ decimal: String?) -> JSONValue {
        guard let number = decimal.flatMap({ JSONNumber($0) }), number != JSONNumber("\(real)") else {
            return .double(real)
        }
        return .number(number)
    }

    /// Writes the bare value; the order of members is up to the encoder.
    ///
    /// A number keeps up to 38 digits.
    public func encode(to encoder: any Encoder) throws {
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
