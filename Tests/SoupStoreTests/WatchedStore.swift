// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupMemory
import SoupSQLite
import SoupStore
import SoupCore
import SoupTesting
import Synchronization

/// The backends that tests of the store's face run on.
enum StoreKind: CaseIterable, Sendable {
    case sqlite, memory

    func open(in folder: TemporaryFolder, _ clock: any SoupClock) async throws -> any StoreBackend {
        switch self {
        case .sqlite: try await SQLiteStore.open(.init(path: folder.path + "/s.sqlite"), clock: clock)
        case .memory: MemoryStore(clock: clock)
        }
    }
}

/// A store that counts how often it is read, tells when its listeners take a change, and lets something happen at a
/// read.
final class WatchedStore: StoreBackend {
    typealias Configuration = MemoryStore.Configuration
    static let name: PluginName = "watched"

    private let store: any StoreBackend
    private let count = Mutex(0)
    private let before = Mutex<(@Sendable () async -> Void)?>(nil)
    private let after = Mutex<(@Sendable () async -> Void)?>(nil)
    private let asked = AsyncStream.makeStream(of: Void.self)

    var reads: Int { count.withLock { $0 } }
    var capabilities: Set<StoreCapability> { store.capabilities }

    init(_ store: any StoreBackend) { self.store = store }

    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> WatchedStore {
        WatchedStore(MemoryStore(clock: context.clock))
    }

    /// Done once, by the task that reads next, before it reads.
    func beforeNextRead(_ body: @escaping @Sendable () async -> Void) { before.withLock { $0 = body } }

    /// Done once, by the task that reads next, when it has read.
    func afterNextRead(_ body: @escaping @Sendable () async -> Void) { after.withLock { $0 = body } }

    /// Returns when a listener has asked for a change so often: for the first one, and once for each that it has taken.
    func listenersAsked(_ times: Int) async {
        var asks = asked.stream.makeAsyncIterator()
        for _ in 0..<times { await asks.next() }
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await store.write(body)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        count.withLock { $0 += 1 }
        await Self.take(before)?()
        let result = try await store.read(body)
        await Self.take(after)?()
        return result
    }

    private static func take(_ hook: borrowing Mutex<(@Sendable () async -> Void)?>) -> (@Sendable () async -> Void)? {
        hook.withLock { hook in
            defer { hook = nil }
            return hook
        }
    }

    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> {
        let listener = Listener(store.changes(in: soups), asked.continuation)
        return AsyncStream { await listener.next() }
    }

    func close() async throws { try await store.close() }

    private actor Listener {
        private var changes: AsyncStream<StoreChange>.Iterator
        private let asked: AsyncStream<Void>.Continuation

        init(_ changes: AsyncStream<StoreChange>, _ asked: AsyncStream<Void>.Continuation) {
            self.changes = changes.makeAsyncIterator()
            self.asked = asked
        }

        func next() async -> StoreChange? {
            asked.yield()
            var changes = changes
            defer { self.changes = changes }
            return await changes.next(isolation: self)
        }
    }
}
