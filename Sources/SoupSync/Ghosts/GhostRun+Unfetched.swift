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
    ///
    /// - Parameter includingEdited: whether entries with local changes are included, because the server does not report
    ///   their deletions again.
    func unfetchedGhosts(
        of level: RecordLayout.Level, _ position: Int, includingEdited: Bool, _ context: SyncContext
    ) async throws -> [Candidate] {
        let unfetched = try await services.backend.read {
            try Self.unfetchedEntries(of: level, includingEdited: includingEdited, in: $0)
        }
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

    /// Returns the entries of a level that no sync down has fetched, by the types of their records.
    private static func unfetchedEntries(
        of level: RecordLayout.Level, includingEdited: Bool, in reader: any StoreReader
    ) throws -> [String: [Candidate]] {
        var ids = try cleanUnfetchedIds(of: level, in: reader)
        if includingEdited { ids += try reader.dirtyIds(in: level.soup) }
        var unfetched: [String: [Candidate]] = [:]
        for start in stride(from: 0, to: ids.count, by: 500) {
            for entry in try reader.retrieve(Array(ids[start..<min(start + 500, ids.count)]), from: level.soup) {
                guard entry.isUnfetched, !entry.flags.created, let value = entry[JSONPath(level.idField)]?.idText,
                    let type = entry["attributes.type"]?.stringValue
                else { continue }
                unfetched[type, default: []].append(Candidate(id: entry.id, value: value))
            }
        }
        return unfetched
    }

    /// Returns the IDs of the clean entries of a level that no sync down has fetched.
    static func cleanUnfetchedIds(of level: RecordLayout.Level, in reader: any StoreReader) throws -> [Int64] {
        let fetched = Set(
            try reader.cleanValues(at: JSONPath(EntryField.syncId), in: level.soup, writtenBy: nil).map(\.id))
        return try reader.cleanValues(at: JSONPath(level.idField), in: level.soup, writtenBy: nil)
            .map(\.id).filter { !fetched.contains($0) }
    }
}
