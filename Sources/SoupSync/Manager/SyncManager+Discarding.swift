// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncManager {
    /// The result of discarding the local changes of an entry.
    public enum Discarded: String, Sendable, Hashable, Codable {
        /// The entry is restored to its last synced version and is clean.
        case restored
        /// The entry was created locally and has been removed.
        case removed
        /// The entry had no local changes.
        case unchanged
    }

    /// Discards local changes that have not been pushed yet.
    ///
    /// An edited or deleted entry is restored to its last synced version from the copy that the store keeps. A locally
    /// created entry is removed. Conflicts of the entries end. All changes are made in one transaction, which waits for
    /// this manager's sync ups of the soup. A later sync down fetches the changes that were made on the server in the
    /// meantime.
    ///
    /// - Parameter idField: the field of the entries that contains the server's ID; `nil` for the one that the sync ups
    ///   of the soup define, and for `Id` without such a sync.
    /// - Returns: the result for each entry, in order.
    /// - Throws: ``SoupError``: `entryNotFound`; `noSyncedCopy` for an edit without a synced copy, because the store
    ///   keeps no copies or the soup has no index on `__local__`; `outcomeUnknown` for a creation whose response was
    ///   lost; `hasChildren` for a creation that has children. `CancellationError` while it waits.
    public func discardChanges(
        of entryIds: [Int64], in soup: SoupName, idField: String? = nil
    ) async throws -> [(id: Int64, result: Discarded)] {
        let layouts = try await layouts(of: soup, idField: idField)
        let ticket = queue.join(RunQueue.Claim(soups: [soup], isExclusive: false))
        defer { queue.leave(ticket) }
        try await queue.turn(of: ticket)
        return try await services.backend.write { writer in
            let discard = ChangeDiscard(layouts: layouts, writer: writer)
            return try entryIds.map { (id: $0, result: try discard.discard(EntryKey(soup: soup, id: $0))) }
        }
    }
}

extension SoupError.Code {
    /// The store has no copy of an entry from before its local changes.
    public static let noSyncedCopy: Self = "noSyncedCopy"
    /// A creation was sent, but no response was received.
    public static let outcomeUnknown: Self = "outcomeUnknown"
    /// The entry to remove has children.
    public static let hasChildren: Self = "hasChildren"
}
