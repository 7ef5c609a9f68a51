// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The result of a run.
public struct SyncResult: Sendable {
    /// The final state, with the status DONE, FAILED or STOPPED.
    public var state: SyncState
    /// The reason why the run failed, or was stopped by an expired session or the limit of requests.
    ///
    /// It is `nil` unless the state is FAILED, `isWaitingForLogin` or `pausedAtUsage`. If the state is FAILED, its
    /// message consists of the sync's name and the text of `state.error`, because the error can be passed on without
    /// the state.
    public var error: SoupError?

    /// Sync up: the number of records that were created on the server.
    public var created = 0
    /// Sync up: the number of records whose changes the server accepted.
    public var updated = 0
    /// Sync up: the number of records that no longer exist on the server, including those created and deleted locally.
    public var deleted = 0
    /// The number of failed records.
    ///
    /// Sync up: records that the server rejected. Sync down: entries that were left out of every request because the
    /// server cannot have issued their IDs.
    public var failed = 0
    /// Sync up: the number of failed records that refer to records without a server ID, and are sent after those.
    public var waiting = 0
    /// Sync up: the fields that were left out of at least one record; see ``RecordOutcome/omittedFields``.
    public var omittedFields: Set<String> = []
    /// Sync up: the number of records with an unknown outcome, because the server's response was lost.
    public var unknown = 0

    /// Sync down: the number of written records, both new and changed.
    ///
    /// For trees, this count and the ones below include the records of all levels. Each record is counted once, even if
    /// it is returned both with its parent and by itself. `state.totalSize` and `state.progress` count only roots, as
    /// in the mobile SDKs.
    public var saved = 0
    /// Sync down: the number of written records, by soup; soups without written records are left out.
    public var savedBySoup: [SoupName: Int] = [:]
    /// Sync down: the number of records that the store already contained, byte for byte.
    public var unchanged = 0
    /// Sync down with OVERWRITE: the number of written records that replaced local changes.
    public var replaced = 0

    /// Sync down: facts that the target reported about the run, by names that the target defines.
    ///
    /// If several pages reported a fact, the last value counts.
    public var details: [String: String] = [:]

    /// Sync down with a target that reports deletions: the number of removed entries.
    ///
    /// Their records were deleted on the server, or are no longer returned to this sync.
    public var ghosts = 0

    /// Sync down with MERGE: the number of records that were merged with local changes, which still have to be pushed.
    public var merged = 0
    /// With MERGE: the number of conflicts that wait for ``SyncManager/resolveConflict(_:as:)``.
    public var conflicted = 0

    /// The number of skipped records.
    ///
    /// Sync down: records that were not saved because of local changes. Sync up: changes that were not sent.
    public var skipped = 0

    /// Creates a result in which all counts are 0.
    public init(state: SyncState, error: SoupError? = nil) {
        self.state = state
        self.error = error
    }

    /// Whether the run is DONE and every record was synced or skipped by the merge mode.
    public var isComplete: Bool { state.status == .done && failed == 0 && unknown == 0 && conflicted == 0 }

    mutating func add(_ page: SavedPage) {
        let counts = page.counts
        savedBySoup.merge(page.savedBySoup) { $0 + $1 }
        saved += counts.saved
        unchanged += counts.unchanged
        skipped += counts.skipped
        merged += counts.merged
        conflicted += counts.conflicted
        replaced += counts.replaced
        ghosts += page.deleted
    }

    mutating func count(_ outcome: RecordOutcome) {
        omittedFields.formUnion(outcome.omittedFields)
        switch (outcome.result, outcome.action) {
        case (.ok, .create): created += 1
        case (.ok, .update): updated += 1
        case (.ok, .delete): deleted += 1
        case (.ok, .fetch): break
        case (.skipped, _): skipped += 1
        case (.conflicted, _): conflicted += 1
        case (.failed, _):
            failed += 1
            if outcome.error?.waitsForRecord ?? false { waiting += 1 }
        case (.unknown, _): unknown += 1
        }
    }

    /// Whether the run is DONE, and only records are left that wait for other syncs.
    public var waitsOnly: Bool { state.status == .done && failed == waiting && unknown == 0 && conflicted == 0 }
}

extension SyncState.UnsyncedCounts {
    mutating func count(_ outcome: RecordOutcome) {
        switch outcome.result {
        case .ok: break
        case .skipped: skipped += 1
        case .conflicted: conflicted += 1
        case .failed: failed += 1
        case .unknown: unknown += 1
        }
    }
}
