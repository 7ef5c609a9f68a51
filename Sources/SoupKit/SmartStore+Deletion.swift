// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupStore
public import SoupCore

/// The result of deleting one entry.
public enum EntryDeletionResult: String, Sendable, Hashable {
    /// The entry is marked; the next sync up deletes the record on the server.
    case marked
    /// The entry was removed from the store.
    case removed
    /// The soup has no such entry.
    case absent
}

extension SmartStore {
    /// Deletes entries, and returns whether each was marked or removed.
    ///
    /// Runs in one transaction.
    ///
    /// - Parameter markingSynced: whether a synced entry, as shown by its local flags, is only marked, so that the next
    ///   sync up also deletes the record on the server. Every other entry is removed.
    /// - Returns: the result for each entry, in the order of the IDs.
    /// - Throws: ``SoupError``: `soupNotFound`; with `markingSynced`, `entryDamaged` for an entry whose stored text is
    ///   damaged, because it is unknown whether the entry is synced. Then nothing is changed.
    public func delete(
        _ ids: [Int64], from soup: SoupName, markingSynced: Bool
    ) async throws -> [(id: Int64, result: EntryDeletionResult)] {
        try await write { writer in
            let entries = Dictionary(try writer.retrieve(ids, from: soup).map { ($0.id, $0) }) { first, _ in first }
            if markingSynced, let damage = ids.lazy.compactMap({ entries[$0]?.damage(in: soup) }).first { throw damage }
            let synced = entries.values.filter { markingSynced && $0[JSONPath(EntryField.local)] != nil }
            let marked = Set(synced.map(\.id))
            let mark = RecordBatch.Stamp([.init(EntryField.local, .true), .init(EntryField.locallyDeleted, .true)])
            _ = try writer.stamp(marked.sorted().map { EntryStamp(id: $0, stamp: mark) }, in: soup)
            try writer.remove(entries.keys.filter { !marked.contains($0) }, from: soup)
            return ids.map { id in
                (id, entries[id] == nil ? .absent : marked.contains(id) ? .marked : .removed)
            }
        }
    }
}
