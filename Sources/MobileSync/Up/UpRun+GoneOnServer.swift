// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// What becomes of changes where the server has deleted something.
extension UpRun {
    /// The parents that are gone and were not changed here, by what is below them.
    static func lostParents(_ asked: [AskedState], _ batch: PushBatch) -> [EntryKey: [PushMember]] {
        var gone: [Int: Set<EntryKey>] = [:]
        for asked in asked where !asked.member.isDirty && asked.state == .deleted {
            gone[asked.position, default: []].insert(asked.member.key)
        }
        return gone.reduce(into: [:]) { lost, unit in
            lost.merge(batch.open[unit.key].ancestors(among: unit.value)) { $1 }
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

    /// Asks about records that are to be made again before they are: creations that carry an id of the server.
    ///
    /// They were taken for gone with their parents, or by an answer of yesterday. One that is there is an update again,
    /// or clean when nothing was changed here; its unit leaves the batch and is sorted in anew. Without an answer they
    /// wait for the next run, as another one of a record cannot be taken back.
    ///
    /// - Throws: what the target throws, when no question gets through.
    mutating func settleRevived(_ batch: inout PushBatch) async throws {
        guard target.tellsServerStates else { return }
        let revived = batch.open.enumerated().flatMap { position, unit in
            unit.members.filter { $0.kind == .create && $0.serverId != nil && !unknownToServer.contains($0.key) }
                .map { AskedState(position: position, member: $0, state: .unknown) }
        }
        guard !revived.isEmpty else { return }
        let changes = revived.map { revived in
            RecordChange(
                .update, soup: revived.member.key.soup, entryId: revived.member.key.id,
                serverId: revived.member.serverId, record: revived.member.record, part: revived.member.part)
        }
        let states: [ServerState]
        do {
            states = try await target.serverStates(of: changes, in: context)
        } catch  where Self.endsRun(error) {
            throw error
        } catch {
            services.logger.warning("sync \(row.state.id): the server could not be asked what is gone: \(error)")
            let known = SoupError(wrapping: error)
            return batch.refuse(
                Set(revived.map(\.position)),
                because: PushFailure(code: known.code.rawValue, message: known.message, isRetryable: true))
        }
        let there = zip(revived, states).filter { _, state in if case .modified = state { true } else { false } }.map(
            \.0)
        unknownToServer.formUnion(zip(revived, states).filter { $1 == .deleted }.map(\.0.member.key))
        guard !there.isEmpty else { return }
        try await services.backend.write { writer in
            for member in there.map(\.member) {
                let base = try writer.syncedCopy(of: member.key).map {
                    SoupEntry(id: member.key.id, lastModified: 0, stored: $0).recordForServer
                }
                let stamp =
                    base == member.record ? Stamp.clean : Stamp.update.setting(EntryField.locallyCreated, .false)
                _ = try writer.stamp([EntryStamp(id: member.key.id, stamp: stamp)], in: member.key.soup)
            }
        }
        _ = try await withdraw(Set(there.map(\.position)), [], &batch)
    }
}
