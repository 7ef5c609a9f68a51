// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SyncManager {
    /// Lets the next run of a sync down fetch all records again that changed on the server at or after a time.
    ///
    /// The high-water marks go back to that time, also those of the levels of a tree, and an unfinished run is not
    /// resumed. Marks that are earlier already stay as they are: records are never left out because of this method. If
    /// the target continues with a token of the server, which cannot go back to a time, the token is removed and the
    /// next run fetches everything. Entries and local changes are not touched.
    ///
    /// - Returns: the state of the sync; its `maxTimeStamp` is the mark.
    /// - Throws: ``SoupError``: `syncNotFound`, `syncAlreadyRunning` (also if another process syncs the store),
    ///   `notSupported` for a sync up.
    @discardableResult
    public func rewind(named name: String, to time: Date) async throws -> SyncState {
        try await holdingSyncs {
            let id = try await id(of: name)
            let work = try reserve(id, RunQueue.Claim(soups: [], isExclusive: false))
            defer { release(id, work) }
            return try await services.backend.write { writer in
                var row = try SyncsSoup.requireRow(id, in: writer)
                guard row.state.definition.type == .syncDown else {
                    throw SoupError(
                        .notSupported, "the sync \"\(name)\" is a sync up, which has no high-water mark",
                        hint: "Rewind a sync down.")
                }
                row.rewind(to: time.millisecondsSince1970)
                try SyncsSoup.save(row, in: writer)
                return row.state
            }
        }
    }
}

extension SyncRow {
    /// Moves the marks back to a time, and removes what a run could continue with instead of a mark.
    mutating func rewind(to time: Int64) {
        func earlier(_ mark: HighWaterMark?) -> HighWaterMark? {
            mark.map { $0.milliseconds < time ? $0 : HighWaterMark(milliseconds: time, inclusive: true) }
        }
        mark = earlier(mark)
        levelMarks = levelMarks.map(earlier)
        starts.rewind(to: time)
        resume = nil
        syncToken = nil
        deletionsCovered = deletionsCovered?.limited(to: time)
    }
}
