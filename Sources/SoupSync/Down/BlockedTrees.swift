// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The record trees that a page must leave unchanged because they contain local changes.
///
/// A tree is blocked if its root, or any entry below the root in the store, has local changes. This includes entries
/// that the server does not know yet.
struct BlockedTrees {
    /// The IDs of the roots of the blocked trees.
    private var blocked: Set<String> = []
    /// The IDs of the roots of each record of the page, by level and by ``PageRecord/index``.
    ///
    /// The roots are found through the parents in the page and through the parents in the store.
    private var roots: [[Set<String>]] = []
    /// The IDs of the roots that are themselves in the page.
    private var rootsInPage: Set<String> = []

    /// The records whose parent is neither in the page nor in the store, by level.
    ///
    /// Either the parent was skipped, or it is newer than the query for its level. In both cases a later page or run
    /// returns the record again, together with its parent.
    private var orphans: [Int: Set<Int>] = [:]

    /// Creates an empty set: no tree is blocked.
    init() {}

    /// Finds the blocked trees of a page from the entries as they are in this transaction.
    ///
    /// The result is valid only for the trees of this page. For direct children of roots, the cost is bounded by the
    /// size of the page, not by the number of local changes. At deeper levels, each local change is followed up to its
    /// root.
    init(
        of fetched: FetchedPage, layout: RecordLayout, guarding: WriteGuard, in reader: any StoreReader
    ) throws {
        guard guarding != .none, try Self.canBlock(layout, in: reader) else { return }
        var search = PageRoots(fetched, AncestorLookup(layout: layout, reader: reader))
        try findRoots(of: fetched, with: &search)
        let rootIds = roots.reduce(into: Set<String>()) { all, records in for ids in records { all.formUnion(ids) } }
        for (position, level) in layout.levels.enumerated() {
            let records = position < fetched.levels.count ? fetched.levels[position].records : []
            let isRoot = level.parentIdField == nil
            let isNearRoot = !isRoot && layout.levels[level.parentLevel].parentIdField == nil
            let entries = GuardedEntries(
                level: level, ids: isRoot ? rootIds : Set(records.compactMap { $0.link?.id }),
                parentIds: isNearRoot ? rootIds : [],
                isComplete: !isRoot && !isNearRoot, guarding: guarding)
            var dirtyIds: Set<String> = []
            for entry in try entries.found(in: reader) {
                if let id = entry[JSONPath(level.idField)]?.idText {
                    dirtyIds.insert(id)
                    if isRoot { blocked.insert(id) }
                }
                if let field = level.parentIdField, let parentId = entry[JSONPath(field)]?.idText {
                    blocked.formUnion(try search.roots(of: parentId, level: level.parentLevel))
                }
            }
            // If a child was moved locally, the tree that contains it on the server is blocked too.
            guard !isRoot, !dirtyIds.isEmpty else { continue }
            for record in records {
                if let id = record.link?.id, dirtyIds.contains(id) {
                    blocked.formUnion(roots[position][record.index])
                }
            }
        }
    }

    /// Finds the roots of the records of a page, and the records without one.
    private mutating func findRoots(of fetched: FetchedPage, with search: inout PageRoots) throws {
        for level in fetched.levels {
            let isRoot = level.layout.parentIdField == nil
            if isRoot { rootsInPage.formUnion(level.records.compactMap { $0.link?.id }) }
            roots.append(
                try level.records.map { record in
                    guard let id = isRoot ? record.link?.id : record.link?.parentId else { return [] }
                    return try isRoot ? [id] : search.roots(of: id, level: level.layout.parentLevel)
                })
        }
        for level in fetched.levels where level.layout.parentIdField != nil {
            let orphans = level.records.filter {
                $0.link?.parentId != nil && roots[level.position][$0.index].isEmpty
            }
            self.orphans[level.position] = Set(orphans.map(\.index))
        }
    }

    /// Returns whether a page of this layout can contain blocked records.
    ///
    /// In a tree of two levels, a child's root is always known, so only local changes can block it.
    private static func canBlock(_ layout: RecordLayout, in reader: any StoreReader) throws -> Bool {
        let isDeep = layout.levels.contains {
            $0.parentIdField != nil && layout.levels[$0.parentLevel].parentIdField != nil
        }
        return try isDeep || layout.soups.contains { try !reader.dirtyIds(in: $0).isEmpty }
    }

    /// Whether a record of the page may be written.
    enum Access: Sendable, Hashable {
        /// The record belongs to no blocked tree.
        case open
        /// The record belongs to a blocked tree whose root is not in this page.
        case blocked
        /// The record belongs to a blocked tree whose root is in this page too, or is unknown.
        ///
        /// The high-water mark does not exceed the date of the root, and the root is fetched again with all of its
        /// children.
        case blockedWithRoot
    }

    /// Returns the IDs of the roots of a record; none if they are unknown, or if no tree of the page can be blocked.
    func roots(of record: PageRecord, level: Int) -> Set<String> {
        roots.indices.contains(level) ? roots[level][record.index] : []
    }

    /// Returns whether a record of the page may be written.
    func access(to record: PageRecord, of level: Int) -> Access {
        if orphans[level]?.contains(record.index) ?? false { return .blockedWithRoot }
        guard !blocked.isEmpty else { return .open }
        let blockedRoots = roots[level][record.index].intersection(blocked)
        if blockedRoots.isEmpty { return .open }
        return rootsInPage.isDisjoint(with: blockedRoots) ? .blocked : .blockedWithRoot
    }
}

/// The roots of records, found through the parents in the page and in the store.
private struct PageRoots {
    private let parents: [[String: Set<String>]]
    private var ancestorLookup: AncestorLookup

    init(_ fetched: FetchedPage, _ ancestorLookup: AncestorLookup) {
        self.ancestorLookup = ancestorLookup
        let layout = ancestorLookup.layout
        parents = fetched.levels.map { level in
            // Lookups are made only for levels that have children of their own.
            guard level.layout.parentIdField != nil, !layout.children(of: level.position).isEmpty else { return [:] }
            return level.records.reduce(into: [:]) { parents, record in
                if let id = record.link?.id, let parentId = record.link?.parentId {
                    parents[id, default: []].insert(parentId)
                }
            }
        }
    }

    /// Returns the IDs of the roots above a record; for a root, its own ID.
    mutating func roots(of id: String, level position: Int) throws -> Set<String> {
        let level = ancestorLookup.layout.levels[position]
        guard level.parentIdField != nil else { return [id] }
        guard level.parentLevel < position else { return [] }
        var above = position < parents.count ? parents[position][id] ?? [] : []
        if let stored = try ancestorLookup.chain(from: id, level: position).dropFirst().first {
            above.insert(stored.id)
        }
        var roots: Set<String> = []
        for id in above { roots.formUnion(try self.roots(of: id, level: level.parentLevel)) }
        return roots
    }
}

/// The search for the guarded entries of a soup that are relevant to a page.
private struct GuardedEntries {
    var level: RecordLayout.Level
    /// The record IDs to include.
    var ids: Set<String>
    /// The IDs of the parents whose children are included.
    var parentIds: Set<String>
    /// Whether all guarded entries are included, whatever their IDs.
    var isComplete: Bool
    var guarding: WriteGuard

    /// Returns all entries to include, and possibly more.
    func found(in reader: any StoreReader) throws -> [SoupEntry] {
        let dirty = try reader.dirtyIds(in: level.soup)
        guard !dirty.isEmpty else { return [] }
        let entries =
            try !isComplete && dirty.count > ids.count + parentIds.count && isIndexed(in: reader)
            ? entries(among: Set(dirty), in: reader) : reader.retrieve(dirty, from: level.soup)
        if case .dirtySince(let time) = guarding { return entries.filter { $0.version >= time } }
        return entries
    }

    /// Returns whether the soup can be queried by record ID and parent ID.
    ///
    /// An app is not required to index the parent IDs of children.
    private func isIndexed(in reader: any StoreReader) throws -> Bool {
        let indexed = try reader.indexSpecs(of: level.soup).map(\.path.rawValue)
        return indexed.contains(level.idField) && level.parentIdField.map(indexed.contains) != false
    }

    private func entries(among dirty: Set<Int64>, in reader: any StoreReader) throws -> [SoupEntry] {
        var found: [Int64: SoupEntry] = [:]
        var lookups = ids.map { (level.idField, $0) }
        if let parentIdField = level.parentIdField { lookups += parentIds.map { (parentIdField, $0) } }
        for (field, id) in lookups {
            let spec = QuerySpec.exact(level.soup, JSONPath(field), equals: .string(id), pageSize: 500)
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
