// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncManager {
    /// What became of an entry whose local changes were taken back.
    public enum Discarded: String, Sendable, Hashable, Codable {
        /// It is as it was when it was synced last, and clean.
        case restored
        /// It was made here, and is gone.
        case removed
        /// It had no local changes.
        case unchanged
    }

    /// Takes local changes back: what the server has not heard of yet it never will.
    ///
    /// An edit or a deletion leaves the entry as it was synced last, by the copy that the store keeps, and a creation
    /// takes it away; conflicts of the entries are over. One transaction: all of it or nothing. It waits for sync ups
    /// of the soup that this manager has under way. A later sync down brings what the server has changed meanwhile.
    ///
    /// - Parameter idField: the field of the entries that holds the server's id.
    /// - Returns: what became of each, in order.
    /// - Throws: ``SoupError``: `entryNotFound`; `noSyncedCopy` for an edit that no copy is there for, because the
    ///   store keeps none or the soup has no index on `__local__`; `outcomeUnknown` for a creation whose answer was
    ///   lost; `hasChildren` for a creation that other entries are under. `CancellationError` while it waits.
    public func discardChanges(
        of entryIds: [Int64], in soup: SoupName, idField: String = "Id"
    ) async throws -> [(id: Int64, result: Discarded)] {
        let layouts = try await layouts(of: soup, idField: idField)
        let place = queue.join(RunQueue.Claim(soups: [soup], isExclusive: false))
        defer { queue.leave(place) }
        try await queue.turn(of: place)
        return try await services.backend.write { writer in
            let discard = ChangeDiscard(layouts: layouts, writer: writer)
            return try entryIds.map { (id: $0, result: try discard.discard(EntryKey(soup: soup, id: $0))) }
        }
    }
}

extension SoupError.Code {
    /// The store did not keep what an entry was before its local changes.
    public static let noSyncedCopy: Self = "noSyncedCopy"
    /// A creation was sent, and its answer did not come.
    public static let outcomeUnknown: Self = "outcomeUnknown"
    /// Other entries are under the one that is to go.
    public static let hasChildren: Self = "hasChildren"
}
