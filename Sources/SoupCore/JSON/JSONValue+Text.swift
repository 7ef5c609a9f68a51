// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Parses an unchecked text.
    ///
    /// - Throws: ``JSONError``.
    public init(parsing text: String) throws(JSONError) { try self.init(parsing: Array(text.utf8)) }

    /// Parses unchecked bytes.
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
        var builder = JSONBuilder<JSONValue>(
            scalar: { scalar($0, $1, in: $2) }, array: { .array($0) }, object: { .object(JSONObject($0)) })
        try JSONGrammar.walk(bytes, &position, depth: depth, with: &builder)
        return builder.result ?? .null
    }

    private static func scalar(
        _ kind: JSONField.Kind, _ range: Range<Int>, in bytes: borrowing Span<UInt8>
    ) -> JSONValue {
        switch kind {
        case .string, .escapedString: .string(JSONEscapes.string(bytes, range))
        case .true: .bool(true)
        case .false: .bool(false)
        case .number: number(bytes, range)
        default: .null
        }
    }

    /// Returns the number of a validated text, in the first form that writes the same text again.
    private static func number(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> JSONValue {
        var text: [UInt8] = []
        for index in range { text.append(bytes[index]) }
        let string = String(decoding: text, as: UTF8.self)
        if let whole = Int64(string), string != "-0" { return .int(whole) }
        if let real = Double(string), "\(real)" == string { return .double(real) }
        return .number(JSONNumber(trusted: string))
    }

    /// Returns the value as compact JSON.
    ///
    /// - Throws: ``JSONError``: `.notFinite` for NaN and infinity, `.tooDeep` for more than 512 levels.
    public func jsonText() throws(JSONError) -> JSONText { try JSONText(self) }

    /// Writes the text of a value that is not an array or object.
    func writeScalar(to output: inout [UInt8]) throws(JSONError) {
        switch self {
        case .bool(let value): output += Array((value ? "true" : "false").utf8)
        case .int(let value): output += Array(String(value).utf8)
        case .double(let value):
            guard value.isFinite else { throw JSONError(.notFinite, at: output.count) }
            output += Array("\(value)".utf8)
        case .number(let value): output += Array(value.text.utf8)
        case .string(let value): JSONEscapes.appendQuoted(value.utf8, to: &output)
        default: output += Array("null".utf8)
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON, or a message if it contains NaN or infinity, or is nested too deep.
    public var description: String {
        do throws(JSONError) { return try JSONText(self).description } catch {
            return "not JSON: \(error.reason.rawValue)"
        }
    }
}
