// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Entries with local changes whose stored text is unreadable. A run pushes the others, and reports these as failed.
extension UpRun {
    /// Reports the damaged entries below the roots.
    ///
    /// Damaged roots are reported when the roots are sorted.
    ///
    /// - Returns: the number of damaged entries.
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

    /// Returns the outcome of a damaged entry.
    ///
    /// Its flags are unreadable like its text, so the action is unknown, and `update` is used.
    static func outcome(_ key: EntryKey, _ failure: PushFailure) -> RecordOutcome {
        RecordOutcome(soup: key.soup, entryId: key.id, id: nil, action: .update, result: .failed, error: failure)
    }
}

extension SoupEntry {
    /// Returns the reason why the entry cannot be pushed; `nil` for an intact entry.
    func failure(in soup: SoupName) -> PushFailure? {
        // If the flags of an entry are readable, its whole text is readable.
        guard !flags.isKnown, let damage = damage(in: soup) else { return nil }
        return PushFailure(code: "ENTRY_DAMAGED", message: damage.description)
    }
}

extension StoreReader {
    /// Returns the entries with local changes, in the order of their creation.
    func dirtyEntries(in soup: SoupName) throws -> [SoupEntry] {
        let ids = try dirtyIds(in: soup)
        return try stride(from: 0, to: ids.count, by: 500).flatMap { start in
            try retrieve(Array(ids[start..<min(start + 500, ids.count)]), from: soup)
        }
    }
}
