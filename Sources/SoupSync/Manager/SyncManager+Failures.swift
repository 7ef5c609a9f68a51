// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncManager {
    /// Returns the entries with local changes whose last push failed or has an unknown outcome.
    ///
    /// Entries that are in conflict by now are not among them: see ``conflicts()``. The others are sorted by soup, then
    /// in the order of creation. Each entry stays dirty and is pushed again by the next sync up of its soup.
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
            // An entry that is in conflict by now has another reason, and keeps its last error. If the user has decided
            // the conflict, it is not listed as one any more.
            let keys = failures.map { EntryKey(soup: $0.soup, id: $0.entryId) }
            let conflicts = try ConflictStore.notes(of: keys, in: reader).filter {
                try ConflictStore.isListed($0.value, in: reader)
            }
            return failures.filter { conflicts[EntryKey(soup: $0.soup, id: $0.entryId)] == nil }
        }
    }
}
