// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The time from which the next query of a sync down starts.
///
/// A server dates a record inside a transaction, and other clients find the record only when the transaction is
/// committed. If a query ran in between, the date of the record can be earlier than the high-water mark. Therefore the
/// next query starts before the mark, at the time of the last query less the time that a transaction can take (the
/// lookback). If no record changed for longer than that, nothing is fetched again.
struct QueryStart: Sendable, Hashable {
    /// The longest time between the date of a change and its commit, in milliseconds.
    var lookback: Int64
    /// The earliest possible server time at which the query ran; `nil` if the server does not report it.
    var serverTime: Int64?
    /// The device's time at which the query began.
    var deviceTime: Int64
    /// Whether the query returned every change before ``serverTime``.
    var hasAllChanges: Bool

    /// Returns the start of the next query.
    ///
    /// - Parameters:
    ///   - mark: the high-water mark after this query; `nil` if the next query has to fetch all records.
    ///   - lowestSkipped: the lowest date of the records that have to be fetched again.
    ///   - start: the start of this query. The next one does not start earlier, because this query did not return such
    ///     records.
    func next(
        after mark: HighWaterMark?, lowestSkipped: Int64? = nil, from start: HighWaterMark?
    ) -> HighWaterMark? {
        guard var next = mark else { return nil }
        if let time = serverTime.flatMap({ ServerTime.earliest($0, deviceTime: deviceTime) }) {
            next = min(next, inclusive(time - lookback))
            // A record can be found by a later date than the one from which the mark follows, and would be found by
            // every query until the mark passes that date.
            if hasAllChanges { next = max(next, inclusive(time - lookback)) }
        } else if lookback > 0 {
            next = inclusive(next.milliseconds - lookback)
        }
        if let lowestSkipped { next = min(next, inclusive(lowestSkipped)) }
        return start.map { max(next, $0) } ?? next
    }

    private func inclusive(_ time: Int64) -> HighWaterMark { HighWaterMark(milliseconds: time, inclusive: true) }
}

/// The starts of the next query of a sync down, for each level of its records.
struct QueryStarts: Sendable, Hashable {
    /// The start for the first level; `nil` if the row has none.
    var first: HighWaterMark?
    /// The starts for the levels after the first; `nil` for a level of which all records have to be fetched.
    var levels: [HighWaterMark?] = []
    /// The device's time at which the last query began that looked back; `nil` before the first one.
    var lookedBack: Int64?

    /// The earliest start of the levels after the first, in milliseconds since 1970; `nil` without such levels.
    var earliestLevel: Int64? { levels.map { max(0, $0?.milliseconds ?? 0) }.min() }

    /// The member of a sync's row; `nil` if there is nothing to save.
    var json: JSONValue? {
        guard first != nil || lookedBack != nil || levels.contains(where: { $0 != nil }) else { return nil }
        var object: JSONObject = [:]
        object["first"] = first?.json
        if !levels.isEmpty { object["levels"] = .array(levels.map { $0?.json ?? .null }) }
        object["lookedBack"] = lookedBack.map { .int($0) }
        return .object(object)
    }

    init() {}

    /// Reads the member; invalid values count as missing.
    init(_ json: JSONValue?) {
        first = json?["first"].flatMap { HighWaterMark(json: $0) }
        levels = (json?["levels"]?.arrayValue ?? []).map { HighWaterMark(json: $0) }
        lookedBack = json?["lookedBack"]?.plausibleTime
    }

    /// Moves the starts back to a time; earlier ones stay.
    mutating func rewind(to time: Int64) {
        let limit = HighWaterMark(milliseconds: time, inclusive: true)
        first = first.map { min($0, limit) }
        levels = levels.map { $0.map { min($0, limit) } }
        lookedBack = nil
    }
}
