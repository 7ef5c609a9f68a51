// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

extension UpRun {
    /// For LEAVE_IF_CHANGED: completes updates that the server already has, although its version is newer.
    ///
    /// This is the state after a lost response: the server applied the update, but the entry was not marked as clean.
    /// Otherwise the entry would be refused forever, as older than its own update. Therefore the server's record is
    /// fetched. If it contains all values that would be sent, the entry becomes clean.
    ///
    /// Units with such a member are removed from the batch and sorted again.
    ///
    /// - Throws: the target's error, if no request can succeed.
    /// - Returns: the other members, which are really older, with the server's records.
    mutating func settleSame(_ newer: [AskedState], _ batch: inout PushBatch) async throws -> [AskedState] {
        let newer = try await fetched(newer)
        let same = newer.compactMap { asked -> (AskedState, JSONText)? in
            guard asked.member.kind == .update, let record = asked.remote else { return nil }
            return isSame(asked.member, record) ? (asked, record) : nil
        }
        guard !same.isEmpty else { return newer }
        let layout = layout
        let settled = try await services.backend.write { writer in
            try ConflictStore.clear(same.map(\.0.member.key), in: writer)
            return try same.filter { asked, record in
                let field = layout.parts[asked.member.part].modificationDateField
                let date = Stamp().setting(field, record.members?.first { $0.key == field }?.value)
                // An edit that was made meanwhile is based on the server's version.
                let stamp = EntryStamp(
                    id: asked.member.key.id, stamp: Stamp.clean.merging(date), ifVersion: asked.member.version,
                    otherwise: date)
                return try writer.stamp([stamp], in: asked.member.key.soup).first == true
            }
        }
        let positions = Set(same.map(\.0.position))
        for (asked, _) in settled { settleHere(asked.member) }
        return try await withdraw(positions, newer, &batch)
    }

    /// Whether the server's record contains all values that a push of the entry would send.
    private func isSame(_ member: PushMember, _ record: JSONText) -> Bool {
        let server = EntryMerge.serverMembers(layout.parts[member.part])
        let isTold = record.members?.contains { !server.contains($0.key) } ?? false
        return isTold
            && RecordMerge(base: nil, local: member.record, remote: record, serverMembers: server).conflicts.isEmpty
    }

    /// Returns the states with the server's records, or without them if they cannot be fetched.
    ///
    /// Without a record, the change is refused as newer on the server.
    private func fetched(_ newer: [AskedState]) async throws -> [AskedState] {
        let there = newer.indices.filter { newer[$0].member.isDirty && newer[$0].state != .deleted }
        guard !there.isEmpty else { return newer }
        do {
            let records = try await target.serverRecords(of: there.map { newer[$0].member.change() }, in: context)
            guard records.count == there.count else { return newer }
            var fetched = newer
            for (position, record) in zip(there, records) { fetched[position].remote = record }
            return fetched
        } catch  where Self.endsRun(error) {
            throw error
        } catch {
            services.logger.info("sync \(row.state.id): the server's versions cannot be looked at: \(error)")
            return newer
        }
    }
}
