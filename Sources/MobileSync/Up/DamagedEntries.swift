// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Entries with local changes whose stored text cannot be read: a run pushes the others, and reports these as failed.
extension UpRun {
    /// Reports the damaged entries below the roots.
    ///
    /// Roots are reported when they are sorted.
    ///
    /// - Returns: how many there are.
    mutating func reportDamagedChildren() async throws -> Int {
        guard layout.isTree else { return 0 }
        let layout = layout
        let outcomes = try await services.backend.read { reader in
            try layout.parts.filter { $0.parentIdField != nil }.flatMap { part in
                try reader.dirtyEntries(in: part.soup).compactMap { entry in
                    entry.failure(in: part.soup).map {
                        Self.outcome(EntryKey(soup: part.soup, id: entry.id), $0)
                    }
                }
            }
        }
        tell(outcomes)
        return outcomes.count
    }

    /// The outcome of a damaged entry.
    ///
    /// Its flags are lost with its text, so that the action is not known.
    static func outcome(_ key: EntryKey, _ failure: PushFailure) -> RecordOutcome {
        RecordOutcome(soup: key.soup, entryId: key.id, id: nil, action: .update, result: .failed, error: failure)
    }
}

extension SoupEntry {
    /// Why the entry cannot be pushed; nil for an intact one.
    func failure(in soup: SoupName) -> PushFailure? {
        // Reading the flags of an intact entry has read all of its text.
        guard !flags.isKnown, let damage = damage(in: soup) else { return nil }
        return PushFailure(code: "ENTRY_DAMAGED", message: damage.description)
    }
}

extension StoreReader {
    /// The entries with local changes, in the order of their creation.
    func dirtyEntries(in soup: SoupName) throws -> [SoupEntry] {
        let ids = try dirtyIds(in: soup)
        return try stride(from: 0, to: ids.count, by: 500).flatMap { start in
            try retrieve(Array(ids[start..<min(start + 500, ids.count)]), from: soup)
        }
    }
}
