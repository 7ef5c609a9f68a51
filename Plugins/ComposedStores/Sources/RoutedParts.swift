// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import SoupCore
internal import Synchronization

/// The stores of a ``RoutedStore``, and the access to them.
final class RoutedParts: Sendable {
    struct Part: Sendable {
        /// The name; nil for the main store.
        let name: String?
        let store: any StoreBackend

        /// The name in messages.
        var title: String { name.map { "the store \"\($0)\"" } ?? "the default store" }
    }

    /// The main store, which is committed last, and the others.
    let stores: [Part]
    /// The position of the store of each soup with a route.
    private let routes: [SoupName: Int]

    private let clock: any SoupClock
    /// The dates of the writes of all stores: no two have the same, also if they change different stores.
    private let dates = Mutex(TransactionDates())
    private let turn = AsyncSemaphore(permits: 1)
    /// Fewer than the connections of a store, so that a read that opens its snapshots does not wait for another read.
    private let readers = AsyncSemaphore(permits: 4)
    private let writing = DispatchQueue(label: "SoupKit.RoutedStore.write")
    private let reading = DispatchQueue(label: "SoupKit.RoutedStore.read", attributes: .concurrent)
    /// Held while the transactions of a write are committed, and while a read opens its snapshots, so that every
    /// snapshot contains all of a write or none of it.
    private let gate = DispatchSemaphore(value: 1)

    init(stores: [Part], routes: [SoupName: Int], clock: any SoupClock) {
        self.clock = clock
        self.stores = stores
        self.routes = routes
    }

    func place(of soup: SoupName) -> Int { routes[soup] ?? 0 }

    func store(of soup: SoupName) -> any StoreBackend { stores[place(of: soup)].store }

    // MARK: Writes

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await turn.wait()
        defer { turn.signal() }
        return try await writing.run { try self.runWrite(body) }
    }

    func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        turn.waitBlocking()
        defer { turn.signal() }
        return try runWrite(at: now, body)
    }

    /// Runs work that changes the stores outside of a transaction.
    func whileNotWriting(_ work: () async throws -> Void) async throws {
        try await turn.wait()
        defer { turn.signal() }
        try await work()
    }

    /// Nests the transactions of all stores; the caller has the turn to write.
    private func runWrite<T>(at now: Int64? = nil, _ body: (any StoreWriter) throws -> T) throws -> T {
        let now = now ?? clock.milliseconds
        let date = dates.withLock { $0.next(at: now) }
        var isCommitting = false
        defer { if isCommitting { gate.signal() } }
        return try nestWrites(from: 0, [], at: date) { writers in
            let writer = RoutedWriter(writers, self)
            let result = try body(writer)
            // The error of one store must undo the changes of all.
            if let failure = writer.failure { throw failure }
            if let last = writer.lastDate { dates.withLock { $0.note(last) } }
            gate.wait()
            isCommitting = true
            return result
        }
    }

    private func nestWrites<T>(
        from index: Int, _ outer: [any StoreWriter], at date: Int64, body: ([any StoreWriter]) throws -> T
    ) throws -> T {
        guard index < stores.count else { return try body(outer) }
        return try stores[index].store.writeBlocking(at: date) { writer in
            try nestWrites(from: index + 1, outer + [writer], at: date, body: body)
        }
    }

    // MARK: Reads

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await readers.wait()
        defer { readers.signal() }
        let cancellation = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await reading.run { try self.readBlocking(cancellation, body) }
        } onCancel: {
            cancellation.set()
        }
    }

    func readBlocking<T>(_ cancellation: CancellationFlag, _ body: (any StoreReader) throws -> T) throws -> T {
        try cancellation.check()
        gate.wait()
        var isOpening = true
        defer { if isOpening { gate.signal() } }
        return try nestReads(from: 0, [], cancellation) { readers in
            gate.signal()
            isOpening = false
            return try body(RoutedReader(readers: readers, parts: self))
        }
    }

    private func nestReads<T>(
        from index: Int, _ outer: [any StoreReader], _ cancellation: CancellationFlag,
        body: ([any StoreReader]) throws -> T
    ) throws -> T {
        guard index < stores.count else { return try body(outer) }
        return try stores[index].store.readBlocking(cancellation: cancellation) { reader in
            try nestReads(from: index + 1, outer + [reader], cancellation, body: body)
        }
    }

    // MARK: Changes and end

    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> {
        let streams = Dictionary(grouping: soups, by: place(of:)).sorted { $0.key < $1.key }.map { place, soups in
            stores[place].store.changes(in: Set(soups))
        }
        if streams.count == 1 { return streams[0] }
        if streams.isEmpty { return stores[0].store.changes(in: soups) }
        let (merged, continuation) = AsyncStream.makeStream(of: StoreChange.self)
        let merging = Task {
            await withTaskGroup(of: Void.self) { group in
                for stream in streams {
                    group.addTask { for await change in stream { continuation.yield(change) } }
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in merging.cancel() }
        return merged
    }

    func close() async throws {
        // Closing also completes in a cancelled task.
        try await Task {
            try await turn.wait()
            defer { turn.signal() }
            var failure: (any Error)?
            for part in stores {
                do { try await part.store.close() } catch { failure = failure ?? error }
            }
            if let failure { throw failure }
        }.value
    }
}
