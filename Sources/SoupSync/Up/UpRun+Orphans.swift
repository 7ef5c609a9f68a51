// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Changed children whose parents are not in the store.
extension UpRun {
    /// Updates children that an app created with a parent ID that has been replaced since.
    ///
    /// - Returns: whether there were any.
    func relink(_ children: [PushRecord]) async throws -> Bool {
        let layout = plan.layout
        let found = try await services.backend.read { reader in
            try children.compactMap { try Self.newParent(of: $0, layout: layout, in: reader) }
        }
        guard !found.isEmpty else { return false }
        let keepsSyncedCopies = plan.keepsSyncedCopies
        return try await services.backend.write { writer in
            let entries = EntryWriter(layout: layout, writer: writer, keepsSyncedCopies: keepsSyncedCopies)
            for (record, field, id) in found {
                let link = RecordBatch.Stamp().setting(field, try writer.idValue(id, at: field, in: record.key.soup))
                try entries.stamp(record, link, ifEdited: .none)
            }
            return true
        }
    }

    /// Returns the parent field of a child and the parent's current ID; `nil` if the ID was not replaced.
    private static func newParent(
        of record: PushRecord, layout: RecordLayout, in reader: any StoreReader
    ) throws -> (record: PushRecord, field: String, id: String)? {
        let level = layout.levels[record.level]
        guard let field = level.parentIdField, let old = record.record[JSONPath(field)]?.idText,
            let id = try ReplacedIds.currentId(of: old, in: layout.levels[level.parentLevel].soup, reader)
        else { return nil }
        return (record, field, id)
    }

    /// Reports the children without a parent as failed, because they cannot be pushed.
    mutating func fail(_ orphans: [PushRecord]) async throws {
        guard !orphans.isEmpty else { return }
        try await write { writer in
            for orphan in orphans { try writer.fail(orphan, .noParent) }
            writer.finish(trees: orphans.count)
        }
    }
}
