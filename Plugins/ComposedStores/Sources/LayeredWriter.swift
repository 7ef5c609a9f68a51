// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The writer for a write's body: the back store's, whose changes are recorded for the front store.
///
/// A change that fails is not recorded: it fails the transaction of the back store.
final class LayeredWriter: ForwardingWriter {
    let writer: any StoreWriter
    private let contents: FrontContents
    private(set) var changes = FrontChanges()

    init(_ writer: any StoreWriter, _ contents: FrontContents) {
        self.writer = writer
        self.contents = contents
    }

    func registerSoup(_ soup: SoupName, _ specs: [IndexSpec]) throws {
        let exists = try writer.soupExists(soup)
        try writer.registerSoup(soup, specs)
        if !exists { changes.renewed.insert(soup) }
    }

    func removeSoup(_ soup: SoupName) throws {
        try writer.removeSoup(soup)
        changes.renewed.insert(soup)
    }

    func clearSoup(_ soup: SoupName) throws {
        try writer.clearSoup(soup)
        changes.renewed.insert(soup)
    }

    func upsert(
        _ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch, stamping stamp: RecordBatch.Stamp,
        guarding: WriteGuard
    ) throws -> [UpsertResult] {
        let results = try writer.upsert(batch, into: soup, matching: matching, stamping: stamp, guarding: guarding)
        changes.note(results.filter { $0.outcome == .inserted || $0.outcome == .updated }.map(\.id), of: soup)
        return results
    }

    func restore(_ entries: [SoupEntry], in soup: SoupName) throws {
        try writer.restore(entries, in: soup)
        changes.note(entries.map(\.id), of: soup)
    }

    func stamp(_ stamps: [EntryStamp], in soup: SoupName) throws -> [Bool] {
        let results = try writer.stamp(stamps, in: soup)
        changes.note(stamps.map(\.id), of: soup)
        return results
    }

    func remove(_ removals: [EntryRemoval], from soup: SoupName) throws -> [Int64] {
        let removed = try writer.remove(removals, from: soup)
        changes.note(removed, of: soup)
        return removed
    }

    func remove(matching spec: QuerySpec, from soup: SoupName) throws -> Int {
        guard contents.contains(soup) else { return try writer.remove(matching: spec, from: soup) }
        let found = ids(matching: spec)
        let count = try writer.remove(matching: spec, from: soup)
        if let found, found.count == count, try writer.retrieve(found, from: soup).isEmpty {
            changes.note(found, of: soup)
        } else if count > 0 {
            changes.renewed.insert(soup)
        }
        return count
    }

    /// Returns the IDs of the entries on the first page of a query; nil if they are not known.
    private func ids(matching spec: QuerySpec) -> [Int64]? {
        var spec = spec
        if !spec.isSmart { spec.selectPaths = [JSONPath(EntryField.entryId)] }
        let ids = try? writer.query(spec).rows.map { $0.value[0]?.intValue }
        guard let ids, !ids.contains(nil) else { return nil }
        return ids.compactMap(\.self)
    }
}
