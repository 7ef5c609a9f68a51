// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that wraps another store, and implements only what it changes.
///
/// Every requirement of ``StoreBackend`` is forwarded to ``inner``, except the name, the configuration and the opening.
/// A wrapper that is only created in code needs no ``StoreBackend/open(_:in:)``: its default throws `notSupported`.
/// A wrapper that changes the bodies of writes implements ``StoreBackend/write(_:)`` and
/// ``StoreBackend/writeBlocking(at:_:)``; for reads, `read`, `quickRead` and `readBlocking`. A wrapper that changes
/// capabilities implements both ``StoreBackend/capabilities`` and ``StoreBackend/capabilities(of:)``.
///
/// ```swift
/// struct NumberedStore: ForwardingStore {
///     struct Configuration: Decodable, Sendable { var store: StoreReference }
///     static let name: PluginName = "numbered"
///     let inner: any StoreBackend
///
///     static func open(_ configuration: Configuration, in context: StoreContext) async throws -> NumberedStore {
///         NumberedStore(inner: try await context.open(configuration.store))
///     }
/// }
/// ```
///
/// Plug-in interface: version 1. ``PluginInterface`` states what may change within it.
public protocol ForwardingStore: StoreBackend {
    /// The store that the calls are forwarded to.
    var inner: any StoreBackend { get }
}

extension ForwardingStore {
    /// Throws `notSupported`: for wrappers that are created in code, and not by a configuration.
    public static func open(_ configuration: Configuration, in context: StoreContext) async throws -> Self {
        throw SoupError(
            .notSupported, "a store of the type \"\(name)\" cannot be opened by a configuration",
            hint: "Create it in code, or implement open(_:in:).")
    }

    /// The capabilities of the inner store.
    public var capabilities: Set<StoreCapability> { inner.capabilities }

    /// Returns the capabilities of the inner store for a soup.
    public func capabilities(of soup: SoupName) -> Set<StoreCapability> { inner.capabilities(of: soup) }

    /// Writes to the inner store.
    public func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await inner.write(body)
    }

    /// Reads the inner store.
    public func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await inner.read(body)
    }

    /// Reads the inner store.
    public func quickRead<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await inner.quickRead(body)
    }

    /// Writes to the inner store, on the calling thread.
    public func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        try inner.writeBlocking(at: now, body)
    }

    /// Reads the inner store, on the calling thread.
    public func readBlocking<T>(
        cancellation: CancellationFlag, _ body: (any StoreReader) throws -> T
    ) throws -> T {
        try inner.readBlocking(cancellation: cancellation, body)
    }

    /// Returns the number of the inner store.
    public func foreignCommits() throws -> Int64? { try inner.foreignCommits() }

    /// Returns the changes of the inner store.
    public func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { inner.changes(in: soups) }

    /// Alters a soup of the inner store.
    public func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws {
        try await inner.alterSoup(soup, to: specs, reIndex: reIndex)
    }

    /// Re-indexes a soup of the inner store.
    public func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws {
        try await inner.reIndexSoup(soup, paths: paths)
    }

    /// Returns the SQL of the inner store.
    public func convert(_ smartSQL: String) async throws -> String { try await inner.convert(smartSQL) }

    /// Returns the statistics of the inner store.
    public func statistics() async throws -> StoreStatistics { try await inner.statistics() }

    /// Compacts the inner store.
    public func compact() async throws { try await inner.compact() }

    /// Moves the committed data of the inner store to its final place.
    public func checkpoint() async throws { try await inner.checkpoint() }

    /// Closes the inner store.
    public func close() async throws { try await inner.close() }

    /// Reports the beginning or the end of a load to the inner store.
    public func bulkLoad(_ active: Bool) async { await inner.bulkLoad(active) }

    /// Claims the lease of the inner store.
    public func claimSyncs() async throws -> SyncLease? { try await inner.claimSyncs() }
}
