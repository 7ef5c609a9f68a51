// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The statistics and the maintenance of the whole store.
extension SmartStore {
    /// Returns the sizes of the store, all from one snapshot.
    ///
    /// - Throws: ``SoupError`` with `notSupported` if the backend does not measure them.
    public func statistics() async throws -> StoreStatistics { try await backend.statistics() }

    /// Returns the size of the database in bytes; see ``StoreStatistics/databaseSize``.
    public func databaseSize() async throws -> Int64 { try await statistics().databaseSize }

    /// Returns unused space to the system; it can take as long as rewriting the whole store.
    public func compact() async throws { try await backend.compact() }

    /// Moves committed data to its final place, for example before a backup.
    public func checkpoint() async throws { try await backend.checkpoint() }
}
