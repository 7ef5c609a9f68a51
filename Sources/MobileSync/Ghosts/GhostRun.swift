// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// One cleaning of ghosts: deletes entries whose records a sync down would no longer bring.
///
/// Candidates are the clean entries that this very sync wrote last, so that no other sync over the same soup and no
/// local change loses anything. Entries that a sync up created carry no sync's id and become candidates after the next
/// sync down.
struct GhostRun: Sendable {
    let services: RunServices
    let state: SyncState
    let target: any SyncDownTarget

    /// Cleans all parts of the target.
    ///
    /// - Throws: `notSupported` when the target cannot tell; what the target or the store throws; what was deleted of
    ///   earlier parts stays deleted.
    /// - Returns: how many entries of the first part were deleted.
    func run() async throws -> Int {
        let layout = target.recordLayout(for: state.definition.soup)
        let context = services.context(for: state.definition)
        var counts: [Int] = []
        for (position, part) in layout.parts.enumerated() {
            try Task.checkCancellation()
            let candidates = try await candidates(part, position, layout)
            guard !candidates.isEmpty else {
                counts.append(0)
                continue
            }
            let ids = candidates.map(\.value)
            guard let survivors = try await target.survivors(of: ids, part: position, in: context) else {
                throw SoupError(
                    .notSupported,
                    "target \"\(type(of: target).name)\" cannot tell which records the server still has",
                    hint: "Give it survivors(of:part:in:).")
            }
            let ghosts = candidates.filter { !survivors.contains($0.value) }
            counts.append(try await delete(ghosts, part, position, layout))
        }
        return layout.isTree ? counts.first ?? 0 : counts.reduce(0, +)
    }

    private func candidates(
        _ part: RecordLayout.Part, _ position: Int, _ layout: RecordLayout
    ) async throws -> [Candidate] {
        let syncId = state.id
        return try await services.backend.read { reader in
            let clean = try reader.cleanValues(at: JSONPath(part.idField), in: part.soup, writtenBy: syncId)
            let held = try Self.parentsOfDirtyChildren(position, layout, in: reader)
            return clean.filter { !held.contains($0.value) }.map { Candidate(id: $0.id, value: $0.value) }
        }
    }

    private struct Candidate: Sendable {
        var id: Int64
        var value: String
    }

    /// Deletes those of the ghosts that still are: clean, with the same id, and written last by this sync.
    private func delete(
        _ ghosts: [Candidate], _ part: RecordLayout.Part, _ position: Int, _ layout: RecordLayout
    ) async throws -> Int {
        guard !ghosts.isEmpty else { return 0 }
        let syncId = state.id
        return try await services.backend.write { writer in
            let held = try Self.parentsOfDirtyChildren(position, layout, in: writer)
            var count = 0
            for start in stride(from: 0, to: ghosts.count, by: 500) {
                let slice = ghosts[start..<min(start + 500, ghosts.count)]
                let values = Dictionary(slice.map { ($0.id, $0.value) }, uniquingKeysWith: { first, _ in first })
                let entries = try writer.retrieve(slice.map(\.id), from: part.soup)
                let doomed = entries.filter { entry in
                    guard let value = values[entry.id], entry[JSONPath(part.idField)]?.idText == value else {
                        return false
                    }
                    let isOurs = entry[JSONPath(EntryField.syncId)]?.intValue == syncId
                    return isOurs && entry.flags.isClean && !held.contains(value)
                }
                count += try writer.delete(
                    doomed.map { EntryDeletion(id: $0.id, ifVersion: $0.lastModified) }, from: part.soup
                ).count
            }
            return count
        }
    }

    /// For what has children in trees: the ids of those with local changes below them, which therefore stay.
    private static func parentsOfDirtyChildren(
        _ position: Int, _ layout: RecordLayout, in reader: any StoreReader
    ) throws -> Set<String> {
        guard !layout.children(of: position).isEmpty else { return [] }
        var held: Set<String> = []
        var climb = TreeClimb(layout: layout, reader: reader)
        for (below, part) in layout.parts.enumerated() where below > position && part.parentIdField != nil {
            for entry in try reader.retrieve(try reader.dirtyIds(in: part.soup), from: part.soup) {
                let above = try climb.ancestors(of: entry, part: below)
                if let id = above.first(where: { $0.part == position })?.id { held.insert(id) }
            }
        }
        return held
    }
}
