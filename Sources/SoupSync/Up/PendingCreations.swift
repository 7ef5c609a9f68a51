// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The records that the server does not have yet, and the entries with local changes that refer to them.
///
/// It covers the soups of all sync ups, because a record can refer to one that another sync pushes.
struct PendingCreations: Sendable {
    /// The entries of the creations, by their local IDs.
    private(set) var entries: [String: EntryKey] = [:]
    /// The entries with local changes that contain a local ID, by that ID.
    private(set) var referrers: [String: Set<EntryKey>] = [:]
    /// The local IDs on which a creation depends, by its own local ID.
    private var dependencies: [String: Set<String>] = [:]

    init() {}

    /// Reads the local changes of the soups of layouts.
    ///
    /// - Parameter tree: a layout whose records are pushed together with their children.
    init(_ layouts: [RecordLayout], tree: RecordLayout? = nil, in reader: any StoreReader) throws {
        for soup in Set(layouts.flatMap(\.soups)).sorted(by: { $0.rawValue < $1.rawValue }) {
            let levels = layouts.flatMap(\.levels).filter { $0.soup == soup }
            let parentFields = (tree?.levels ?? []).filter { $0.soup == soup }.compactMap(\.parentIdField)
            try reader.forEachDirty(in: soup) { entry in
                for level in levels { add(entry, of: level, parentFields: parentFields) }
            }
        }
    }

    private mutating func add(_ entry: SoupEntry, of level: RecordLayout.Level, parentFields: [String]) {
        guard let kind = entry.flags.change, kind != .delete else { return }
        let key = EntryKey(soup: level.soup, id: entry.id)
        let id = entry[JSONPath(level.idField)]?.idText
        let references = entry.stored.localReferences(except: id)
        for reference in references { referrers[reference.id, default: []].insert(key) }
        guard kind == .create, let id, LocalId.isLocal(id) else { return }
        entries[id] = key
        dependencies[id, default: []].formUnion(references.map(\.id))
        // A parent is sent together with its children, so it depends on them, too.
        for parent in references where parentFields.contains(parent.field) {
            dependencies[parent.id, default: []].insert(id)
        }
    }

    /// Returns the groups of creations that depend on each other, so that none of them can be pushed first: the number
    /// of the group by local ID.
    ///
    /// These are the strongly connected components of the references, found with Tarjan's algorithm.
    func groups() -> [String: Int] {
        var groups: [String: Int] = [:]
        var indices: [String: Int] = [:]
        var lows: [String: Int] = [:]
        var open: [String] = []
        var path: [(id: String, rest: [String])] = []
        func enter(_ id: String) {
            indices[id] = indices.count
            lows[id] = indices[id]
            open.append(id)
            path.append((id, (dependencies[id] ?? []).filter { entries[$0] != nil }))
        }
        for root in entries.keys where indices[root] == nil {
            enter(root)
            while let current = path.last {
                if let next = current.rest.last {
                    path[path.count - 1].rest.removeLast()
                    if let index = indices[next] {
                        if groups[next] == nil { lows[current.id] = min(lows[current.id] ?? index, index) }
                    } else {
                        enter(next)
                    }
                    continue
                }
                path.removeLast()
                let low = lows[current.id] ?? 0
                if let caller = path.last?.id { lows[caller] = min(lows[caller] ?? low, low) }
                guard low == indices[current.id] else { continue }
                let number = groups.count
                repeat { groups[open.removeLast()] = number } while groups[current.id] == nil
            }
        }
        return groups
    }
}

extension StoreReader {
    /// Passes the entries with local changes, in the order of their creation.
    func forEachDirty(in soup: SoupName, _ body: (SoupEntry) throws -> Void) throws {
        let ids = try dirtyIds(in: soup)
        for start in stride(from: 0, to: ids.count, by: 500) {
            try retrieve(Array(ids[start..<min(start + 500, ids.count)]), from: soup).forEach(body)
        }
    }
}
