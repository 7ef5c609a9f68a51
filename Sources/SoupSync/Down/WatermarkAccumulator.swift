// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A summary of the modification dates of one level's records.
struct WatermarkAccumulator: Sendable, Hashable {
    /// The highest date before the ``QueryProgress/querySecond`` among the records that are in the store.
    var highest: Int64?
    /// Whether a record that is in the store has a date at or after the ``QueryProgress/querySecond``.
    var hasLaterChange = false
    /// The lowest date of the records that were skipped because of local changes.
    var lowestSkipped: Int64?
    /// Whether a skipped record has no readable date; the mark is then unknown and does not rise.
    var skippedWithoutDate = false

    /// Adds the date of a record.
    ///
    /// - Parameters:
    ///   - querySecond: see ``QueryProgress/querySecond``.
    ///   - latest: the latest plausible date; a later date does not move the mark.
    mutating func note(_ date: Int64?, isSkipped: Bool, querySecond: Int64?, latest: Int64) {
        if !isSkipped {
            if let date, let querySecond, date >= querySecond {
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

    /// Whether no record was skipped.
    var missesNothing: Bool { lowestSkipped == nil && !skippedWithoutDate }

    /// Adds the dates of other records.
    mutating func add(_ other: WatermarkAccumulator) {
        highest = [highest, other.highest].compactMap { $0 }.max()
        hasLaterChange = hasLaterChange || other.hasLaterChange
        lowestSkipped = [lowestSkipped, other.lowestSkipped].compactMap { $0 }.min()
        skippedWithoutDate = skippedWithoutDate || other.skippedWithoutDate
    }
}

extension WatermarkAccumulator {
    /// Writes the values to an object that is saved; values that are `nil` or `false` are omitted.
    func write(to object: inout JSONObject) {
        object["highest"] = highest.map { .int($0) }
        if hasLaterChange { object["hasLaterChange"] = true }
        object["lowestSkipped"] = lowestSkipped.map { .int($0) }
        if skippedWithoutDate { object["skippedWithoutDate"] = true }
    }

    /// Reads the values that ``write(to:)`` wrote; `nil` if a date is implausible.
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

/// The progress of the children of one level of a tree.
///
/// Their mark is the earliest date at which the server may have children that are missing in the store and whose
/// parents are in the store. A parent that has not been fetched yet is returned with all of its children. Therefore the
/// mark may be later than the dates of children that have not been fetched yet, but never later than the time of the
/// query for the parents.
struct LevelProgress: Sendable, Hashable {
    /// The mark of earlier runs.
    var base: HighWaterMark?
    /// The time from which the query started; see ``QueryStart``.
    var start: HighWaterMark?
    var seen = WatermarkAccumulator()

    /// Returns the mark after the last page.
    ///
    /// - Parameters:
    ///   - querySecond: see ``QueryProgress/querySecond``.
    ///   - isOver: whether no record with exactly this date can still be missing.
    func finalMark(_ querySecond: Int64?, isOver: (Int64) -> Bool) -> HighWaterMark? {
        let dates = [base?.milliseconds, seen.highest, seen.hasLaterChange ? querySecond : nil].compactMap { $0 }
        // If there are no children, none can be older than the query.
        guard !seen.skippedWithoutDate, let time = dates.max() ?? querySecond else { return base }
        if let held = held(below: time) { return held }
        if let base, base.milliseconds == time, !base.inclusive { return base }
        return HighWaterMark(milliseconds: time, inclusive: !isOver(time))
    }

    /// Returns the mark before the last page of a first query, from which another query would have to start.
    func firstMark(_ querySecond: Int64?) -> HighWaterMark? {
        guard base == nil, !seen.skippedWithoutDate, let querySecond else { return base }
        return held(below: querySecond) ?? HighWaterMark(milliseconds: querySecond, inclusive: true)
    }

    private func held(below time: Int64) -> HighWaterMark? {
        seen.lowestSkipped.flatMap { lowest in
            lowest <= time
                ? HighWaterMark(milliseconds: max(lowest, base?.milliseconds ?? lowest), inclusive: true) : nil
        }
    }
}

extension LevelProgress {
    /// Returns the levels as a JSON list that is saved with the query.
    static func json(_ levels: [LevelProgress]) -> JSONValue {
        .array(
            levels.map { level in
                var object: JSONObject = [:]
                object["from"] = level.base?.json
                object["start"] = level.start?.json
                level.seen.write(to: &object)
                return .object(object)
            })
    }

    /// Reads the list that ``json(_:)`` returned; `nil` for any other value.
    static func levels(_ json: JSONValue) -> [LevelProgress]? {
        guard let items = json.arrayValue else { return nil }
        var levels: [LevelProgress] = []
        for item in items {
            var level = LevelProgress()
            if let from = item["from"] {
                guard let mark = HighWaterMark(json: from) else { return nil }
                level.base = mark
                level.start = mark
            }
            if let start = item["start"] {
                guard let mark = HighWaterMark(json: start) else { return nil }
                level.start = mark
            }
            guard let seen = WatermarkAccumulator(item) else { return nil }
            level.seen = seen
            levels.append(level)
        }
        return levels
    }
}

extension HighWaterMark {
    /// The accepted dates; records can have dates before 1970.
    static let dates = -DateText.plausible.upperBound...DateText.plausible.upperBound

    var json: JSONValue { ["time": .int(milliseconds), "inclusive": .bool(inclusive)] }

    /// Reads a mark; `nil` if the value is not a mark or its time is implausible.
    init?(json: JSONValue) {
        guard let time = json["time"]?.intValue, Self.dates.contains(time) else { return nil }
        self.init(milliseconds: time, inclusive: json["inclusive"]?.boolValue ?? true)
    }
}
