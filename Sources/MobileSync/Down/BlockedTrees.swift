// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The trees that a page must leave alone, because somewhere in them are local changes: the parent, or any child of it in
/// the store, also one that the server does not know yet.
struct BlockedTrees {
    /// Ids of parents.
    private var parentIds: Set<String> = []

    /// None.
    init() {}

    /// Judges by the entries as they are in this transaction.
    init(_ fetched: FetchedPage, _ layout: RecordLayout, _ guarding: WriteGuard, in reader: any StoreReader) throws {
        for (position, part) in layout.parts.enumerated() {
            let dirty = try Self.guarded(part.soup, by: guarding, in: reader)
            guard !dirty.isEmpty else { continue }
            var dirtyIds: Set<String> = []
            for entry in dirty {
                if let parentIdField = part.parentIdField {
                    if let id = entry[JSONPath(parentIdField)]?.idText { parentIds.insert(id) }
                    if let id = entry[JSONPath(part.idField)]?.idText { dirtyIds.insert(id) }
                } else if let id = entry[JSONPath(part.idField)]?.idText {
                    parentIds.insert(id)
                }
            }
            // A child that was moved locally blocks the parent that the server has it under, too.
            guard part.parentIdField != nil, position < fetched.facts.count else { continue }
            let facts = fetched.facts[position]
            for (id, parentId) in zip(facts.ids, facts.parentIds) {
                if let id, dirtyIds.contains(id), let parentId { parentIds.insert(parentId) }
            }
        }
    }

    /// Whether a record of the page belongs to such a tree.
    func contains(_ index: Int, of part: Int, _ fetched: FetchedPage) -> Bool {
        guard !parentIds.isEmpty else { return false }
        let facts = fetched.facts[part]
        let id = facts.parentIds.isEmpty ? facts.ids[index] : facts.parentIds[index]
        return id.map { parentIds.contains($0) } ?? false
    }

    /// The entries of a soup that the guard protects.
    private static func guarded(
        _ soup: SoupName, by guarding: WriteGuard, in reader: any StoreReader
    ) throws -> [SoupEntry] {
        guard guarding != .none else { return [] }
        let dirty = try reader.retrieve(try reader.dirtyIds(in: soup), from: soup)
        if case .dirtySince(let time) = guarding { return dirty.filter { $0.lastModified >= time } }
        return dirty
    }
}
