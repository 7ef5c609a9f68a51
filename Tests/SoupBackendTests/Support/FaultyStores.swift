// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Synchronization

/// The memory store with a fault in the parts that layered stores use.
final class RestoringStore: ForwardingStore {
    enum Fault {
        case claimsNothing, throwing, newDates, skippingChecks, countsOwnCommits
        case sameGenerations, newGenerations
        case staleIndexes, staleFlags, lowIds, noCopies, countsNothing, forgetsToCount
    }
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "restoring"

    let inner: any StoreBackend
    let fault: Fault
    private let calls = Mutex<Int64>(0)

    init(inner: any StoreBackend, fault: Fault) {
        self.inner = inner
        self.fault = fault
    }

    var capabilities: Set<StoreCapability> {
        fault == .claimsNothing ? inner.capabilities.subtracting([.restoring, .foreignCommits]) : inner.capabilities
    }

    func capabilities(of soup: SoupName) -> Set<StoreCapability> { capabilities }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        let fault = fault
        return try await inner.write { try body(Writer(writer: $0, fault: fault)) }
    }

    func foreignCommits() throws -> Int64? {
        calls.withLock { calls in
            // It is called before and after a write of its own, and after one of another store.
            calls += fault == .countsOwnCommits ? 1 : 0
            return fault == .countsNothing ? nil : calls
        }
    }

    private struct Writer: ForwardingWriter {
        let writer: any StoreWriter
        let fault: Fault

        func restore(_ entries: [SoupEntry], in soup: SoupName) throws {
            switch fault {
            case .throwing: throw SoupError(.notSupported, "not implemented")
            case .newDates:
                try writer.restore(
                    entries.map { SoupEntry(id: $0.id, version: $0.version + 1, stored: $0.stored) }, in: soup)
            case .skippingChecks: try writer.restore(entries.filter { $0.damage(in: soup) == nil }, in: soup)
            default: try writer.restore(entries, in: soup)
            }
        }

        func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
            guard fault == .staleIndexes, spec.soup == "copies" else {
                return try writer.query(spec, page: page, arguments: arguments)
            }
            return try writer.query(.exact("copies", "name", equals: "edited"), page: page, arguments: arguments)
        }

        func generation(of soup: SoupName) throws -> String {
            switch fault {
            case .sameGenerations: "1"
            case .newGenerations: "\(UInt64.random(in: 0 ... .max))"
            default: try writer.generation(of: soup)
            }
        }

        func dirtyIds(in soup: SoupName) throws -> [Int64] {
            fault == .staleFlags && soup == "copies" ? [] : try writer.dirtyIds(in: soup)
        }

        func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] {
            fault == .noCopies && soup == "copies" ? [:] : try writer.syncedCopies(of: ids, in: soup)
        }

        func upsert(
            _ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch, stamping stamp: RecordBatch.Stamp,
            guarding: WriteGuard
        ) throws -> [UpsertResult] {
            let results = try writer.upsert(
                batch, into: soup, matching: matching, stamping: stamp, guarding: guarding)
            guard fault == .lowIds, soup == "copies" else { return results }
            return results.map { UpsertResult($0.outcome, id: 3, version: $0.version) }
        }
    }
}

/// The memory store with a fault in the access that composed stores use.
struct FaultyStore: ForwardingStore {
    enum Fault { case lease, tornReads, commitsErrors, lateSnapshot, ignoresCancellation, deaf }
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "faulty"

    let inner: any StoreBackend
    let fault: Fault

    var capabilities: Set<StoreCapability> {
        fault == .tornReads ? inner.capabilities.subtracting([.composable]) : inner.capabilities
    }

    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> {
        let changes = inner.changes(in: soups)
        guard fault == .deaf else { return changes }
        return AsyncStream { continuation in
            let silence = Task {
                for await _ in changes {}
                continuation.finish()
            }
            continuation.onTermination = { _ in silence.cancel() }
        }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        guard fault == .tornReads else { return try await inner.read(body) }
        let stale = SoupEntry(id: 1, version: 1, stored: try JSONText(#"{"size": -1}"#))
        return try await inner.read { first in try body(LateReader(reader: first, late: ["others"]) { _ in [stale] }) }
    }

    func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        guard fault == .commitsErrors else { return try inner.writeBlocking(at: now, body) }
        return try inner.writeBlocking(at: now) { writer in Result { try body(writer) } }.get()
    }

    func readBlocking<T>(cancellation: CancellationFlag, _ body: (any StoreReader) throws -> T) throws -> T {
        let flag = fault == .ignoresCancellation ? CancellationFlag() : cancellation
        guard fault == .lateSnapshot else { return try inner.readBlocking(cancellation: flag, body) }
        return try inner.readBlocking(cancellation: flag) { first in
            try body(LateReader(reader: first, late: ["things", "others"]) { try inner.newest($0) })
        }
    }
}

extension StoreBackend {
    /// Returns the first entry of a soup in the newest state.
    fileprivate func newest(_ soup: SoupName) throws -> [SoupEntry] {
        try readBlocking(cancellation: CancellationFlag()) { try $0.retrieve([1], from: soup) }
    }
}

/// A reader that retrieves the entries of some soups from the newest state instead of its snapshot.
private struct LateReader: ForwardingReader {
    let reader: any StoreReader
    let late: Set<SoupName>
    let newest: (SoupName) throws -> [SoupEntry]

    init(reader: any StoreReader, late: Set<SoupName>, newest: @escaping (SoupName) throws -> [SoupEntry]) {
        self.reader = reader
        self.late = late
        self.newest = newest
    }

    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] {
        guard ids == [1], late.contains(soup) else { return try reader.retrieve(ids, from: soup) }
        return try newest(soup)
    }
}
