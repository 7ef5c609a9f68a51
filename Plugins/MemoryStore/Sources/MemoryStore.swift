// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The store backend `memory`: soups in plain arrays, gone with the last copy of the value that holds them.
///
/// For tests, previews and stores to throw away. It answers as `sqlite` does, without Smart SQL and full text, and
/// looks at every entry for most answers, so it is for thousands of entries rather than for hundreds of thousands.
/// Copies of a value are the same store; every ``open(_:in:)`` makes a new, empty one.
///
/// ```swift
/// let store = SmartStore(MemoryStore())
/// try await store.registerSoup("contacts", [IndexSpec("LastName", .string)])
/// try await store.upsert(["LastName": "Haas"], into: "contacts")
/// let found = try await store.query(.exact("contacts", "LastName", "Haas")).entries
/// ```
public struct MemoryStore: StoreBackend {
    /// The options of the backend: there are none yet, and keys such as `path` say nothing to it.
    public struct Configuration: Decodable, Sendable {
        /// The one configuration that there is.
        public init() {}
        /// Looks at nothing.
        public init(from decoder: any Decoder) throws {}
    }

    /// The `type` of this backend in `userstore.json`: `memory`.
    public static var name: PluginName { "memory" }

    /// `json1` alone: no Smart SQL, no full text, and nothing survives the process.
    public var capabilities: Set<StoreCapability> { [.json1, .syncedCopies] }

    private let memory: SharedMemory

    /// Makes an empty store.
    ///
    /// - Parameter clock: tells the times that entries carry.
    public init(clock: any SoupClock = SystemClock()) { memory = SharedMemory(clock: clock) }

    /// Makes an empty store, whatever the folder holds.
    public static func open(_ configuration: Configuration, in context: StoreContext) async throws -> MemoryStore {
        MemoryStore(clock: context.clock)
    }

    /// Runs `body` on a copy of all soups, which becomes the store when nothing in it throws.
    ///
    /// Writes come one after another, in the order in which they were asked for; reads go on beside them.
    ///
    /// - Throws: what the body throws, or what a writer's method in it threw; `CancellationError` when the task is
    ///   cancelled before the body begins; `storeUnusable` when the store is closed.
    public func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await memory.write(body)
    }

    /// Runs `body` on the soups as they are now.
    ///
    /// - Throws: what the body throws; `CancellationError` at its next question when the task was cancelled;
    ///   `storeUnusable` when the store is closed.
    public func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try Task.checkCancellation()
        return try body(MemoryReader(state: try memory.current()))
    }

    /// Tells of every write that changed entries of one of the soups, made through this value or a copy of it.
    public func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { memory.observers.changes(in: soups) }

    /// Gives a soup other index specs, in one step.
    ///
    /// A path that had an index of the same declared type keeps its values, also with `reIndex` false. The members that
    /// SoupKit itself keeps in entries, the local flags among them, are indexed in any case.
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

    /// Takes the index values of paths from the entries again; paths that are not indexed are passed over.
    ///
    /// - Throws: `soupNotFound`.
    public func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws {
        try await memory.write { writer in try writer.change(soup) { $0.reIndex(paths) } }
    }

    /// How many entries each soup has; there are no bytes to count.
    public func statistics() async throws -> StoreStatistics {
        let soups = try memory.current().soups.values.sorted { $0.name < $1.name }
        return StoreStatistics(
            databaseSize: 0, freeSize: 0, logSize: 0,
            soups: soups.map { soup in
                .init(name: soup.name, entries: soup.rows.count, dirty: soup.rows.count { $0.isDirty == true })
            })
    }

    /// Lets the soups go, when the writes under way are done; reads under way end on what they see.
    public func close() async throws { await memory.close() }

    /// Grants one claim at a time among the copies of this value: nobody else can reach the store.
    public func claimSyncs() async throws -> SyncLease? { try memory.claimSyncs() }
}
