// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncManager {
    /// Returns the states of the syncs of a store, in the order in which they were created, without opening a manager.
    ///
    /// The method only reads: it does not mark the unfinished runs of another manager as STOPPED. Unreadable rows are
    /// left out. A store without `syncs_soup` has no syncs.
    public static func states(in backend: any StoreBackend) async throws -> [SyncState] {
        try await backend.read { reader in
            guard try reader.soupExists(SyncsSoup.name) else { return [] }
            return try SyncsSoup.rows(in: reader).map(\.state)
        }
    }
}
