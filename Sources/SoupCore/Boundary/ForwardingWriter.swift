// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that forwards all methods of a transaction to another writer, and implements only what it changes.
///
/// If it throws an error of its own from a writing method, the inner writer does not know of it: the body that
/// ``StoreBackend/write(_:)`` of the inner store gets must throw the error, too, so that nothing is kept.
public protocol ForwardingWriter: ForwardingReader, StoreWriter {
    /// The writer that the calls are forwarded to.
    var writer: any StoreWriter { get }
}

extension ForwardingWriter {
    /// The writer, whose reads see its own writes.
    public var reader: any StoreReader { writer }

    /// The date of the inner writer.
    public var lastDate: Int64? { writer.lastDate }

    /// Forwards the call.
    public func registerSoup(_ soup: SoupName, _ specs: [IndexSpec]) throws { try writer.registerSoup(soup, specs) }

    /// Forwards the call.
    public func removeSoup(_ soup: SoupName) throws { try writer.removeSoup(soup) }

    /// Forwards the call.
    public func clearSoup(_ soup: SoupName) throws { try writer.clearSoup(soup) }

    /// Forwards the call.
    public func upsert(
        _ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch, stamping stamp: RecordBatch.Stamp,
        guarding: WriteGuard
    ) throws -> [UpsertResult] {
        try writer.upsert(batch, into: soup, matching: matching, stamping: stamp, guarding: guarding)
    }

    /// Forwards the call.
    public func restore(_ entries: [SoupEntry], in soup: SoupName) throws { try writer.restore(entries, in: soup) }

    /// Forwards the call.
    public func stamp(_ stamps: [EntryStamp], in soup: SoupName) throws -> [Bool] {
        try writer.stamp(stamps, in: soup)
    }

    /// Forwards the call.
    public func remove(_ removals: [EntryRemoval], from soup: SoupName) throws -> [Int64] {
        try writer.remove(removals, from: soup)
    }

    /// Forwards the call.
    public func remove(matching spec: QuerySpec, from soup: SoupName) throws -> Int {
        try writer.remove(matching: spec, from: soup)
    }

    /// Forwards the call.
    public func setSyncedCopies(_ copies: [Int64: JSONText], in soup: SoupName) throws {
        try writer.setSyncedCopies(copies, in: soup)
    }
}
