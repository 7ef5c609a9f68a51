// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The format of an autonumber: `V-{00000}` gives `V-00001`, `{YYYY}-{MM}-{000}` gives `2024-01-001`.
///
/// The number of digits in braces is the width, their value the start. `{YYYY}`, `{YY}`, `{MM}` and `{DD}` are parts of
/// the day on which the record was created, in UTC.
struct AutonumberFormat {
    private enum Part {
        case text(String)
        case number(width: Int, start: Int64)
        case year(digits: Int), month, day
    }

    private var parts: [Part] = []

    /// Reads a format; nil for a format without a number, with several, or with another text in braces.
    init?(_ format: String) {
        var text: [UInt8] = []
        var isOpen = false
        var numbers = 0
        for byte in format.utf8 {
            switch (byte, isOpen) {
            case (UInt8(ascii: "{"), false):
                if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
                (text, isOpen) = ([], true)
            case (UInt8(ascii: "}"), true):
                guard let part = Self.part(String(decoding: text, as: UTF8.self)) else { return nil }
                if case .number = part { numbers += 1 }
                parts.append(part)
                (text, isOpen) = ([], false)
            case (UInt8(ascii: "{"), true), (UInt8(ascii: "}"), false): return nil
            default: text.append(byte)
            }
        }
        guard !isOpen, numbers == 1 else { return nil }
        if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
    }

    private static func part(_ text: String) -> Part? {
        switch text {
        case "YYYY": return .year(digits: 4)
        case "YY": return .year(digits: 2)
        case "MM": return .month
        case "DD": return .day
        default:
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let start = Int64(text) else { return nil }
            return .number(width: text.utf8.count, start: start)
        }
    }

    /// Returns the value for a number.
    ///
    /// - Parameter time: when the record is created, in milliseconds since 1970.
    func value(_ number: Int64, at time: Int64) -> String {
        let date = DateText.format(time, zone: "Z").split(separator: "T").first?.split(separator: "-") ?? []
        return parts.map { part -> String in
            switch part {
            case .text(let text): text
            case .number(let width, let start): Self.padded("\(start.plus(number))", to: width)
            case .year(let digits): String((date.first ?? "").suffix(digits))
            case .month: String(date.count > 1 ? date[1] : "")
            case .day: String(date.count > 2 ? date[2] : "")
            }
        }.joined()
    }

    private static func padded(_ number: String, to width: Int) -> String {
        String(repeating: "0", count: max(0, width - number.utf8.count)) + number
    }
}
