// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The trees that a page must leave alone, because somewhere in them are local changes: the root, or anything below it
/// in the store, also what the server does not know yet.
struct BlockedTrees {
    /// The ids of their roots.
    private var blocked: Set<String> = []
    /// The ids of the roots of each record of the page, by parts, where the page has it and where the store has it.
    private var roots: [[Set<String>]] = []
    /// The ids of the roots that are in the page themselves.
    private var ownRoots: Set<String> = []

    /// The records whose parent is neither in the page nor in the store, by parts.
    ///
    /// The parent was left alone, or is newer than the query for its kind: such a record comes again with it.
    private var homeless: [Int: Set<Int>] = [:]

    /// None.
    init() {}

    /// Judges by the entries as they are in this transaction.
    ///
    /// It answers for the trees of this page. For children of roots it costs no more than the page does, however many
    /// local changes there are; further down each local change is followed to its root.
    init(_ fetched: FetchedPage, _ layout: RecordLayout, _ guarding: WriteGuard, in reader: any StoreReader) throws {
        guard guarding != .none, try Self.canBlock(layout, in: reader) else { return }
        var search = PageRoots(fetched, TreeClimb(layout: layout, reader: reader))
        for (position, facts) in fetched.facts.enumerated() {
            let isRoot = layout.parts[position].parentIdField == nil
            if isRoot { ownRoots.formUnion(facts.ids.compactMap { $0 }) }
            roots.append(
                try (isRoot ? facts.ids : facts.parentIds).map { id in
                    try id.map { try isRoot ? [$0] : search.roots(of: $0, part: layout.parts[position].parentPart) }
                        ?? []
                })
        }
        for (position, facts) in fetched.facts.enumerated() where layout.parts[position].parentIdField != nil {
            homeless[position] = Set(
                facts.parentIds.indices.filter { facts.parentIds[$0] != nil && roots[position][$0].isEmpty })
        }
        let named = roots.reduce(into: Set<String>()) { named, records in for ids in records { named.formUnion(ids) } }
        for (position, part) in layout.parts.enumerated() {
            let ids = position < fetched.facts.count ? fetched.facts[position].ids : []
            let isRoot = part.parentIdField == nil
            let isNearRoot = !isRoot && layout.parts[part.parentPart].parentIdField == nil
            let entries = GuardedEntries(
                part: part, ids: isRoot ? named : Set(ids.compactMap { $0 }), parentIds: isNearRoot ? named : [],
                isComplete: !isRoot && !isNearRoot, guarding: guarding)
            var dirtyIds: Set<String> = []
            for entry in try entries.found(in: reader) {
                if let id = entry[JSONPath(part.idField)]?.idText {
                    dirtyIds.insert(id)
                    if isRoot { blocked.insert(id) }
                }
                if let field = part.parentIdField, let parentId = entry[JSONPath(field)]?.idText {
                    blocked.formUnion(try search.roots(of: parentId, part: part.parentPart))
                }
            }
            // A child that was moved locally blocks the tree that the server has it in, too.
            guard !isRoot, !dirtyIds.isEmpty else { continue }
            for (index, id) in ids.enumerated() {
                if let id, dirtyIds.contains(id) { blocked.formUnion(roots[position][index]) }
            }
        }
    }

    /// Whether anything can have to be left alone; children of roots always have a home.
    private static func canBlock(_ layout: RecordLayout, in reader: any StoreReader) throws -> Bool {
        let isDeep = layout.parts.contains {
            $0.parentIdField != nil && layout.parts[$0.parentPart].parentIdField != nil
        }
        return try isDeep || layout.soups.contains { try !reader.dirtyIds(in: $0).isEmpty }
    }

    /// Whether a record of the page belongs to such a tree, or to none that is known.
    func contains(_ index: Int, of part: Int, _ fetched: FetchedPage) -> Bool {
        if homeless[part]?.contains(index) ?? false { return true }
        return !blocked.isEmpty && !blocked.isDisjoint(with: roots[part][index])
    }

    /// Whether a child is in such a tree whose root the page brings as well: then the root's date keeps the mark back,
    /// and all of its children come again with it.
    func comesWithRoot(_ index: Int, of part: Int, _ fetched: FetchedPage) -> Bool {
        if homeless[part]?.contains(index) ?? false { return true }
        return contains(index, of: part, fetched)
            && !ownRoots.isDisjoint(with: roots[part][index].intersection(blocked))
    }
}

/// The roots of records, where the page has them and where the store has them.
private struct PageRoots {
    private let parents: [[String: Set<String>]]
    private var climb: TreeClimb

    init(_ fetched: FetchedPage, _ climb: TreeClimb) {
        self.climb = climb
        let layout = climb.layout
        parents = fetched.facts.enumerated().map { position, facts in
            // Only what has children of its own is ever asked for.
            guard layout.parts[position].parentIdField != nil, !layout.children(of: position).isEmpty else {
                return [:]
            }
            return zip(facts.ids, facts.parentIds).reduce(into: [:]) { parents, record in
                if let id = record.0, let parentId = record.1 { parents[id, default: []].insert(parentId) }
            }
        }
    }

    /// The ids of the roots above a record, its own for a root.
    mutating func roots(of id: String, part position: Int) throws -> Set<String> {
        let part = climb.layout.parts[position]
        guard part.parentIdField != nil else { return [id] }
        guard part.parentPart < position else { return [] }
        var above = position < parents.count ? parents[position][id] ?? [] : []
        if let stored = try climb.chain(from: id, part: position).dropFirst().first { above.insert(stored.id) }
        var roots: Set<String> = []
        for id in above { roots.formUnion(try self.roots(of: id, part: part.parentPart)) }
        return roots
    }
}

/// The search for the entries of a soup that the guard protects and that have to do with a page.
private struct GuardedEntries {
    var part: RecordLayout.Part
    /// Ids that count.
    var ids: Set<String>
    /// Ids of parents whose children count.
    var parentIds: Set<String>
    /// Whether all of them count, whatever their ids are.
    var isComplete: Bool
    var guarding: WriteGuard

    /// All that count, and perhaps some more.
    func found(in reader: any StoreReader) throws -> [SoupEntry] {
        let dirty = try reader.dirtyIds(in: part.soup)
        guard !dirty.isEmpty else { return [] }
        let entries =
            try !isComplete && dirty.count > ids.count + parentIds.count && isIndexed(in: reader)
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
