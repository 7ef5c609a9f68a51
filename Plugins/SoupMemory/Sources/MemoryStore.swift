// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The store backend `memory`: soups in arrays, which are released with the last copy of the value.
///
/// For tests, previews and temporary stores. It gives the same results as `sqlite`, without Smart SQL and full text.
/// Most queries scan every entry, so it is for thousands of entries rather than for hundreds of thousands. Copies of a
/// value share one store; every ``open(_:in:)`` creates a new, empty one.
///
/// ```swift
/// let store = SmartStore(MemoryStore())
/// try await store.registerSoup("contacts", [IndexSpec("LastName", .string)])
/// try await store.upsert(["LastName": "Haas"], into: "contacts")
/// let found = try await store.query(.exact("contacts", "LastName", equals: "Haas")).entries
/// ```
public struct MemoryStore: StoreBackend {
    /// The options of the backend: there are none yet, and keys such as `path` are ignored.
    public struct Configuration: Decodable, Sendable {
        /// Creates the configuration.
        public init() {}

        private enum CodingKeys: CodingKey {}

        /// Creates the configuration; no key is known.
        public init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: CodingKeys.self) }
    }

    /// The `type` of this backend in `userstore.json`: `memory`.
    public static var name: PluginName { "memory" }

    /// `json1`, altering of soups, synced copies, and use in a composed store: no Smart SQL, no full text, and no
    /// durable storage.
    public var capabilities: Set<StoreCapability> {
        [.json1, .soupAlteration, .syncedCopies, .composable, .restoring, .foreignCommits, .foreignChanges]
    }

    private let memory: SharedMemory

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - clock: the source of the times in entries.
    ///   - random: the source of the identities of soups, see `StoreReader.generation(of:)`; it must not repeat a
    ///     number.
    public init(
        clock: any SoupClock = SystemClock(),
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) {
        memory = SharedMemory(clock: clock, random: random)
    }

    /// Creates an empty store, regardless of the folder's content.
    public static func open(_ configuration: Configuration, in context: StoreContext) async throws -> MemoryStore {
        MemoryStore(clock: context.clock)
    }

    /// Runs `body` on a copy of all soups, which replaces the store's state if nothing in it throws.
    ///
    /// Writes run one after another, in the order of their calls; reads run concurrently.
    ///
    /// - Throws: the error of the body, or of a writer's method in it; `CancellationError` if the task is cancelled
    ///   before the body begins; `storeUnusable` if the store is closed.
    public func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await memory.write(body)
    }

    /// Runs `body` on the current soups.
    ///
    /// - Throws: the error of the body; `CancellationError` at its next query if the task was cancelled;
    ///   `storeUnusable` if the store is closed.
    public func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try Task.checkCancellation()
        return try body(MemoryReader(state: try memory.current()))
    }

    /// Runs `body` as ``write(_:)`` does, on the calling thread, which blocks while it waits for other writes.
    ///
    /// - Throws: as ``write(_:)`` does, but no `CancellationError`.
    public func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        try memory.writeBlocking(at: now, body)
    }

    /// Runs `body` on the current soups, on the calling thread; it never waits.
    ///
    /// - Throws: the error of the body; `CancellationError` at its next query if the flag is set; `storeUnusable` if
    ///   the store is closed.
    public func readBlocking<T>(
        cancellation: CancellationFlag, _ body: (any StoreReader) throws -> T
    ) throws -> T {
        try cancellation.check()
        return try body(MemoryReader(state: try memory.current(), cancellation: cancellation))
    }

    /// Returns 0: no other process can change the soups.
    public func foreignCommits() throws -> Int64? {
        _ = try memory.current()
        return 0
    }

    /// Returns a stream of the writes that changed entries of one of the soups, made through this value or a copy of
    /// it; no other process can change the soups.
    public func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { memory.observers.changes(in: soups) }

    /// Changes the index specs of a soup, in one step.
    ///
    /// A path that had an index of the same declared type keeps its values, even if `reIndex` is false. The members
    /// that SoupKit itself keeps in entries, including the local flags, are always indexed.
    ///
    /// - Throws: `soupNotFound`, `noIndexSpecs`, `badPath`, `notSupported` for a full-text spec.
    public func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws {
        try await memory.write { writer in
            try writer.change(soup) { state in
                try MemorySoup.check(specs, of: soup)
                return state.alter(to: specs, reIndex: reIndex)
            }
        }
    }

    /// Reads the index values of paths from the entries again; paths without an index are ignored.
    ///
    /// - Throws: `soupNotFound`.
    public func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws {
        try await memory.write { writer in try writer.change(soup) { $0.reIndex(paths) } }
    }

    /// Returns the number of entries of each soup; there are no file sizes.
    public func statistics() async throws -> StoreStatistics {
        let soups = try memory.current().soups.values.sorted { $0.name < $1.name }
        return StoreStatistics(
            databaseSize: 0, freeSize: 0, logSize: 0,
            soups: soups.map { soup in
                .init(name: soup.name, entries: soup.rows.count, dirty: soup.rows.count { $0.isDirty == true })
            })
    }

    /// Releases the soups after the writes under way have ended; reads under way continue on their snapshot.
    public func close() async throws { await memory.close() }

    /// Grants one claim at a time among the copies of this value; other processes cannot access the store.
    public func claimSyncs() async throws -> SyncLease? { try memory.claimSyncs() }
}
