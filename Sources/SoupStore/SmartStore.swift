// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The store's API for apps: soups of JSON entries, queries over them, and edits that the next sync sends.
///
/// It works with any ``StoreBackend`` and holds no data: copies are the same store. Every method is one transaction or
/// one snapshot; to combine several steps, use ``write(_:)`` and ``read(_:)``.
///
/// ```swift
/// let store = SmartStore(try await SQLiteStore.open(.init(path: "contacts.sqlite")))
/// try await store.registerSoup("contacts", [IndexSpec("Id", .string), IndexSpec("__local__", .string)])
/// let entry = try await store.create(["LastName": "Haas"], type: "Contact", in: "contacts")
/// ```
public struct SmartStore: Sendable {
    /// The backend that stores the soups.
    public let backend: any StoreBackend
    let clock: any SoupClock
    let makeLocalId: @Sendable () -> String

    /// Creates a store on a backend.
    ///
    /// - Parameters:
    ///   - makeLocalId: returns the ID of a record that the server does not have yet; it must begin with `local_` and
    ///     be unique.
    public init(
        _ backend: any StoreBackend, clock: any SoupClock = SystemClock(),
        makeLocalId: @escaping @Sendable () -> String = LocalId.random
    ) {
        self.backend = backend
        self.clock = clock
        self.makeLocalId = makeLocalId
    }

    /// Runs `body` in one transaction: all of it is kept, or none.
    public func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await backend.write { writer in try WriteMark.marking { try body(writer) } }
    }

    /// Runs `body` on one snapshot.
    public func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await backend.read(body)
    }

    /// Closes the store when the work in progress is done; afterwards its methods throw `storeUnusable`.
    public func close() async throws { try await backend.close() }

    /// Returns a stream with one element after every write that changes entries of one of the soups.
    public func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { backend.changes(in: soups) }
}
