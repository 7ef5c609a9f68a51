// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A form of dates in UTC: `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` and `SSS` between other characters.
///
/// `SSS` stands for any number of digits of a fraction, of which three are used, and three are written. Other letters
/// are written in apostrophes: `yyyy-MM-dd'T'HH:mm:ss`.
public struct DatePattern: Sendable, Hashable {
    /// The pattern.
    public let text: String
    private let parts: [Part]

    private enum Part: Sendable, Hashable {
        case field(Field)
        case literal(UInt8)
    }

    private enum Field: String, Sendable, CaseIterable {
        case year = "yyyy"
        case month = "MM"
        case day = "dd"
        case hour = "HH"
        case minute = "mm"
        case second = "ss"
        case fraction = "SSS"
    }

    /// Creates a pattern; nil if it has no year, month and day, repeats a field, or has an unknown letter.
    public init?(_ text: String) {
        var parts: [Part] = []
        var rest = Substring(text)
        var isQuoted = false
        while let first = rest.first {
            if first == "'" {
                isQuoted.toggle()
            } else if !isQuoted, let field = Field.allCases.first(where: { rest.hasPrefix($0.rawValue) }) {
                guard !parts.contains(.field(field)) else { return nil }
                parts.append(.field(field))
                rest = rest.dropFirst(field.rawValue.count)
                continue
            } else {
                guard let byte = first.asciiValue, isQuoted || !first.isLetter else { return nil }
                parts.append(.literal(byte))
            }
            rest = rest.dropFirst()
        }
        guard !isQuoted, [Field.year, .month, .day].allSatisfy({ parts.contains(.field($0)) }) else { return nil }
        self.text = text
        self.parts = parts
    }

    /// Returns the milliseconds since 1970 of a text; nil if it does not have the form.
    package func milliseconds(in text: String) -> Int64? {
        var reader = DigitReader(text: Array(text.utf8)[...])
        var values: [Field: Int64] = [:]
        for part in parts {
            switch part {
            case .literal(let byte): guard reader.take(byte) else { return nil }
            case .field(.fraction):
                guard let value = reader.milliseconds() else { return nil }
                values[.fraction] = value
            case .field(let field):
                guard let value = reader.number(field.rawValue.count) else { return nil }
                values[field] = value
            }
        }
        let (hour, minute, second) = (values[.hour] ?? 0, values[.minute] ?? 0, values[.second] ?? 0)
        guard reader.isAtEnd, let year = values[.year], let month = values[.month], let day = values[.day],
            DateText.isPossible(day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        return DateText.instant(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second,
            millisecond: values[.fraction] ?? 0)
    }

    /// Returns the text of milliseconds since 1970; a part of the time without a field is left out.
    package func format(_ milliseconds: Int64) -> String {
        // The standard form has every field at a fixed place: 2015-02-05T21:12:03.956.
        let standard = Array(DateText.format(milliseconds).utf8)
        let bytes = parts.flatMap { part in
            switch part {
            case .literal(let byte): [byte]
            case .field(let field): Array(standard[Self.range(of: field)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func range(of field: Field) -> Range<Int> {
        switch field {
        case .year: 0..<4
        case .month: 5..<7
        case .day: 8..<10
        case .hour: 11..<13
        case .minute: 14..<16
        case .second: 17..<19
        case .fraction: 20..<23
        }
    }
}
