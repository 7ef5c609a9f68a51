// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncUpTargetSuite {
    /// Fetches the records of creations that were just pushed, as the engine does if their response was lost.
    ///
    /// - Parameter ids: the server's IDs of the records.
    func checkRecords(
        _ target: Target, of batch: [RecordChange], ids: [String], _ report: inout SuiteReport
    ) async {
        let changes = zip(batch, ids).map { change, id in
            var change = change
            change.serverId = id
            return change
        }
        do {
            guard let records = try await target.serverRecords(of: changes, in: context(transport())) else { return }
            guard records.count == changes.count else {
                return report.note(
                    "serverRecords returned \(records.count) results for \(changes.count) changes: return one for each change, in "
                        + "order, and nil if the server has no such record")
            }
            for (change, record) in zip(changes, records) { check(record, of: change, from: target, &report) }
            // Records with other values are then requested as updates.
            let updates = changes.map { change in
                var change = change
                change.kind = .update
                return change
            }
            let again = try await target.serverRecords(of: updates, in: context(transport()))
            guard let count = again?.count else { return }
            report.require(
                count == updates.count,
                "serverRecords returned \(count) results for \(updates.count) updates: return one for each change, in order, "
                    + "and nil if the server has no such record")
        } catch {
            return report.note(
                "serverRecords threw \(error.quoted), although the server responds: return the records, or return nil in "
                    + "place of the list if they cannot be fetched")
        }
        await checkUnusableResponses(
            to: "serverRecords", consequence: "it would count as deleted on the server", &report
        ) {
            try await target.serverRecords(of: changes, in: $0)?.contains(nil) ?? false
        }
    }

    private func check(
        _ record: JSONText?, of change: RecordChange, from target: Target, _ report: inout SuiteReport
    ) {
        let id = change.serverId ?? "none"
        guard let record else {
            return report.note(
                "the server just accepted a creation as \(id), and serverRecords returned nil for it: return the record, and "
                    + "let the suite's server respond to the request for it")
        }
        guard let members = record.members else {
            return report.note(
                "serverRecords did not return a JSON object for \(id): return the fields of the record as an object")
        }
        let level = level(of: change, target)
        let dateField = level?.modificationDateField ?? target.modificationDateField
        let versionField = level.map(\.versionField) ?? target.versionField
        let own =
            [level?.idField ?? target.idField, dateField] + (versionField.map { [$0] } ?? [])
            + RecordMetadata.names(in: [change.record, record])
        let format = level?.dateFormat ?? target.dateFormat
        let sent = Set((change.record.members ?? []).map(\.key)).subtracting(own)
        report.require(
            members.contains { sent.contains($0.key) },
            "serverRecords returned none of the fields of \(id) that push just sent, so the engine cannot compare the record "
                + "with the change: return at least the fields that a push of the change can send")
        report.require(
            format.milliseconds(in: members.first { $0.key == dateField }?.value) != nil,
            "serverRecords returned no valid modification date of \(id) in \(dateField): add the date, in the form of "
                + "dateFormat"
        )
        let merge = RecordMerge(base: nil, local: change.record, remote: record, serverMembers: own)
        let others = merge.conflicts.filter { !holdsTemporaryId(change.record[JSONPath($0)]) }
        report.require(
            others.isEmpty,
            "serverRecords returned other values of \(id) in \(others.joined(separator: ", ")) than push just sent: return "
                + "values in the form that entries contain, because a creation whose response was lost becomes a conflict "
                + "otherwise")
    }

    private func holdsTemporaryId(_ value: JSONValue?) -> Bool { value?.idText.map(LocalId.isLocal) ?? false }
}
