// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import SoupMemory
import SoupTestStores
import SoupSQLite
import SoupStore
import SoupCore
import SoupTesting
import Synchronization

/// The backends for tests of `SmartStore`.
enum StoreKind: CaseIterable, Sendable {
    case sqlite, memory
    /// The contacts and the soup `other` in a second file.
    case routed
    /// A store in memory, with all soups, before the file.
    case layered

    /// The backends with Smart SQL and full text.
    static let withSQL: [StoreKind] = [.sqlite, .routed, .layered]

    func open(in folder: TemporaryFolder, _ clock: any SoupClock) async throws -> any StoreBackend {
        func sqlite(_ name: String = "s") async throws -> SQLiteStore {
            try await SQLiteStore.open(.test(path: "\(folder.path)/\(name).sqlite"), clock: clock)
        }
        switch self {
        case .sqlite: return try await sqlite()
        case .memory: return MemoryStore(clock: clock)
        case .routed:
            return try await RoutedStore(
                main: sqlite(), stores: ["second": sqlite("second")],
                routes: ["contacts": "second", "other": "second"], clock: clock)
        case .layered: return try await LayeredStore(front: MemoryStore(clock: clock), back: sqlite())
        }
    }
}

/// A store that counts its reads, reports when observers request a change, and runs test code at a read.
final class WatchedStore: StoreBackend {
    typealias Configuration = MemoryStore.Configuration
    static let name: PluginName = "watched"

    private let store: any StoreBackend
    private let count = Mutex(0)
    private let before = Mutex<(@Sendable () async -> Void)?>(nil)
    private let after = Mutex<(@Sendable () async -> Void)?>(nil)
    private let requests = AsyncStream.makeStream(of: Void.self)

    var reads: Int { count.withLock { $0 } }
    var capabilities: Set<StoreCapability> { store.capabilities.subtracting([.composable, .foreignCommits]) }

    init(_ store: any StoreBackend) { self.store = store }

    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> WatchedStore {
        WatchedStore(MemoryStore(clock: context.clock))
    }

    /// Runs `body` once, in the task of the next read, before it reads.
    func beforeNextRead(_ body: @escaping @Sendable () async -> Void) { before.withLock { $0 = body } }

    /// Runs `body` once, in the task of the next read, after it has read.
    func afterNextRead(_ body: @escaping @Sendable () async -> Void) { after.withLock { $0 = body } }

    /// Waits until observers have requested a change `times` times: the first one, and one after each received change.
    func waitForRequests(_ times: Int) async {
        var received = requests.stream.makeAsyncIterator()
        for _ in 0..<times { await received.next() }
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
        let observer = Observer(store.changes(in: soups), requests: requests.continuation)
        return AsyncStream { await observer.next() }
    }

    func claimSyncs() async throws -> SyncLease? { try await store.claimSyncs() }

    func close() async throws { try await store.close() }

    private actor Observer {
        private var changes: AsyncStream<StoreChange>.Iterator
        private let requests: AsyncStream<Void>.Continuation

        init(_ changes: AsyncStream<StoreChange>, requests: AsyncStream<Void>.Continuation) {
            self.changes = changes.makeAsyncIterator()
            self.requests = requests
        }

        func next() async -> StoreChange? {
            requests.yield()
            var changes = changes
            defer { self.changes = changes }
            return await changes.next(isolation: self)
        }
    }
}
