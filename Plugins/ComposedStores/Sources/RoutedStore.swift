// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The store backend `routed`: soups in several stores, which act as one.
///
/// The main store has all soups without a route, and the data of the syncs. Each of the other stores has the soups that
/// are routed to it. All stores must claim ``StoreCapability/composable``.
///
/// * **A write** opens a transaction in every store. They are committed one after another, the main store last: the
///   state of a sync is committed after the rows that it covers. If the process ends between two commits, the next run
///   of the sync repeats what is missing. Without a crash, and unless a commit itself fails, a write is kept in all
///   stores or in none.
/// * **A read** sees all stores as they were at one moment: no read sees a part of a write.
/// * **A Smart SQL query** runs in the store of the soups that it names. A query over soups of several stores throws
///   `notSupported`.
/// * **A change of routes** does not move entries. Opening removes a soup from a store that is no longer its own if a
///   sync fetches all of its entries again, and else throws `storeUnusable`: see ``open(_:in:)``.
///
/// Copies of a value share the open stores.
///
/// ```swift
/// let store = try await RoutedStore(
///     main: try await SQLiteStore.open(.init(path: "/tmp/app.sqlite")), stores: ["fast": MemoryStore()],
///     routes: ["recent": "fast"])
/// ```
public struct RoutedStore: StoreBackend {
    /// The `type` of this backend in `userstore.json`: `routed`.
    public static var name: PluginName { "routed" }

    let parts: RoutedParts

    /// Creates a store from open ones, which ``close()`` closes.
    ///
    /// - Parameters:
    ///   - main: the store of all soups without a route.
    ///   - stores: the other stores, by names of your choice. No two of all stores may have the same data.
    ///   - routes: the name of the store of each soup that is not in the main store.
    ///   - clock: the source of the times in entries, for all stores.
    /// - Throws: as ``open(_:in:)`` does; `badConfiguration` for a route to an unknown name or of a soup of the syncs.
    ///   The stores then stay open.
    public init(
        main: any StoreBackend, stores: [String: any StoreBackend], routes: [SoupName: String],
        clock: any SoupClock = SystemClock()
    ) async throws {
        let names = stores.keys.sorted()
        for (soup, name) in routes.sorted(by: { $0.key < $1.key }) {
            guard stores[name] != nil, !SoupName.reserved.contains(soup) else {
                throw SoupError(
                    .badConfiguration, "the soup \"\(soup)\" cannot be routed to \"\(name)\"",
                    hint: "Route soups of the app to one of: \(names.joined(separator: ", ")).")
            }
        }
        parts = RoutedParts(
            stores: [.init(name: nil, store: main)] + names.map { .init(name: $0, store: stores[$0] ?? main) },
            routes: routes.compactMapValues { name in names.firstIndex(of: name).map { $0 + 1 } }, clock: clock)
        try parts.requireComposable()
        try await parts.checkPlaces()
    }

    /// Opens all stores.
    ///
    /// A soup that is in a store without being routed to it, because the routes were changed, is removed there if all
    /// of its entries came from a sync and have no local changes: the sync fetches them into the new store.
    ///
    /// The same applies to the file of a store that is not in the configuration any more.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` if such a soup has other entries, which exist only there, or if one
    ///   of the other stores contains syncs, so that it is the store of something else; `notSupported` if a store is
    ///   not composable; the errors of opening a store. All stores are closed then.
    public static func open(_ configuration: Configuration, in context: StoreContext) async throws -> RoutedStore {
        try configuration.check()
        var opened: [any StoreBackend] = []
        do {
            let main = try await context.open(configuration.main)
            opened.append(main)
            var stores: [String: any StoreBackend] = [:]
            for part in configuration.parts {
                let store = try await context.inner(part.name).open(part.reference)
                opened.append(store)
                stores[part.name] = store
            }
            try await FormerStores(in: context, besides: configuration.files(of: stores, in: context)).check()
            return try await RoutedStore(
                main: main, stores: stores, routes: configuration.storeNames, clock: context.clock)
        } catch {
            for store in opened { try? await store.close() }
            throw error
        }
    }

    /// The capabilities of the main store; `durable`, `restoring`, `foreignCommits` and `foreignChanges` only if all
    /// stores have them, `readOnly` if one of them is.
    public var capabilities: Set<StoreCapability> {
        let all = parts.stores.map(\.store.capabilities)
        var own = all[0]
        for shared in [StoreCapability.durable, .restoring, .foreignCommits, .foreignChanges]
        where !all.allSatisfy({ $0.contains(shared) }) { own.remove(shared) }
        if all.contains(where: { $0.contains(.readOnly) }) { own.insert(.readOnly) }
        return own
    }

    /// Returns the capabilities of the soup's store.
    ///
    /// A soup with a route has no `sqlTables`: a Smart SQL query that uses the names of tables directly reads the main
    /// store.
    public func capabilities(of soup: SoupName) -> Set<StoreCapability> {
        let own = parts.store(of: soup).capabilities(of: soup)
        return parts.place(of: soup) == 0 ? own : own.subtracting([.sqlTables])
    }

    /// Runs `body` in one transaction over all stores, on a thread of the store.
    ///
    /// - Throws: the error of the body or of a writing method in it; the errors of the stores; `CancellationError` if
    ///   the task is cancelled before its turn to write.
    public func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await parts.write(body)
    }

    /// Runs `body` on the snapshots of all stores at one moment, on a thread of the store.
    ///
    /// - Throws: the error of the body; the errors of the stores; `CancellationError`, also during a query.
    public func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await parts.read(body)
    }

    /// Runs `body` in one transaction over all stores, on the calling thread.
    public func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        try parts.writeBlocking(at: now, body)
    }

    /// Runs `body` on the snapshots of all stores at one moment, on the calling thread.
    public func readBlocking<T>(
        cancellation: CancellationFlag, _ body: (any StoreReader) throws -> T
    ) throws -> T {
        try parts.readBlocking(cancellation, body)
    }

    /// Returns a stream of the writes that change one of the soups.
    ///
    /// A write that changes soups of several stores is reported once for each of these stores. A read after the first
    /// report sees the whole write.
    public func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { parts.changes(in: soups) }

    /// Returns the sum of the numbers of all stores; nil if one of them cannot determine its number now.
    public func foreignCommits() throws -> Int64? {
        var sum: Int64 = 0
        for part in parts.stores {
            guard let own = try part.store.foreignCommits() else { return nil }
            sum += own
        }
        return sum
    }

    /// Alters a soup in its store, while no write is in progress.
    public func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws {
        try await parts.whileNotWriting { try await parts.store(of: soup).alterSoup(soup, to: specs, reIndex: reIndex) }
    }

    /// Re-indexes a soup in its store, while no write is in progress.
    public func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws {
        try await parts.whileNotWriting { try await parts.store(of: soup).reIndexSoup(soup, paths: paths) }
    }

    /// Returns the SQL of a Smart SQL text, from the store of the soups that it names.
    ///
    /// - Throws: the errors of that store; `notSupported` for soups of several stores.
    public func convert(_ smartSQL: String) async throws -> String {
        try await parts.stores[parts.place(ofSmartSQL: smartSQL)].store.convert(smartSQL)
    }

    /// Returns the sums of the sizes of all stores, each from a snapshot of its own.
    public func statistics() async throws -> StoreStatistics {
        var sum = StoreStatistics(databaseSize: 0, freeSize: 0, logSize: 0, soups: [])
        for part in parts.stores {
            let own = try await part.store.statistics()
            sum.databaseSize += own.databaseSize
            sum.freeSize += own.freeSize
            sum.logSize += own.logSize
            sum.soups += own.soups
        }
        sum.soups.sort { $0.name < $1.name }
        return sum
    }

    /// Compacts all stores, one after another.
    public func compact() async throws { for part in parts.stores { try await part.store.compact() } }

    /// Moves the committed data of all stores to its final place.
    public func checkpoint() async throws { for part in parts.stores { try await part.store.checkpoint() } }

    /// Closes all stores, when the work in progress is done.
    ///
    /// - Throws: the first error of a store; the others are closed nevertheless.
    public func close() async throws { try await parts.close() }

    /// Reports the beginning or the end of a load to all stores.
    public func bulkLoad(_ active: Bool) async { for part in parts.stores { await part.store.bulkLoad(active) } }

    /// Claims the lease of the main store, which contains the syncs.
    public func claimSyncs() async throws -> SyncLease? { try await parts.stores[0].store.claimSyncs() }
}
