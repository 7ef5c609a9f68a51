// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The modification dates of records after a push.
///
/// Most servers confirm a change without its date, and the target uses the time of the response. If the request took
/// long, another user may have changed a record after this push and before that time; if the clock of a gateway is
/// ahead, also afterwards. Such a change would count as known, and the next push would overwrite it. Therefore the
/// entries first get the earliest possible date, together with the outcomes. Then the records are fetched, and compared
/// with the values that were sent.
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
        var earliest: JSONText
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
                    own.result == .ok, let date = own.modificationDate.flatMap({ DateText.milliseconds($0) }),
                    duration > Self.longDuration || abs(date - now) > Self.largeDifference
                else { return nil }
                var known = record
                known.id = own.serverId ?? record.id
                guard known.serverId != nil else { return nil }
                let format = plan.layout.levels[record.level].dateFormat
                return UncertainDate(
                    key: record.key, change: known.changeToLookUp,
                    earliest: format.value(ofMilliseconds: max(0, min(date, now) - duration)))
            }
        }
    }

    /// Fetches records, and replaces the earliest possible dates of their entries.
    ///
    /// If the server's record has other values than those that were sent, the date is that of no version: later edits
    /// are then compared with the server's version. Without a response, the dates stay.
    func confirm(_ uncertain: [UncertainDate]) async throws {
        guard !uncertain.isEmpty, services.usageAtLimit(of: plan.target.connectionName) == nil,
            let fetched = try? await fetch(uncertain.map(\.change))
        else { return }
        let layout = plan.layout
        let confirmed = zip(uncertain, fetched).compactMap { uncertain, fetched -> (UncertainDate, JSONText)? in
            let level = layout.levels[uncertain.change.level]
            guard let record = fetched.record, let different = differences(record, uncertain.change) else {
                return nil
            }
            let own = record.members?.first { $0.key == level.modificationDateField }?.value
            let date = different.isEmpty ? own : level.dateFormat.value(ofMilliseconds: 0)
            return date.map { (uncertain, $0) }
        }
        guard !confirmed.isEmpty else { return }
        let backend = services.backend
        try await shielded {
            try await backend.write { writer in
                for (uncertain, date) in confirmed {
                    let field = layout.levels[uncertain.change.level].modificationDateField
                    let entry = try writer.retrieve([uncertain.key.id], from: uncertain.key.soup).first
                    guard entry?[JSONPath(field)] == uncertain.earliest.value else { continue }
                    let stamp = RecordBatch.Stamp().setting(field, date)
                    _ = try writer.stamp([EntryStamp(id: uncertain.key.id, stamp: stamp)], in: uncertain.key.soup)
                }
            }
        }
    }
}
