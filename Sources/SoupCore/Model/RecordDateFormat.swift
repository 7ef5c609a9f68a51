// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The form of the modification dates in the records of a server.
///
/// The engine reads the dates as the server sends them, and writes a date that a push returned in the same form. The
/// records themselves are not converted.
public enum RecordDateFormat: Sendable, Hashable {
    /// A text in ISO 8601 with an offset from UTC, as ``DateText/parse(_:)`` reads it.
    case iso8601
    /// A number of seconds since 1970, also with a fraction, or a text with such a number.
    case epochSeconds
    /// A number of milliseconds since 1970, or a text with such a number.
    case epochMilliseconds
    /// A text as in HTTP headers: `Sun, 06 Nov 1994 08:49:37 GMT`.
    case httpDate
    /// A text in another form, in UTC.
    case pattern(DatePattern)

    /// Creates a format from its name in configuration files: `iso8601`, `epochSeconds`, `epochMilliseconds`,
    /// `httpDate`, or a pattern such as `yyyy-MM-dd HH:mm:ss`.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration` for a text that is neither a name nor a valid pattern.
    public init(named name: String) throws {
        switch name {
        case "iso8601": self = .iso8601
        case "epochSeconds": self = .epochSeconds
        case "epochMilliseconds": self = .epochMilliseconds
        case "httpDate": self = .httpDate
        default:
            guard let pattern = DatePattern(name) else {
                throw SoupError(
                    .badConfiguration, "\"\(name.excerpt(100))\" is not a date format",
                    hint: "Use iso8601, epochSeconds, epochMilliseconds, httpDate, or a pattern with yyyy, MM and dd, "
                        + "such as yyyy-MM-dd HH:mm:ss.")
            }
            self = .pattern(pattern)
        }
    }

    /// The name of the format in configuration files.
    public var name: String {
        switch self {
        case .iso8601: "iso8601"
        case .epochSeconds: "epochSeconds"
        case .epochMilliseconds: "epochMilliseconds"
        case .httpDate: "httpDate"
        case .pattern(let pattern): pattern.text
        }
    }

    /// Returns the date that a value of a record contains; nil if the value has another form.
    public func date(in value: JSONText) -> Date? {
        milliseconds(in: value).map { Date(millisecondsSince1970: $0) }
    }

    /// Returns the value for a date in a record.
    public func value(of date: Date) -> JSONText { value(ofMilliseconds: date.millisecondsSince1970) }

    /// Returns the milliseconds since 1970 that a value contains; nil if the value is missing or has another form.
    package func milliseconds(in value: JSONText?) -> Int64? { milliseconds(in: value?.value) }

    /// Returns the milliseconds since 1970 that a value contains; nil if the value is missing or has another form.
    package func milliseconds(in value: JSONValue?) -> Int64? {
        guard let value else { return nil }
        switch self {
        case .iso8601: return value.stringValue.flatMap { DateText.milliseconds($0) }
        case .epochSeconds: return Self.number(in: value).flatMap { Int64(exactly: ($0 * 1000).rounded()) }
        case .epochMilliseconds: return Self.number(in: value).flatMap { Int64(exactly: $0.rounded()) }
        case .httpDate: return value.stringValue.flatMap { DateText.parseHTTPDate($0)?.millisecondsSince1970 }
        case .pattern(let pattern): return value.stringValue.flatMap { pattern.milliseconds(in: $0) }
        }
    }

    /// Returns the value for milliseconds since 1970.
    package func value(ofMilliseconds milliseconds: Int64) -> JSONText {
        switch self {
        case .iso8601: .string(DateText.format(milliseconds))
        case .epochSeconds: Self.seconds(milliseconds)
        case .epochMilliseconds: .integer(milliseconds)
        case .httpDate: .string(DateText.formatHTTPDate(Date(millisecondsSince1970: milliseconds)))
        case .pattern(let pattern): .string(pattern.format(milliseconds))
        }
    }

    private static func number(in value: JSONValue) -> Double? {
        switch value {
        case .int(let number): return Double(number)
        case .double(let number): return number
        case .number(let number): return Double("\(number)")
        case .string(let text):
            // Swift also reads hexadecimal numbers, and names of numbers.
            return text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } ? Double(text) : nil
        default: return nil
        }
    }

    /// Returns a number of seconds, with a fraction only if it has one.
    private static func seconds(_ milliseconds: Int64) -> JSONText {
        guard milliseconds % 1000 != 0 else { return .integer(milliseconds / 1000) }
        let (seconds, fraction) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
        let text = "\(milliseconds < 0 ? "-" : "")\(seconds)." + DateText.pad(Int64(fraction), 3)
        return JSONText(trusted: Array(text.utf8)[...])
    }
}

extension RecordDateFormat: Codable {
    /// Reads the name of a format.
    public init(from decoder: any Decoder) throws {
        try self.init(named: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the name of the format.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
