// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The store as a whole: how much it holds, and what keeps it in shape.
extension SmartStore {
    /// How much the store holds, all of one snapshot.
    ///
    /// - Throws: ``SoupError`` with `notSupported` when the backend does not count.
    public func statistics() async throws -> StoreStatistics { try await backend.statistics() }

    /// The bytes of the database; see ``StoreStatistics/databaseSize``.
    public func databaseSize() async throws -> Int64 { try await statistics().databaseSize }

    /// Gives room that nothing uses any more back to the system; it may take as long as writing the whole store anew.
    public func compact() async throws { try await backend.compact() }

    /// Brings everything that is committed into the place where it stays: before a backup, for one.
    public func checkpoint() async throws { try await backend.checkpoint() }
}
