// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The value of `{since}` for a high-water mark.
struct SinceFilter: Sendable {
    let format: RecordDateFormat
    let comparison: SinceConfiguration.Operator
    let overlap: Double
    /// Whether dates in records have the same form, so that a date is sent as the server wrote it.
    let isFormatOfRecords: Bool

    init(_ configuration: SinceConfiguration?, of service: Service) {
        format = configuration?.format ?? service.dateFormat
        comparison = configuration?.operator ?? .greaterOrEqual
        overlap = max(0, configuration?.overlap ?? 0)
        isFormatOfRecords = format == service.dateFormat
    }

    /// Returns the earliest time to ask for, in the form of the server.
    ///
    /// The server must return every record whose date is the mark's or later: with `>`, one unit of the format is
    /// subtracted. Formats of whole seconds are rounded down.
    func text(from mark: HighWaterMark) -> String {
        var date = mark.time.addingTimeInterval(-overlap)
        if comparison == .greater { date.addTimeInterval(-unit) }
        return text(of: date)
    }

    /// Returns the date of a record that the server sent.
    ///
    /// - Returns: nil if the value is not a date of the service.
    func text(of value: JSONText, _ recordFormat: RecordDateFormat) -> String? {
        guard let date = recordFormat.date(in: value) else { return nil }
        return isFormatOfRecords ? value.value.stringValue ?? value.description : text(of: date)
    }

    private func text(of date: Date) -> String {
        switch format {
        case .iso8601: return DateText.format(date, zone: "Z")
        case .epochSeconds: return String(Int64(date.timeIntervalSince1970.rounded(.down)))
        case .epochMilliseconds, .httpDate, .pattern:
            let value = format.value(of: date)
            return value.string ?? value.description
        }
    }

    /// The smallest difference between two dates of the format, in seconds.
    private var unit: Double {
        switch format {
        case .iso8601, .epochMilliseconds: 0.001
        case .epochSeconds, .httpDate: 1
        case .pattern(let pattern):
            pattern.text.contains("SSS")
                ? 0.001 : pattern.text.contains("ss") ? 1 : pattern.text.contains("mm") ? 60 : 86_400
        }
    }
}
