// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The handling of changes to records that were deleted on the server.
extension UpRun {
    /// Returns the unchanged parents that were deleted on the server, by the members below them that need them.
    ///
    /// Deletions do not need a parent and are left out.
    static func lostParents(_ asked: [AskedState], _ batch: PushBatch) -> [EntryKey: [PushMember]] {
        var gone: [Int: Set<EntryKey>] = [:]
        for asked in asked where !asked.member.isDirty && asked.state == .deleted {
            gone[asked.position, default: []].insert(asked.member.key)
        }
        return gone.reduce(into: [:]) { lost, unit in
            let open = batch.open[unit.key]
            let deletions = Set(open.children.filter { $0.kind == .delete }.map(\.key))
            lost.merge(open.ancestors(among: unit.value).filter { !deletions.contains($0.key) }) { $1 }
        }
    }

    /// Completes deletions of records that are already deleted on the server.
    ///
    /// Units with such a member are removed from the batch and sorted again. A member stays if other changes are below
    /// it. Under LEAVE_IF_CHANGED, it also stays if there is any other change in its tree, because the tree is then
    /// refused as a whole.
    ///
    /// - Returns: the server states of the remaining units.
    mutating func settleGone(_ asked: [AskedState], _ batch: inout PushBatch) async throws -> [AskedState] {
        let gone = asked.filter { $0.member.kind == .delete && $0.state == .deleted }
        guard !gone.isEmpty else { return asked }
        var units: [Int: Set<EntryKey>] = [:]
        for asked in gone { units[asked.position, default: []].insert(asked.member.key) }
        let needed = units.reduce(into: Set<EntryKey>()) { needed, unit in
            let open = batch.open[unit.key]
            if self.mode == .leaveIfChanged,
                open.members.contains(where: { $0.isDirty && !unit.value.contains($0.key) })
            {
                return needed.formUnion(unit.value)
            }
            let above = open.ancestors(among: unit.value)
            for child in open.children where child.isDirty && !unit.value.contains(child.key) {
                needed.formUnion((above[child.key] ?? []).map(\.key))
            }
        }
        let settled = gone.filter { !needed.contains($0.member.key) }
        guard !settled.isEmpty else { return asked }
        let (layout, mode) = (layout, mode)
        let outcomes = try await services.backend.write { writer in
            var settling = OutcomeWriter(
                layout: layout, mergeMode: mode, writer: writer, recreatedBefore: [], unrepeatable: [])
            for asked in settled {
                try settling.settle(asked.member, .ok(), parentId: nil)
                try settling.settleFamily(asked.member, .ok())
            }
            try settling.settleNotes(of: [])
            return settling.outcomes
        }
        tell(outcomes)
        return try await withdraw(Set(settled.map(\.position)), asked, &batch)
    }

    /// Removes units from a batch and sorts them again.
    ///
    /// - Returns: those of the given states whose units remain, with their new positions.
    mutating func withdraw(
        _ positions: Set<Int>, _ asked: [AskedState], _ batch: inout PushBatch
    ) async throws -> [AskedState] {
        let roots = positions.map { batch.open[$0].root.key.id }
        let places = batch.open.indices.filter { !positions.contains($0) }
        let moved = Dictionary(uniqueKeysWithValues: places.enumerated().map { ($1, $0) })
        batch.refuse([:], withdrawing: positions)
        try await sort(roots.sorted())
        return asked.compactMap { asked in
            moved[asked.position].map {
                AskedState(position: $0, member: asked.member, state: asked.state, remote: asked.remote)
            }
        }
    }

    /// Checks records that are to be created again, and records that would follow them, on the server before they are
    /// sent.
    ///
    /// They were assumed to be deleted, with their parents or because of an outdated response. If such a record exists,
    /// its creation becomes an update, or it becomes clean if it has no local changes. An unchanged record below a
    /// parent that is created again is created again if it was deleted, and is left unchanged if another user has
    /// changed it since. The affected units are removed from the batch and sorted again. Without a response, they wait
    /// for the next run, because a second record could not be undone.
    ///
    /// - Throws: the target's error, if no request can succeed.
    mutating func settleRevived(_ batch: inout PushBatch) async throws {
        guard target.reportsServerStates else { return }
        let known = lookedUp
        let asked = batch.open.enumerated().flatMap { position, unit in
            unit.revived.filter { !known.contains($0.key) }.map { member in
                // The target gets an update, because a creation would have no ID.
                let change = RecordChange(
                    .update, soup: member.key.soup, entryId: member.key.id, serverId: member.serverId,
                    record: member.record, part: member.part)
                return (position: position, member: member, change: change)
            }
        }
        guard let told = try await askedStates(asked, &batch) else { return }
        let changes = try await services.backend.write { writer in
            try told.map { asked -> Stamp? in
                let member = asked.member
                let isUnchanged = try !member.isDirty || writer.syncedRecord(of: member.key) == member.record
                guard let stamp = asked.stamp(isUnchanged: isUnchanged) else { return nil }
                let isStamped = try writer.stamp(
                    [EntryStamp(id: member.key.id, stamp: stamp, ifVersion: member.version, otherwise: .none)],
                    in: member.key.soup)
                // An entry that was edited meanwhile is read and checked again.
                return isStamped.first == true ? stamp : Stamp.none
            }
        }
        for (asked, stamp) in zip(told, changes) {
            // A record that was checked once in this run keeps that result.
            if stamp != Stamp.none { lookedUp.insert(asked.member.key) }
            if stamp == .clean { settledElsewhere.insert(asked.member.key) }
        }
        let changed = Set(zip(told, changes).filter { $1 != nil }.map(\.0.position))
        if !changed.isEmpty { _ = try await withdraw(changed, [], &batch) }
    }
}

extension PushUnit {
    /// The creations that have a server ID, and the updates directly below them.
    fileprivate var revived: [PushMember] {
        let members = members
        return members.indices.filter { position in
            guard members[position].serverId != nil else { return false }
            let above = members[parent(of: position)]
            let follows = position > 0 && above.kind == .create && above.serverId != nil
            return members[position].kind == .create || members[position].kind == .update && follows
        }.map { members[$0] }
    }
}

extension UpRun.AskedState {
    /// Returns the corrected flags of a record that is to be created again, or would follow one; `nil` if they are
    /// correct.
    ///
    /// - Parameter isUnchanged: whether the record has no local changes.
    fileprivate func stamp(isUnchanged: Bool) -> Stamp? {
        switch (member.kind, state) {
        case (.create, .modified) where isUnchanged: .clean
        case (.create, .modified): Stamp.update.setting(EntryField.locallyCreated, .false)
        case (.update, .deleted) where isUnchanged: .creation
        case (.update, .modified) where isUnchanged && !UpRun.mayPush(member, over: state): .clean
        default: nil
        }
    }
}
