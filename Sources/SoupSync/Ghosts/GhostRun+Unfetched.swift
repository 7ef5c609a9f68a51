// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The entries of records that a sync up created, and that no sync down has fetched yet.
///
/// They belong to no sync, so that the survivors of a target do not show whether their records were deleted.
extension GhostRun {
    /// Returns the entries that no sync down has fetched, and whose records no longer exist on the server.
    ///
    /// Records that exist stay, also if the conditions of the target exclude them.
    func unfetchedGhosts(
        of level: RecordLayout.Level, _ position: Int, _ context: SyncContext
    ) async throws -> [Candidate] {
        let unfetched = try await services.backend.read { try Self.unfetchedEntries(of: level, in: $0) }
        var ghosts: [Candidate] = []
        for (type, entries) in unfetched.sorted(by: { $0.key < $1.key }) {
            let possible = entries.filter { target.isPossibleId($0.value, level: position) }
            guard !possible.isEmpty,
                let existing = try await target.existing(
                    possible.map(\.value), type: type, level: position, in: context)
            else { continue }
            ghosts += possible.filter { !existing.contains($0.value) }
        }
        return ghosts
    }

    /// Returns the clean entries of a level that no sync down has fetched, by the types of their records.
    private static func unfetchedEntries(
        of level: RecordLayout.Level, in reader: any StoreReader
    ) throws -> [String: [Candidate]] {
        let fetched = Set(
            try reader.cleanValues(at: JSONPath(EntryField.syncId), in: level.soup, writtenBy: nil).map(\.id))
        let ids = try reader.cleanValues(at: JSONPath(level.idField), in: level.soup, writtenBy: nil)
            .map(\.id).filter { !fetched.contains($0) }
        var unfetched: [String: [Candidate]] = [:]
        for start in stride(from: 0, to: ids.count, by: 500) {
            let slice = Array(ids[start..<min(start + 500, ids.count)])
            for entry in try reader.retrieve(slice, from: level.soup) where entry.flags.isClean {
                guard let value = entry[JSONPath(level.idField)]?.idText,
                    let type = entry["attributes.type"]?.stringValue
                else { continue }
                unfetched[type, default: []].append(Candidate(id: entry.id, value: value))
            }
        }
        return unfetched
    }
}
