// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncUpTargetSuite {
    /// Fetches the records of creations that were just pushed, as the engine does if their response was lost.
    ///
    /// - Parameter ids: the server's IDs of the records.
    func checkRecords(
        _ target: Target, _ batch: [RecordChange], _ ids: [String], _ report: inout SuiteReport
    ) async {
        let changes = zip(batch, ids).map { change, id in
            var change = change
            change.serverId = id
            return change
        }
        do {
            let records = try await target.serverRecords(of: changes, in: context(transport()))
            guard records.count == changes.count else {
                return report.note(
                    "serverRecords has \(records.count) records for \(changes.count) changes: return one for each, in their "
                        + "order, nil where the server has none")
            }
            for (change, record) in zip(changes, records) { check(record, of: change, target, &report) }
            // Records with other values are then requested as updates.
            let updates = changes.map { change in
                var change = change
                change.kind = .update
                return change
            }
            let count = try await target.serverRecords(of: updates, in: context(transport())).count
            report.require(
                count == updates.count,
                "serverRecords has \(count) records for \(updates.count) updates: return one for each, in their order, nil "
                    + "where the server has none")
        } catch let error as SoupError where error.code == .notSupported {
            return
        } catch {
            return report.note(
                "serverRecords threw \(error.quoted) and the server answers: return the records, or throw SoupError "
                    + "notSupported when they cannot be fetched")
        }
        await checkSilence("serverRecords", meaning: "has no such record, which would look deleted there", &report) {
            try await target.serverRecords(of: changes, in: $0).contains(nil)
        }
    }

    private func check(
        _ record: JSONText?, of change: RecordChange, _ target: Target, _ report: inout SuiteReport
    ) {
        let id = change.serverId ?? "none"
        guard let record else {
            return report.note(
                "serverRecords was asked for the record that the server just took as \(id), and says that there is none: "
                    + "return it, and let the suite's server answer the question")
        }
        guard let members = record.members else {
            return report.note("serverRecords gives no JSON object for \(id): return the fields of the record")
        }
        let part = target.layout?.parts.indices.contains(change.part) == true ? target.layout?.parts[change.part] : nil
        let dateField = part?.modificationDateField ?? target.modificationDateField
        let own = [part?.idField ?? target.idField, dateField, "attributes"]
        let sent = Set((change.record.members ?? []).map(\.key)).subtracting(own)
        report.require(
            members.contains { sent.contains($0.key) },
            "serverRecords tells none of the fields of \(id) that push just sent, so that nobody can know whether the server "
                + "has the record as it was sent: return at least the fields that a push of the change could send")
        report.require(
            members.first { $0.key == dateField }?.value.string.flatMap(Timestamp.parse) != nil,
            "serverRecords tells no modification date of \(id) in \(dateField): add it, written as Timestamp.format does"
        )
        let merge = RecordMerge(base: nil, local: change.record, remote: record, serverMembers: own)
        let others = merge.conflicts.filter { !holdsTemporaryId(change.record[JSONPath($0)]) }
        report.require(
            others.isEmpty,
            "serverRecords tells other values of \(id) in \(others.joined(separator: ", ")) than push just sent: return them "
                + "as entries hold them, or each creation whose answer was lost becomes a conflict")
    }

    private func holdsTemporaryId(_ value: JSONValue?) -> Bool { value?.idText.map(LocalId.isLocal) ?? false }
}
