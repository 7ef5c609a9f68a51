// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The writer for a write's body: a copy of the store, which is kept if nothing throws.
final class MemoryWriter: StateReader {
    private(set) var state: MemoryState
    /// The soups whose entries have changed.
    private(set) var changedSoups: Set<SoupName> = []
    /// The error of the first failed change: the write throws it too, even if the body catches it.
    private(set) var failure: (any Error)?
    /// The latest date that a changed soup has assigned.
    private(set) var lastDate: Int64?
    /// The modification date of the entries that the write changes.
    private let date: Int64
    /// Returns the identity of a new soup.
    private let nextGeneration: () -> String

    init(state: MemoryState, now: Int64, nextGeneration: @escaping () -> String) {
        self.state = state
        self.nextGeneration = nextGeneration
        date = state.dates.next(at: now)
    }

    /// Does nothing: a write that has begun is not interrupted.
    func check() {}

    /// Changes a soup; `body` returns whether it changed entries.
    func change(_ name: SoupName, _ body: (inout MemorySoup) throws -> Bool) throws {
        try change {
            var soup = try state.soup(name)
            if try body(&soup) { changedSoups.insert(name) }
            state.soups[name] = soup
            state.dates.note(soup.lastDate)
            lastDate = max(lastDate ?? soup.lastDate, soup.lastDate)
        }
    }

    private func change(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            failure = failure ?? error
            throw error
        }
    }
}

extension MemoryWriter: StoreWriter {
    func registerSoup(_ soup: SoupName, _ specs: [IndexSpec]) throws {
        try change {
            guard soup.isValid else {
                throw SoupError(
                    .badSoupName, "\"\(soup)\" cannot be the name of a soup",
                    hint: "Use a name that is not empty and contains no :, {, } or control characters.")
            }
            try IndexSpec.requireAny(specs, of: soup)
            guard state.soups[soup] == nil else { return }
            try MemorySoup.check(specs, of: soup)
            state.soups[soup] = MemorySoup(soup, specs, generation: nextGeneration())
        }
    }

    func removeSoup(_ soup: SoupName) throws {
        if state.soups.removeValue(forKey: soup) != nil { changedSoups.insert(soup) }
    }

    func clearSoup(_ soup: SoupName) throws {
        try change(soup) { soup in
            defer { soup.removeAll() }
            return !soup.rows.isEmpty
        }
    }

    func upsert(
        _ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch, stamping stamp: RecordBatch.Stamp,
        guarding: WriteGuard
    ) throws -> [UpsertResult] {
        var results: [UpsertResult] = []
        try change(soup) { soup in
            results = try soup.upsert(batch, matching: matching, stamping: stamp, guarding: guarding, at: date)
            return results.contains { $0.outcome == .inserted || $0.outcome == .updated }
        }
        return results
    }

    func restore(_ entries: [SoupEntry], in soup: SoupName) throws {
        try change(soup) { soup in
            for (index, entry) in entries.enumerated() {
                try entry.requireRestorable(at: index)
                soup.restore(entry)
            }
            return !entries.isEmpty
        }
    }

    func stamp(_ stamps: [EntryStamp], in soup: SoupName) throws -> [Bool] {
        var results: [Bool] = []
        try change(soup) { soup in
            let stamped = try soup.stamp(stamps, at: date)
            results = stamped.results
            return stamped.hasChanged
        }
        return results
    }

    func setSyncedCopies(_ copies: [Int64: JSONText], in soup: SoupName) throws {
        try change(soup) { soup in
            for (id, copy) in copies { soup.setSyncedCopy(copy, of: id) }
            return false
        }
    }

    func remove(_ removals: [EntryRemoval], from soup: SoupName) throws -> [Int64] {
        var removed: [Int64] = []
        try change(soup) { soup in
            removed = soup.remove(removals)
            return !removed.isEmpty
        }
        return removed
    }

    func remove(matching spec: QuerySpec, from soup: SoupName) throws -> Int {
        var count = 0
        try change(soup) { state in
            if case .smart = spec.kind { throw MemorySoup.notSupported("Smart SQL") }
            guard spec.soup == soup else {
                throw SoupError(
                    .badQuerySpec, "the query reads soup \"\(spec.soup?.rawValue ?? "")\" and not \"\(soup)\"",
                    place: SoupError.Place(path: "soupName"),
                    hint: "Remove the entries from the soup that the query reads.")
            }
            let found = try rows(of: spec, arguments: []).rows.prefix(spec.pageSize)
            count = state.remove(found.map { EntryRemoval(id: $0.row.id) }).count
            return count > 0
        }
        return count
    }
}
