// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncManager {
    /// Returns the entries with local changes whose last push failed or has an unknown outcome.
    ///
    /// They are sorted by soup, then in the order of creation. Each entry stays dirty and is pushed again by the next
    /// sync up of its soup.
    public func failures() async throws -> [RecordFailure] { try await Self.failures(in: services.backend) }

    /// Returns the failures of a store without opening a manager; same as ``failures()``.
    public static func failures(in backend: any StoreBackend) async throws -> [RecordFailure] {
        try await backend.read { reader in
            var failures: [RecordFailure] = []
            for soup in try reader.soupNames() where !SoupName.reserved.contains(soup) {
                try reader.forEachDirty(in: soup) { entry in
                    if let failure = RecordFailure(entry, in: soup) { failures.append(failure) }
                }
            }
            return failures
        }
    }
}
