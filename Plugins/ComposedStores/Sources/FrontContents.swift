// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The entries that the front store of a ``LayeredStore`` has, and how they get there.
struct FrontContents: Sendable {
    /// The names of the soups; nil for all soups except those of the syncs.
    let soups: Set<SoupName>?

    func contains(_ soup: SoupName) -> Bool { soups?.contains(soup) ?? !SoupName.reserved.contains(soup) }

    /// Replaces the whole content of the front store.
    func fill(_ front: any StoreWriter, from back: any StoreReader) throws {
        for soup in try front.soupNames() { try front.removeSoup(soup) }
        for soup in try back.soupNames() where contains(soup) { try add(soup, to: front, from: back) }
    }

    /// Whether a transaction has changed entries that the front store has.
    func isAffected(by changes: FrontChanges) -> Bool {
        changes.renewed.contains(where: contains) || changes.entries.keys.contains(where: contains)
    }

    /// Applies the changes that a transaction has made in the back store.
    func apply(_ changes: FrontChanges, to front: any StoreWriter, from back: any StoreReader) throws {
        let (soups, old) = try (Set(back.soupNames()), Set(front.soupNames()))
        // The front store lacks a soup that another process has just registered.
        let renewed = changes.renewed.union(changes.entries.keys.filter { !old.contains($0) })
        for soup in renewed.sorted() where contains(soup) {
            try front.removeSoup(soup)
            if soups.contains(soup) { try add(soup, to: front, from: back) }
        }
        for (soup, ids) in changes.entries.sorted(by: { $0.key < $1.key })
        where contains(soup) && !renewed.contains(soup) {
            var rest = ids.sorted()[...]
            while !rest.isEmpty {
                let part = rest.prefix(Self.pageSize)
                rest = rest.dropFirst(Self.pageSize)
                let entries = try restore(back.retrieve(Array(part), from: soup), of: soup, in: front)
                let missing = Set(part).subtracting(entries)
                if !missing.isEmpty { _ = try front.remove(missing.sorted(), from: soup) }
            }
        }
    }

    /// Copies all entries of a soup to a front store that does not have the soup.
    private func add(_ soup: SoupName, to front: any StoreWriter, from back: any StoreReader) throws {
        // The front store only finds entries by their IDs, so it needs no index of the soup.
        try front.registerSoup(soup, [IndexSpec(JSONPath(EntryField.entryId), .integer)])
        let all = QuerySpec.all(soup, orderedBy: JSONPath(EntryField.entryId), pageSize: Self.pageSize)
        try back.walk(all, arguments: []) { page in
            _ = try restore(page.entries, of: soup, in: front)
            return true
        }
    }

    /// Stores entries, except damaged ones, which only the back store can return.
    ///
    /// - Returns: the IDs of the stored entries.
    private func restore(_ entries: [SoupEntry], of soup: SoupName, in front: any StoreWriter) throws -> [Int64] {
        let intact = entries.filter { $0.damage(in: soup) == nil }
        try front.restore(intact, in: soup)
        return intact.map(\.id)
    }

    /// The number of entries that are in memory a second time while they are copied.
    private static var pageSize: Int { 500 }
}

/// The changes of a transaction that the front store has to repeat.
struct FrontChanges {
    /// The soups that were registered, removed, cleared, or changed in an unknown way.
    var renewed: Set<SoupName> = []
    /// The IDs of the entries that may have changed.
    var entries: [SoupName: Set<Int64>] = [:]

    mutating func note(_ ids: [Int64], of soup: SoupName) {
        if !ids.isEmpty { entries[soup, default: []].formUnion(ids) }
    }
}
