// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The times of an event, which several fields contain: its start, its end, its duration, its day.
enum EventTimes {
    private static let minute: Int64 = 60_000
    private static let day: Int64 = 86_400_000

    /// Makes the fields consistent.
    ///
    /// - Parameter changed: the positions of the fields that the client changed; they take precedence.
    static func apply(_ object: OrgObject, _ cells: inout [CellValue], changed: Set<Int>) {
        func position(_ name: String) -> Int? { object.field(name)?.position }
        func isChanged(_ name: String) -> Bool { position(name).map(changed.contains) ?? false }
        func time(_ name: String) -> Int64? { position(name).flatMap { cells[$0].int } }
        func set(_ name: String, _ value: Int64?) {
            if let place = position(name) { cells[place] = value.map { .int($0) } ?? .null }
        }
        let isAllDay = time("IsAllDayEvent") == 1
        let ownDay = position("ActivityDate").flatMap { cells[$0].text }.flatMap { OrgDate($0)?.start }
        var start = isChanged("ActivityDateTime") && !isChanged("StartDateTime") ? time("ActivityDateTime") : nil
        start = start ?? time("StartDateTime") ?? time("ActivityDateTime")
        if isAllDay, let ownDay, start == nil || (isChanged("ActivityDate") && !isChanged("StartDateTime")) {
            start = ownDay
        }
        guard let start else { return }
        let takes = time("DurationInMinutes")
        var end = time("EndDateTime")
        // A new start or duration moves the end, unless the end is set too.
        if let takes, !isChanged("EndDateTime") || end == nil { end = start.plus(takes &* minute) }
        if end == nil, isAllDay { end = start.plus(day) }
        set("StartDateTime", start)
        set("ActivityDateTime", start)
        if let place = position("ActivityDate") { cells[place] = .text(OrgDate(start).text) }
        guard let end else { return }
        set("EndDateTime", end)
        set("DurationInMinutes", (end &- start) / minute)
    }
}
