// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension UpWriter {
    /// Applies the answer to a creation that was looked up on the server.
    mutating func resolve(_ lost: LostCreation, _ answer: LostCreation.Answer) throws {
        let record = relinker.relinked(lost.entry)
        let level = plan.layout.levels[record.level]
        if lost.identity == .foreignKey, let id = answer.serverId,
            let other = try entries.copy(of: record, serverId: id), other.version < lost.mark.version
        {
            return try setUnknown(record, .idOfAnotherEntry(id, other.id))
        }
        switch lost.decision(answer, detectsConflicts: plan.policy.detectsConflicts, of: level) {
        case .adopt(let serverId, var date):
            var values = RecordBatch.Stamp().setting(EntryField.lastError, nil)
            if case .found(_, let found?) = answer, let entry = try entries.entry(record.key) {
                if let news = LaterVersion(found, after: record.record, level).news(for: entry) {
                    values = values.merging(news)
                } else {
                    date = level.dateFormat.value(ofMilliseconds: 0)
                }
            }
            if let date { values = values.setting(level.modificationDateField, date) }
            // The server can have changed the record since, so its version is that of other values.
            values = values.merging(level.stamp(ofVersion: nil))
            guard try adopt(serverId, for: record, values: values, latest: .copy) else { return }
            confirm(record.key)
            try relinker.relink(record, to: serverId)
            report(record, as: .ok, id: serverId)
        case .update(let serverId, let remote): try becomeUpdate(record, of: serverId, remote)
        case .wait(let failure): try setUnknown(record, failure)
        case .send: break
        }
    }

    /// Turns a creation into an update, because its external ID belongs to a record with other values.
    ///
    /// The update did not start from any version of the server, so it counts as older than all of them.
    /// A policy that detects conflicts leaves it as a conflict for the user. Any other policy pushes it; its synced
    /// copy is then the server's current version.
    private mutating func becomeUpdate(_ record: PushRecord, of serverId: String, _ remote: JSONText) throws {
        let level = plan.layout.levels[record.level]
        let values = RecordBatch.Stamp().setting(EntryField.lastError, nil)
            .setting(level.modificationDateField, level.dateFormat.value(ofMilliseconds: 0))
            .merging(level.stamp(ofVersion: nil))
        guard try adopt(serverId, for: record, values: values, latest: .neither) else { return }
        try relinker.relink(record, to: serverId)
        guard plan.keepsSyncedCopies, !plan.policy.detectsConflicts, try entries.entry(record.key) != nil else {
            return
        }
        let id = (name: level.idField, value: try writer.idValue(serverId, at: level.idField, in: record.key.soup))
        let copy = RecordMerge.overlay(.object([id]), over: RecordMerge.overlay(remote, over: record.record))
        try writer.setSyncedCopies([record.key.id: copy], in: record.key.soup)
    }
}
