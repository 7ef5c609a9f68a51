// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What the modification dates of the records of one part have shown.
struct SeenDates: Sendable, Hashable {
    /// The highest date before the horizon of the records that are in the store.
    var highest: Int64?
    /// Whether a record that is in the store has a date of the horizon or later.
    var hasLaterChange = false
    /// The lowest date of the records that local changes kept out.
    var lowestSkipped: Int64?
    /// Whether a record was kept out that has no readable date: then the mark cannot be told and does not rise.
    var skippedWithoutDate = false

    /// Takes note of the date of a record.
    ///
    /// - Parameters:
    ///   - horizon: see ``SavedPage/horizon``.
    ///   - latest: a later date cannot be right, and does not move the mark.
    mutating func note(_ date: Int64?, isSkipped: Bool, horizon: Int64?, latest: Int64) {
        if !isSkipped {
            if let date, let horizon, date >= horizon {
                hasLaterChange = true
            } else if let date, date <= latest {
                highest = max(highest ?? date, date)
            }
        } else if let date {
            lowestSkipped = min(lowestSkipped ?? date, date)
        } else {
            skippedWithoutDate = true
        }
    }

    /// Takes note of what other records have shown.
    mutating func add(_ other: SeenDates) {
        highest = [highest, other.highest].compactMap { $0 }.max()
        hasLaterChange = hasLaterChange || other.hasLaterChange
        lowestSkipped = [lowestSkipped, other.lowestSkipped].compactMap { $0 }.min()
        skippedWithoutDate = skippedWithoutDate || other.skippedWithoutDate
    }
}

extension SeenDates {
    /// Adds what was seen to an object that is saved; what is nil or false takes no room.
    func write(to object: inout JSONObject) {
        object["highest"] = highest.map { .int($0) }
        if hasLaterChange { object["hasLaterChange"] = true }
        object["lowestSkipped"] = lowestSkipped.map { .int($0) }
        if skippedWithoutDate { object["skippedWithoutDate"] = true }
    }

    /// Reads what ``write(to:)`` added; nil for dates that cannot be.
    init?(_ json: JSONValue) {
        for key in ["highest", "lowestSkipped"] {
            guard json[key] == nil || json[key]?.intValue.map(HighWaterMark.dates.contains) == true else { return nil }
        }
        highest = json["highest"]?.intValue
        hasLaterChange = json["hasLaterChange"]?.boolValue ?? false
        lowestSkipped = json["lowestSkipped"]?.intValue
        skippedWithoutDate = json["skippedWithoutDate"]?.boolValue ?? false
    }
}

/// How far the children of one part of a tree have come.
///
/// Their mark answers: from which date on may the server have children that the store has not, of parents that *are* in
/// the store? A parent that is still to come brings all of its children with it. So the mark may pass the dates of
/// children that have not come yet, but never the moment in which the query for the parents ran.
struct PartProgress: Sendable, Hashable {
    /// The mark that the query started from.
    var base: HighWaterMark?
    var seen = SeenDates()

    /// The mark after the last page.
    ///
    /// - Parameters:
    ///   - horizon: the beginning of the second in which the query ran.
    ///   - isOver: whether no record can be missing any more that has exactly this date.
    func finalMark(_ horizon: Int64?, isOver: (Int64) -> Bool) -> HighWaterMark? {
        guard !seen.skippedWithoutDate,
            // Without any child there is nothing older than the query.
            let time = [base?.time, seen.highest, seen.hasLaterChange ? horizon : nil].compactMap({ $0 }).max()
                ?? horizon
        else { return base }
        if let held = held(below: time) { return held }
        if let base, base.time == time, !base.inclusive { return base }
        return HighWaterMark(time: time, inclusive: !isOver(time))
    }

    /// The mark in the middle of a first query, from which another one would have to start.
    func firstMark(_ horizon: Int64?) -> HighWaterMark? {
        guard base == nil, !seen.skippedWithoutDate, let horizon else { return base }
        return held(below: horizon) ?? HighWaterMark(time: horizon, inclusive: true)
    }

    private func held(below time: Int64) -> HighWaterMark? {
        seen.lowestSkipped.flatMap { lowest in
            lowest <= time ? HighWaterMark(time: max(lowest, base?.time ?? lowest), inclusive: true) : nil
        }
    }
}

extension PartProgress {
    /// The parts as a list that can be saved beside a query.
    static func json(_ parts: [PartProgress]) -> JSONValue {
        .array(
            parts.map { part in
                var object: JSONObject = [:]
                object["from"] = part.base?.json
                part.seen.write(to: &object)
                return .object(object)
            })
    }

    /// Reads what ``json(_:)`` wrote; nil when it is something else.
    static func parts(_ json: JSONValue) -> [PartProgress]? {
        guard let items = json.arrayValue else { return nil }
        var parts: [PartProgress] = []
        for item in items {
            var part = PartProgress()
            if let from = item["from"] {
                guard let mark = HighWaterMark(json: from) else { return nil }
                part.base = mark
            }
            guard let seen = SeenDates(item) else { return nil }
            part.seen = seen
            parts.append(part)
        }
        return parts
    }
}

extension HighWaterMark {
    /// Dates of records go back before 1970.
    static let dates = -Timestamp.plausible.upperBound...Timestamp.plausible.upperBound

    var json: JSONValue { ["time": .int(time), "inclusive": .bool(inclusive)] }

    /// Nil for what is no mark, or one of a time that cannot be.
    init?(json: JSONValue) {
        guard let time = json["time"]?.intValue, Self.dates.contains(time) else { return nil }
        self.init(time: time, inclusive: json["inclusive"]?.boolValue ?? true)
    }
}
