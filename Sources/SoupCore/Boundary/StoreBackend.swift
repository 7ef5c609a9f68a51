// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that stores soups: the boundary that a store backend implements.
///
/// A backend stores soups of JSON entries and answers queries over them. It opens from its own configuration, which the
/// store configuration contains as `"backend": {"type": "sqlite", ...}`. The doc comments here are the contract. The
/// module `SoupConformance` runs data cases against it; `Plugins/SoupMemory` is an implementation to read, and
/// `Tests/SoupBackendTests` compares several.
///
/// Guarantees of a backend:
/// * ``write(_:)`` is one transaction: all of it is kept, or, if the body throws or the process ends, none of it.
/// * Writes are serial. Reads run concurrently on a snapshot, and see every write that has returned before.
/// * If ``StoreCapability/durable`` is claimed, the changes of a write that has returned survive the end of the
///   process.
/// * IDs of entries count up from 1 and are never reused, not even after a delete, a clear or a crash.
/// * If the task is cancelled while it waits for access, `CancellationError` is thrown. The body of a write that has
///   begun is not interrupted. The body of a read is interrupted by the same error, at its next query or during one.
///
/// Plug-in interface: version 1. ``PluginInterface`` states what may change within it.
public protocol StoreBackend: Sendable {
    /// The type that the `backend` object of a store configuration is decoded to.
    ///
    /// It ignores unknown keys, `type` among them.
    associatedtype Configuration: Decodable & Sendable

    /// The name in store configurations: `sqlite`.
    static var name: PluginName { get }

    /// Opens the store, creates it if it does not exist, and completes work that a crash interrupted.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` if the file is locked, foreign, truncated or not writable. It never
    ///   replaces a store that it cannot read.
    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> Self

    /// The capabilities of the backend beyond entries and plain queries.
    ///
    /// For a store that keeps soups in several other stores, those of a soup without a place of its own.
    var capabilities: Set<StoreCapability> { get }

    /// Returns the capabilities that apply to a soup, whether it exists or not; the default returns ``capabilities``.
    func capabilities(of soup: SoupName) -> Set<StoreCapability>

    /// Runs `body` in one transaction, and returns its result.
    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T

    /// Runs `body` on one snapshot, and returns its result.
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T

    /// Runs a short `body` on one snapshot, as ``read(_:)`` does, but possibly more than once.
    ///
    /// The body must only compute its result. A backend may run it on the calling thread, which is fast. If it then
    /// takes long, the backend may start it again on a thread where it blocks no other work. The default is
    /// ``read(_:)``.
    func quickRead<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T

    /// Runs `body` in one transaction as ``write(_:)`` does, but on the calling thread.
    ///
    /// A store that composes others nests their calls, so that their transactions are open at the same time. They are
    /// committed from the innermost to the outermost, and an error rolls back all that are not committed yet. Changes
    /// are reported before this method returns, so possibly before the outer transactions are committed.
    ///
    /// The call blocks its thread while it waits for access, and is not cancelled: never call it on a thread of Swift's
    /// cooperative pool, that is, from `async` code. Never call it in a body of the same store, which would wait for
    /// itself. Requires ``StoreCapability/composable``; the default throws `notSupported`.
    ///
    /// - Parameter now: the time for the dates of entries, in milliseconds since 1970, in place of the clock's: the
    ///   stores of one transaction use the same, which is later than the ``StoreWriter/lastDate`` of all earlier ones.
    ///   Nil for the clock.
    func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T

    /// Runs `body` on one snapshot as ``read(_:)`` does, but on the calling thread.
    ///
    /// The snapshot is fixed before `body` begins, so that several stores can be read as they were at one moment. It
    /// may be called in a read of another store. For the calling thread, the rules of ``writeBlocking(at:_:)`` apply.
    /// Requires ``StoreCapability/composable``; the default throws `notSupported`.
    ///
    /// - Parameter cancellation: interrupts the read with `CancellationError` when it is set.
    func readBlocking<T>(cancellation: CancellationFlag, _ body: (any StoreReader) throws -> T) throws -> T

    /// Returns a number that increases with the changes that other processes, or other opened stores of the same data,
    /// have committed.
    ///
    /// A store that keeps data of another one uses it to detect that these are outdated. The number after such a change
    /// differs from every number that was returned before it. Writes through this value or a copy of it do not change
    /// the number. The call does not wait for writes in progress. Requires ``StoreCapability/foreignCommits``; the
    /// default throws `notSupported`. A store for one process returns 0.
    ///
    /// - Returns: the number; nil if the store cannot determine it at this moment, because a write through this value
    ///   is in progress.
    func foreignCommits() throws -> Int64?

    /// Returns a stream with one element after every write that changes entries of one of the soups.
    ///
    /// It starts with the call and never fails. It ends when the task ends or the store is closed. A store with the
    /// capability ``StoreCapability/foreignChanges`` also reports the writes of other processes; one element can then
    /// stand for several of their writes, and an element without a change is possible.
    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange>

    /// Replaces the index specs of a soup.
    ///
    /// Entries, IDs and dates stay. The indexes of specs that are in both lists stay too, whatever their position. A
    /// change that has begun is completed, by the next open if the process ends before. Until then all readers see the
    /// soup as it was. Requires ``StoreCapability/soupAlteration``; the default throws `notSupported`.
    ///
    /// - Parameter reIndex: whether new specs get their values from the entries. Without it, queries on their paths
    ///   find nothing before ``reIndexSoup(_:paths:)``, except for ``EntryField/own`` members, which are always
    ///   indexed: entries with local changes are known at any time.
    /// - Throws: `soupNotFound`; `noIndexSpecs` and `badPath`, as ``IndexSpec/check(_:of:)`` does; then nothing has
    ///   changed.
    func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws

    /// Recomputes the index values of paths from the entries; paths that are not indexed are ignored.
    ///
    /// It is one transaction; dates stay. As for an alter, a change that has begun is completed. Requires
    /// ``StoreCapability/soupAlteration``; the default throws `notSupported`.
    ///
    /// - Throws: `soupNotFound`.
    func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws

    /// Returns the SQL for a Smart SQL text, for information; results are read with ``read(_:)``.
    ///
    /// Requires ``StoreCapability/sqlTables``; the default throws `notSupported`.
    ///
    /// - Throws: ``SoupError`` with `onlySelect`, `badReference` or `unknownSoup`, and its place in the text.
    func convert(_ smartSQL: String) async throws -> String

    /// Returns the sizes of the store, all from one snapshot; the default throws `notSupported`.
    func statistics() async throws -> StoreStatistics

    /// Returns unused space to the system.
    ///
    /// It waits for exclusive access like a write, and can take as long as rewriting the whole store. No data is lost
    /// if the process ends before it is complete. The default does nothing.
    func compact() async throws

    /// Moves committed data to its final place, unless reads in progress prevent that.
    ///
    /// The default does nothing.
    func checkpoint() async throws

    /// Releases all resources outside the process, such as files and locks, when the work in progress is done.
    ///
    /// Afterwards reads and writes throw `storeUnusable`, as ``SoupError/storeClosed``, and no changes are reported;
    /// closing again does nothing. A store that is not closed releases them some time after its last reference is
    /// released. A store that wraps others closes all of them. There is no default: a wrapper that forgets to close its
    /// store would keep its locks.
    func close() async throws

    /// Reports the beginning and the end of a long load.
    ///
    /// The backend may then trade the durability of single pages for speed, but never their atomicity. Loads overlap:
    /// loading is over when it was ended as often as it was begun. A call is carried out completely, even in a
    /// cancelled task. The default does nothing.
    func bulkLoad(_ active: Bool) async

    /// Claims the lease for syncing this store.
    ///
    /// At most one holder has it at a time, over all processes and all opened stores of the same data. It lasts until
    /// ``SyncLease/release()`` or the end of the process. This method never waits, and must be cheap. A store for one
    /// process uses ``SyncLeases``; a store that wraps others claims the lease of the one that contains the syncs.
    /// There is no default: a store that grants every claim lets two processes sync the same data.
    ///
    /// - Returns: the lease; nil while another holder has it.
    /// - Throws: ``SoupError`` with `storeUnusable` if the backend cannot determine whether it is free.
    func claimSyncs() async throws -> SyncLease?
}

extension StoreBackend {
    /// Runs the body once, with ``read(_:)``.
    public func quickRead<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await read(body)
    }

    /// Returns ``capabilities``: for stores that treat all soups alike.
    public func capabilities(of soup: SoupName) -> Set<StoreCapability> { capabilities }

    /// Throws `notSupported`: for stores that cannot be a part of another store.
    public func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        throw SoupError.unsupported("be a part of another store")
    }

    /// Throws `notSupported`: for stores that cannot be a part of another store.
    public func readBlocking<T>(
        cancellation: CancellationFlag, _ body: (any StoreReader) throws -> T
    ) throws -> T {
        throw SoupError.unsupported("be a part of another store")
    }

    /// Throws `notSupported`: for stores that do not notice the changes of other processes.
    public func foreignCommits() throws -> Int64? {
        throw SoupError.unsupported("report the changes of other processes")
    }

    /// Throws `notSupported`: for stores whose soups keep the indexes of their registration.
    public func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws {
        throw SoupError.unsupported("alter soups")
    }

    /// Throws `notSupported`: for stores that cannot recompute index values.
    public func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws {
        throw SoupError.unsupported("re-index soups")
    }

    /// Throws `notSupported`: for stores that do not use SQL.
    public func convert(_ smartSQL: String) async throws -> String {
        throw SoupError.unsupported("convert Smart SQL to SQL")
    }

    /// Throws `notSupported`: for stores that do not measure their size.
    public func statistics() async throws -> StoreStatistics {
        throw SoupError.unsupported("report statistics")
    }

    /// Does nothing: for stores that keep no unused space.
    public func compact() async throws {}

    /// Does nothing: for stores that write everything to its final place at once.
    public func checkpoint() async throws {}

    /// Ignores the hint.
    public func bulkLoad(_ active: Bool) async {}
}

/// A change of soups, reported after the write that made it.
public struct StoreChange: Sendable, Hashable {
    /// The observed soups whose entries changed; never empty.
    public var soups: Set<SoupName>
    /// Creates a change; backends send one to each observer of one of the soups.
    public init(soups: Set<SoupName>) { self.soups = soups }
}
