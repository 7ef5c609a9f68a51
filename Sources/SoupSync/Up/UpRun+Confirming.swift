// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// The modification dates of records after a push.
///
/// Most servers confirm a change without its date, and the target uses the time of the response. If the request took
/// long, another user may have changed a record after this push and before that time; if the clock of a gateway is
/// ahead, also afterwards. Such a change would count as known, and the next push would overwrite it. Therefore the
/// records are fetched, and compared with the values that were sent.
extension UpRun {
    /// The duration of a request from which the dates are checked, in milliseconds.
    private static let longDuration: Int64 = 2000
    /// The difference between the two clocks from which the dates are checked, in milliseconds.
    private static let largeDifference: Int64 = 300_000

    /// A record that the server has accepted, with the date that the target has reported.
    private struct Accepted: Sendable {
        var record: PushRecord
        var change: RecordChange
        var date: Int64
    }

    /// Returns the dates of the accepted records whose reported dates are uncertain.
    ///
    /// If the server's record has other values than those that were sent, the date is that of no version: later edits
    /// are then compared with the server's version.
    ///
    /// - Parameter duration: the duration of the longest request of the push in milliseconds.
    func confirmedDates(
        of results: [(PushTree, PushOutcome)], sentWithin duration: Int64
    ) async -> [EntryKey: JSONText] {
        guard plan.policy.detectsConflicts else { return [:] }
        let now = services.clock.milliseconds
        let uncertain = results.flatMap { accepted(in: $0, $1) }.filter {
            duration > Self.longDuration || abs($0.date - now) > Self.largeDifference
        }
        guard !uncertain.isEmpty else { return [:] }
        let fetched = (try? await fetch(uncertain.map(\.change))) ?? uncertain.map { _ in .unsupported }
        var dates: [EntryKey: JSONText] = [:]
        for (accepted, fetched) in zip(uncertain, fetched) {
            let level = plan.layout.levels[accepted.record.level]
            let different = fetched.record.flatMap { differences($0, accepted.change) }
            let date: JSONText?
            if let record = fetched.record, different?.isEmpty == true {
                date = record.members?.first { $0.key == level.modificationDateField }?.value
            } else if different != nil {
                date = level.dateFormat.value(ofMilliseconds: 0)
            } else {
                // The target cannot fetch the record: the earliest possible date.
                date = level.dateFormat.value(ofMilliseconds: max(0, min(accepted.date, now) - duration))
            }
            dates[accepted.record.key] = date
        }
        return dates
    }

    private func accepted(in tree: PushTree, _ outcome: PushOutcome) -> [Accepted] {
        let outcomes = tree.outcomes(outcome)
        return tree.records.compactMap { record in
            guard record.kind == .create || record.kind == .update, let own = outcomes[record.key], own.result == .ok,
                let date = own.modificationDate.flatMap({ DateText.milliseconds($0) })
            else { return nil }
            var known = record
            known.id = own.serverId ?? record.id
            guard known.serverId != nil else { return nil }
            return Accepted(record: record, change: known.changeToLookUp, date: date)
        }
    }
}
