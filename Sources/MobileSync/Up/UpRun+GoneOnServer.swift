// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What becomes of changes where the server has deleted something.
extension UpRun {
    /// The parents that are gone and were not changed here, by what is below them and needs them: no deletion does.
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

    /// Takes note of deletions of records that are gone already: both sides want the same.
    ///
    /// Units with such a member leave the batch and are sorted in anew. One that has something else below it stays, and
    /// under LEAVE_IF_CHANGED one with anything else in its tree, which is left alone as a whole.
    ///
    /// - Returns: what is known of the units that are left.
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

    /// Takes units out of a batch and sorts them in anew.
    ///
    /// - Returns: of what is known of members, that of the units that are left, at their new positions.
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

    /// Asks about records that are to be made again before they are, and about those that would follow them.
    ///
    /// They were taken for gone with their parents, or by an answer of yesterday. A creation that is there is an update
    /// again, or clean when nothing was changed here. What only follows a parent that is made again is made again with
    /// it when it is gone, and left alone when somebody has changed it since. Their units leave the batch and are
    /// sorted in anew. Without an answer they wait for the next run: a second record cannot be taken back.
    ///
    /// - Throws: what the target throws, when no question gets through.
    mutating func settleRevived(_ batch: inout PushBatch) async throws {
        guard target.tellsServerStates else { return }
        let known = lookedUp
        let asked = batch.open.enumerated().flatMap { position, unit in
            unit.revived.filter { !known.contains($0.key) }.map { member in
                // As a creation it would be one without an id.
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
                // One that was edited meanwhile is read anew, and asked about anew.
                return isStamped.first == true ? stamp : Stamp.none
            }
        }
        for (asked, stamp) in zip(told, changes) {
            // What was looked at once stays as it turned out, whatever it is now.
            if stamp != Stamp.none { lookedUp.insert(asked.member.key) }
            if stamp == .clean { settledElsewhere.insert(asked.member.key) }
        }
        let changed = Set(zip(told, changes).filter { $1 != nil }.map(\.0.position))
        if !changed.isEmpty { _ = try await withdraw(changed, [], &batch) }
    }
}

extension PushUnit {
    /// The creations that carry an id of the server, and the updates directly below them.
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
    /// How a record that is to be made again, or would follow one, is to be marked after all; nil when it is right.
    ///
    /// - Parameter isUnchanged: whether nothing was changed here.
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
