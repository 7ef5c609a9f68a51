// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The writer for a write's body: the open transactions of all stores.
final class RoutedWriter: RoutedReading, StoreWriter {
    let parts: RoutedParts
    /// The error of the first failed change: the write throws it too, even if the body catches it.
    private(set) var failure: (any Error)?
    private let writers: [any StoreWriter]

    init(_ writers: [any StoreWriter], _ parts: RoutedParts) {
        self.writers = writers
        self.parts = parts
    }

    var readers: [any StoreReader] { writers }

    var lastDate: Int64? { writers.compactMap(\.lastDate).max() }

    /// Changes a soup in its store.
    private func change<T>(_ soup: SoupName, _ work: (any StoreWriter) throws -> T) throws -> T {
        try change { try work(writers[parts.place(of: soup)]) }
    }

    private func change<T>(_ work: () throws -> T) throws -> T {
        do {
            return try work()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    func registerSoup(_ soup: SoupName, _ specs: [IndexSpec]) throws {
        try change(soup) { try $0.registerSoup(soup, specs) }
    }

    func removeSoup(_ soup: SoupName) throws { try change(soup) { try $0.removeSoup(soup) } }

    func clearSoup(_ soup: SoupName) throws { try change(soup) { try $0.clearSoup(soup) } }

    func upsert(
        _ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch, stamping stamp: RecordBatch.Stamp,
        guarding: WriteGuard
    ) throws -> [UpsertResult] {
        try change(soup) {
            try $0.upsert(batch, into: soup, matching: matching, stamping: stamp, guarding: guarding)
        }
    }

    func restore(_ entries: [SoupEntry], in soup: SoupName) throws {
        try change(soup) { try $0.restore(entries, in: soup) }
    }

    func stamp(_ stamps: [EntryStamp], in soup: SoupName) throws -> [Bool] {
        try change(soup) { try $0.stamp(stamps, in: soup) }
    }

    func remove(_ removals: [EntryRemoval], from soup: SoupName) throws -> [Int64] {
        try change(soup) { try $0.remove(removals, from: soup) }
    }

    func remove(matching spec: QuerySpec, from soup: SoupName) throws -> Int {
        try change {
            let place = parts.place(of: soup)
            if spec.isSmart, try parts.place(of: spec) != place {
                throw SoupError(
                    .notSupported, "the query reads other stores than the one of soup \"\(soup)\"",
                    hint: "Query the IDs first, and remove the entries by their IDs.")
            }
            return try writers[place].remove(matching: spec, from: soup)
        }
    }

    func setSyncedCopies(_ copies: [Int64: JSONText], in soup: SoupName) throws {
        try change(soup) { try $0.setSyncedCopies(copies, in: soup) }
    }
}
