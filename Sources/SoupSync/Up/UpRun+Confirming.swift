// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The modification dates of records after a push.
///
/// Most servers confirm a change without its date, and the target uses the time of the response. If the request took
/// long, another user may have changed a record after this push and before that time; if the clock of a gateway is
/// ahead, also afterwards. Such a change would count as known, and the next push would overwrite it. Therefore the
/// entries first get the earliest possible date, together with the outcomes. Then the records are fetched: an entry
/// without local changes gets the server's version, and one that was edited meanwhile gets its date, if it has the
/// values that were sent.
extension UpRun {
    /// The duration of a request from which the dates are checked, in milliseconds.
    private static let longDuration: Int64 = 2000
    /// The difference between the two clocks from which the dates are checked, in milliseconds.
    private static let largeDifference: Int64 = 300_000

    /// A record that the server has accepted, and whose date is uncertain.
    struct UncertainDate: Sendable {
        var key: EntryKey
        /// The change by which the record is fetched.
        var change: RecordChange
        /// The earliest possible date; `nil` if the server has reported none, and the entry keeps its date.
        var earliest: JSONText?

        /// Returns the date that the entry has after the outcomes were saved.
        func date(_ level: RecordLayout.Level) -> JSONValue? {
            earliest?.value ?? change.record[JSONPath(level.modificationDateField)]
        }
    }

    /// Returns the accepted records whose reported dates are uncertain.
    ///
    /// - Parameter duration: the duration of the longest request of the push in milliseconds.
    func uncertainDates(in results: [(PushTree, PushOutcome)], sentWithin duration: Int64) -> [UncertainDate] {
        guard plan.policy.detectsConflicts else { return [] }
        let now = services.clock.milliseconds
        return results.flatMap { tree, outcome in
            let outcomes = tree.outcomes(outcome)
            return tree.records.compactMap { record -> UncertainDate? in
                guard record.kind == .create || record.kind == .update, let own = outcomes[record.key],
                    own.result == .ok
                else { return nil }
                let level = plan.layout.levels[record.level]
                let date = own.modificationDate.flatMap { DateText.milliseconds($0) }
                let isCertain =
                    date.map { duration <= Self.longDuration && abs($0 - now) <= Self.largeDifference }
                    // Servers with versions need no dates.
                    ?? (level.versionField != nil)
                var known = record
                known.id = own.serverId ?? record.id
                guard !isCertain, known.serverId != nil else { return nil }
                return UncertainDate(
                    key: record.key, change: known.changeToLookUp,
                    earliest: date.map {
                        level.dateFormat.value(ofMilliseconds: max(0, min($0, now) - duration))
                    })
            }
        }
    }

    /// Fetches records, and replaces the earliest possible dates of their entries.
    ///
    /// If an entry was edited meanwhile, and the server's record has other values than those that were sent, the date
    /// is that of no version: the edit is then compared with the server's version. Without a response, the dates stay.
    func confirm(_ uncertain: [UncertainDate]) async throws {
        guard !uncertain.isEmpty, services.usageAtLimit(of: plan.target.connectionName) == nil,
            let fetched = try? await fetch(uncertain.map(\.change))
        else { return }
        let layout = plan.layout
        let found = zip(uncertain, fetched).compactMap { uncertain, fetched -> FoundDate? in
            fetched.record.map { FoundDate(uncertain: uncertain, record: $0) }
        }
        guard !found.isEmpty else { return }
        let backend = services.backend
        try await shielded {
            try await backend.write { writer in
                for found in found {
                    let (key, level) = (found.uncertain.key, layout.levels[found.uncertain.change.level])
                    guard let entry = try writer.retrieve([key.id], from: key.soup).first,
                        entry[JSONPath(level.modificationDateField)] == found.uncertain.date(level),
                        let stamp = found.stamp(for: entry, level)
                    else { continue }
                    _ = try writer.stamp([EntryStamp(id: key.id, stamp: stamp)], in: key.soup)
                }
            }
        }
    }

    /// A record with an uncertain date, as the server has it.
    private struct FoundDate: Sendable {
        var uncertain: UncertainDate
        var record: JSONText

        /// Returns the values that the entry gets; `nil` if the record has no date, or none of the members that were
        /// sent.
        func stamp(for entry: SoupEntry, _ level: RecordLayout.Level) -> RecordBatch.Stamp? {
            let field = level.modificationDateField
            guard let date = record.members?.first(where: { $0.key == field })?.value else { return nil }
            let version = LaterVersion(record, after: uncertain.change.record, level)
            guard let differences = version.differences else { return nil }
            if entry.flags.isClean { return version.values(for: entry).setting(field, date) }
            if differences.isEmpty, let news = version.news(for: entry) { return news.setting(field, date) }
            return RecordBatch.Stamp().setting(field, level.dateFormat.value(ofMilliseconds: 0))
        }
    }
}
