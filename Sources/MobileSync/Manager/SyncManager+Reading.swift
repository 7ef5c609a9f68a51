// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncManager {
    /// How the syncs of a store stand, in the order in which they were created, without opening a manager.
    ///
    /// Only reads: runs that another manager has under way are not taken for leftovers. Rows that cannot be read are
    /// left out; a store without `syncs_soup` has no syncs.
    public static func states(in backend: any StoreBackend) async throws -> [SyncState] {
        try await backend.read { reader in
            guard try reader.soupExists(SyncsSoup.name) else { return [] }
            return try SyncsSoup.rows(in: reader).map(\.state)
        }
    }
}
