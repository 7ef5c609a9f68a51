// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Dirty children whose parents are not in the store.
extension UpRun {
    /// Updates children that an app created with a parent ID that has been replaced since.
    ///
    /// - Returns: whether there were any.
    func bringHome(_ orphans: [UnitReader.Orphan]) async throws -> Bool {
        let layout = layout
        let mode = mode
        let found = try await services.backend.read { reader in
            try orphans.compactMap { try Self.way(home: $0, layout, reader) }
        }
        guard !found.isEmpty else { return false }
        return try await services.backend.write { writer in
            let settling = OutcomeWriter(
                layout: layout, mergeMode: mode, writer: writer, recreatedBefore: [], unrepeatable: [])
            for (member, field, id) in found {
                let stamp = Stamp().setting(field, try settling.value(id, at: field, in: member.key.soup))
                try settling.stamp(member, stamp, otherwise: .none)
            }
            return true
        }
    }

    /// Returns the parent field of an orphan and the parent's current ID; `nil` if the ID was not replaced.
    private static func way(
        home orphan: UnitReader.Orphan, _ layout: RecordLayout, _ reader: any StoreReader
    ) throws -> (member: PushMember, field: String, id: String)? {
        let member = orphan.member
        let part = layout.parts[member.part]
        guard !orphan.isLocalOnly, let field = part.parentIdField,
            let old = member.record[JSONPath(field)]?.idText,
            let id = try ReplacedIds.successor(of: old, in: layout.parts[part.parentPart].soup, reader)
        else { return nil }
        return (member, field, id)
    }

    /// Reports the children without a parent as failed, because they cannot be pushed.
    mutating func settle(_ orphans: [UnitReader.Orphan]) async throws {
        guard !orphans.isEmpty else { return }
        let layout = layout
        let mode = mode
        let outcomes = try await services.backend.write { writer in
            var settling = OutcomeWriter(
                layout: layout, mergeMode: mode, writer: writer, recreatedBefore: [], unrepeatable: [])
            for orphan in orphans {
                if orphan.isLocalOnly {
                    let deletion = EntryDeletion(id: orphan.member.key.id, ifVersion: orphan.member.version)
                    _ = try writer.delete([deletion], from: orphan.member.key.soup)
                    settling.tell(orphan.member, .ok, nil)
                } else {
                    try settling.fail(orphan.member, .noParent)
                }
            }
            return settling.outcomes
        }
        done += orphans.count
        tell(outcomes)
    }
}
