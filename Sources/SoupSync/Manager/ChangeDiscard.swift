// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An operation that discards the local changes of entries, inside one transaction.
struct ChangeDiscard {
    /// The layouts of all trees that the soup belongs to, which define the children of entries.
    let layouts: [RecordLayout]
    let writer: any StoreWriter

    /// Discards the local changes of an entry.
    ///
    /// - Throws: ``SoupError``: `entryNotFound`, `outcomeUnknown`, `hasChildren`, `noSyncedCopy`.
    func discard(_ key: EntryKey) throws -> SyncManager.Discarded {
        let entry = try writer.entry(key.id, of: key.soup)
        let flags = entry.flags
        guard flags.isDirty else { return .unchanged }
        try checkIsNotInFlight(key)
        if flags.created {
            try checkHasNoChildren(entry, key)
            try writer.remove([key.id], from: key.soup)
        } else if let base = try writer.syncedCopy(of: key) {
            // A sync down does not fetch the version of a conflict again.
            let note = try ConflictStore.note(of: key, in: writer)
            let remote = note.flatMap { $0.hasServerValues ? $0.remote : nil }
            let current = remote.map { RecordMerge.overlay($0, over: base) } ?? base
            try EntryMerge(writer: writer, decide: { _ in .unresolved }).restore(current, key)
        } else if flags.deleted, !flags.updated {
            _ = try writer.stamp([EntryStamp(id: key.id, stamp: .clean)], in: key.soup)
        } else {
            throw SoupError(
                .noSyncedCopy,
                "entry \(key.id) of soup \"\(key.soup)\" has no synced copy from before its local changes",
                hint:
                    "Delete the entry with `soup delete \(key.soup) \(key.id) --now` or delete(_:from:). Then fetch the "
                    + "server's record with `soup sync NAME --renew` or redefine(_:).")
        }
        try ConflictStore.clear(key, in: writer)
        return flags.created ? .removed : .restored
    }

    /// Throws if the entry has an in-flight mark, because the server may already have the record.
    private func checkIsNotInFlight(_ key: EntryKey) throws {
        let marks = try InFlightCreates.marks(of: [key.soup], in: writer)
        guard let mark = marks.first(where: { $0.key == key }) else { return }
        // Even a repeatable creation may already be on the server. Sending it again resolves the question.
        let rest =
            mark.isRepeatable
            ? "" : " If the outcome stays unknown, resolve the entry with `soup resolve` or resolveUnknown()."
        throw SoupError(
            .outcomeUnknown,
            "entry \(key.id) of soup \"\(key.soup)\" was sent to the server, and its outcome is unknown",
            hint: "Sync up again.\(rest)")
    }

    /// Throws if a creation has children in the store; without their parent they could never be pushed.
    private func checkHasNoChildren(_ entry: SoupEntry, _ key: EntryKey) throws {
        for (layout, own) in layouts.flatMap({ $0.places(of: key.soup) }) {
            let reader = TreeReader(layout: layout)
            let id = entry[JSONPath(layout.levels[own].idField)]?.idText
            for position in layout.children(of: own) {
                let level = layout.levels[position]
                let children = try reader.children(of: id, level: level, in: writer)
                guard !children.isEmpty else { continue }
                let ids = children.prefix(10).map { String($0.id) }.joined(separator: " ")
                throw SoupError(
                    .hasChildren,
                    "\(children.count) entries of soup \"\(level.soup)\" are children of entry \(key.id) of soup "
                        + "\"\(key.soup)\"",
                    hint: "Discard them first, or move them to another parent: soup discard \(level.soup) \(ids)")
            }
        }
    }
}
