// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The store backend `layered`: a fast store before a store that contains all data.
///
/// The back store has everything, and decides everything: entry IDs, dates, results and errors. The front store has the
/// entries of some soups a second time, and answers reads of entries by their IDs. It is filled when the store is
/// opened, and each write changes both.
///
/// * **Reads.** ``quickRead(_:)`` uses the front store if its body only retrieves entries that the front store has.
///   Everything else reads the back store alone: a read never combines the two, so it sees one moment.
/// * **A write** is one transaction in each store. The back store is committed first. While the stores are committed,
///   reads use the back store. If the front store rejects a change, neither store keeps anything. If the front store
///   fails after the commit of the back store, the write succeeds, and reads use the back store until the next write
///   fills the front store again.
/// * **Other processes** may write to the back store: the front store is not used from their first commit on, until the
///   next write through this store fills it again.
///
/// The front store must claim ``StoreCapability/composable`` and ``StoreCapability/restoring`` and must not be durable,
/// because it is filled at every opening; the back store must claim `composable` and
/// ``StoreCapability/foreignCommits``. Capabilities, syncs and the reported changes are those of the back store. Copies
/// of a value share the open stores.
///
/// ```swift
/// let back = try await SQLiteStore.open(.init(path: "/tmp/app.sqlite"))
/// let store = try await LayeredStore(front: MemoryStore(), back: back, soups: ["contacts"])
/// ```
public struct LayeredStore: ForwardingStore {
    /// The `type` of this backend in `userstore.json`: `layered`.
    public static var name: PluginName { "layered" }

    /// The back store.
    public var inner: any StoreBackend { layers.back }

    private let layers: Layers

    /// Creates a store from open ones, which ``close()`` closes, and fills the front store.
    ///
    /// - Parameters:
    ///   - front: the fast store; its soups are replaced.
    ///   - back: the store that contains all data. It must not be used directly for writes.
    ///   - soups: the soups whose entries the front store has too; nil for all soups except those of the syncs.
    /// - Throws: as ``open(_:in:)`` does; `badConfiguration` for an empty list and for a soup of the syncs. The stores
    ///   then stay open.
    public init(front: any StoreBackend, back: any StoreBackend, soups: [SoupName]? = nil) async throws {
        try Configuration.check(soups)
        layers = Layers(front: front, back: back, contents: FrontContents(soups: soups.map { Set($0) }))
        try layers.check()
        try await layers.fill()
    }

    /// Opens both stores, and copies the entries of the soups to the front store.
    ///
    /// - Throws: ``SoupError`` with `notSupported` if one of the stores lacks a capability, or if the front store is
    ///   durable; the errors of opening a store. Both stores are closed then.
    public static func open(_ configuration: Configuration, in context: StoreContext) async throws -> LayeredStore {
        try Configuration.check(configuration.soups)
        var opened: [any StoreBackend] = []
        do {
            let back = try await context.open(configuration.back)
            opened.append(back)
            let front = try await context.inner("front").open(configuration.front)
            opened.append(front)
            return try await LayeredStore(front: front, back: back, soups: configuration.soups)
        } catch {
            for store in opened { try? await store.close() }
            throw error
        }
    }

    /// Runs `body` in one transaction of the back store, and applies its changes to the front store.
    ///
    /// - Throws: the error of the body or of a writing method in it; the errors of the stores; `CancellationError` if
    ///   the task is cancelled before its turn to write.
    public func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await layers.write(body)
    }

    /// Runs `body` as ``write(_:)`` does, on the calling thread.
    public func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        try layers.writeBlocking(at: now, body)
    }

    /// Runs a short `body` on the front store if that has all that it reads, and else, again, on the back store.
    ///
    /// - Throws: the errors of the back store.
    public func quickRead<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        if let result = await layers.readFront(body) { return result }
        return try await inner.quickRead(body)
    }

    /// Closes both stores, when the work in progress is done.
    ///
    /// - Throws: the first error of a store; the other is closed nevertheless.
    public func close() async throws { try await layers.close() }
}
