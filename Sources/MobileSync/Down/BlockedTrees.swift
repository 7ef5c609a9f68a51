// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The trees that a page must leave alone, because somewhere in them are local changes: the parent, or any child of it
/// in the store, also one that the server does not know yet.
struct BlockedTrees {
    /// Ids of parents.
    private var parentIds: Set<String> = []

    /// None.
    init() {}

    /// Judges by the entries as they are in this transaction.
    ///
    /// It answers for the trees of this page, and costs no more than the page does, however many local changes there
    /// are.
    init(_ fetched: FetchedPage, _ layout: RecordLayout, _ guarding: WriteGuard, in reader: any StoreReader) throws {
        guard guarding != .none else { return }
        let named = fetched.facts.enumerated().flatMap { position, facts in
            layout.parts[position].parentIdField == nil ? facts.ids : facts.parentIds
        }
        let parents = Set(named.compactMap { $0 })
        for (position, part) in layout.parts.enumerated() {
            let facts = position < fetched.facts.count ? fetched.facts[position] : FetchedPage.Facts()
            let isChild = part.parentIdField != nil
            let ids = isChild ? Set(facts.ids.compactMap { $0 }) : parents
            let search = GuardedEntries(part: part, ids: ids, parentIds: isChild ? parents : [], guarding: guarding)
            var dirtyIds: Set<String> = []
            for entry in try search.found(in: reader) {
                if let parentIdField = part.parentIdField {
                    if let id = entry[JSONPath(parentIdField)]?.idText { parentIds.insert(id) }
                    if let id = entry[JSONPath(part.idField)]?.idText { dirtyIds.insert(id) }
                } else if let id = entry[JSONPath(part.idField)]?.idText {
                    parentIds.insert(id)
                }
            }
            // A child that was moved locally blocks the parent that the server has it under, too.
            guard isChild else { continue }
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
}

/// The search for the entries of a soup that the guard protects and that have to do with a page.
private struct GuardedEntries {
    var part: RecordLayout.Part
    /// Ids that count.
    var ids: Set<String>
    /// Ids of parents whose children count.
    var parentIds: Set<String>
    var guarding: WriteGuard

    /// All that count, and perhaps some more.
    func found(in reader: any StoreReader) throws -> [SoupEntry] {
        let dirty = try reader.dirtyIds(in: part.soup)
        guard !dirty.isEmpty else { return [] }
        let entries =
            try dirty.count > ids.count + parentIds.count && isIndexed(in: reader)
            ? entries(among: Set(dirty), in: reader) : reader.retrieve(dirty, from: part.soup)
        if case .dirtySince(let time) = guarding { return entries.filter { $0.lastModified >= time } }
        return entries
    }

    /// Whether the soup can be asked for each id; nobody is obliged to index the parents of children.
    private func isIndexed(in reader: any StoreReader) throws -> Bool {
        let indexed = try reader.indexSpecs(of: part.soup).map(\.path.rawValue)
        return indexed.contains(part.idField) && part.parentIdField.map(indexed.contains) != false
    }

    private func entries(among dirty: Set<Int64>, in reader: any StoreReader) throws -> [SoupEntry] {
        var found: [Int64: SoupEntry] = [:]
        var questions = ids.map { (part.idField, $0) }
        if let parentIdField = part.parentIdField { questions += parentIds.map { (parentIdField, $0) } }
        for (field, id) in questions {
            let spec = QuerySpec.exact(part.soup, JSONPath(field), .string(id), pageSize: 500)
            var page = 0
            var entries: [SoupEntry]
            repeat {
                entries = try reader.query(spec, page: page).entries
                for entry in entries where dirty.contains(entry.id) { found[entry.id] = entry }
                page += 1
            } while entries.count == spec.pageSize
        }
        return Array(found.values)
    }
}
