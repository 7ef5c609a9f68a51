// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The entries of a soup whose changes exist only on this device.
public struct UnsentChanges: Sendable, Hashable {
    /// The soup with the entries.
    public var soup: SoupName
    /// The number of entries: with local changes, in conflict, or with a creation whose outcome is unknown.
    public var entries: Int
    /// The number of those in conflict with the server's version.
    public var conflicts: Int
    /// The number of those that were sent for creation, and whose response was lost.
    public var unknownCreations: Int

    /// Creates a value; for tests.
    public init(soup: SoupName, entries: Int, conflicts: Int = 0, unknownCreations: Int = 0) {
        self.soup = soup
        self.entries = entries
        self.conflicts = conflicts
        self.unknownCreations = unknownCreations
    }
}

extension UnsentChanges: CustomStringConvertible {
    /// The soup and the numbers, for messages: `contacts (3, 1 of them in conflict)`.
    public var description: String {
        let parts = [
            conflicts > 0 ? "\(conflicts) of them in conflict" : nil,
            unknownCreations > 0 ? "\(unknownCreations) of them with an unknown outcome" : nil,
        ]
        return "\(soup) (\((["\(entries)"] + parts.compactMap { $0 }).joined(separator: ", ")))"
    }
}

extension SyncManager {
    /// Returns the changes of a store that were not sent, without opening a manager; soups without any are left out.
    ///
    /// Call it while no sync up runs: a creation that is being sent counts as one with an unknown outcome.
    public static func unsentChanges(in backend: any StoreBackend) async throws -> [UnsentChanges] {
        try await backend.read { reader in
            let soups = try reader.soupNames().filter { !SoupName.reserved.contains($0) }.sorted()
            let conflicts = Dictionary(
                grouping: try ConflictStore.notes(in: reader).filter { note in
                    try soups.contains(note.key.soup) && ConflictStore.isListed(note, in: reader)
                }.map(\.key), by: \.soup)
            let unknown = Dictionary(
                grouping: try InFlightCreates.marks(of: Set(soups), in: reader).filter { !$0.isRepeatable }.map(\.key),
                by: \.soup)
            return try soups.compactMap { soup in
                let held = Set((conflicts[soup] ?? []).map(\.id))
                let lost = Set((unknown[soup] ?? []).map(\.id))
                let all = held.union(lost).union(try reader.dirtyIds(in: soup))
                guard !all.isEmpty else { return nil }
                return UnsentChanges(
                    soup: soup, entries: all.count, conflicts: held.count, unknownCreations: lost.count)
            }
        }
    }
}
