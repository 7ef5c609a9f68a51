// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// How a run ended.
public struct SyncResult: Sendable {
    /// DONE, FAILED or STOPPED.
    public var state: SyncState
    /// Why the run failed, or was stopped by a session that is over; nil unless the state is FAILED or
    /// `isWaitingForLogin`.
    ///
    /// When the state is FAILED its message is the text of `state.error` behind the sync's name, because this error
    /// travels without the state.
    public var error: SoupError?

    /// Sync up: records that the server did not have and has now.
    public var created = 0
    /// Sync up: records whose changes the server took over.
    public var updated = 0
    /// Sync up: records that the server no longer has, and those that were made and deleted here.
    public var deleted = 0
    /// Sync up: records that the server refused.
    ///
    /// Sync down: entries whose IDs cannot be the server's, and that were left out of every request.
    public var failed = 0
    /// Sync up: records whose outcome is unknown, because the answer of the server was lost.
    public var unknown = 0

    /// Sync down: records written, new ones and changed ones.
    ///
    /// Of trees, records of all kinds are counted here and below, each once, though one may come with its parent and by
    /// itself. `state.totalSize` and `state.progress` count roots only, as those of the mobile SDKs.
    public var saved = 0
    /// Sync down: the records written, by their soups; soups without any are left out.
    public var savedBySoup: [SoupName: Int] = [:]
    /// Sync down: records that the store already held, byte for byte.
    public var unchanged = 0
    /// Sync down with OVERWRITE: of the records written, those that replaced local changes.
    public var replaced = 0

    /// Sync down: what became of the server's job that pages of this run came from, or that it began; nil when there
    /// was none.
    public var job: ServerJob?

    /// Sync down with a target that tracks deletions: entries deleted because the server no longer has their records,
    /// or no longer gives them to this sync.
    public var ghosts = 0

    /// Sync down with MERGE: records whose changes were merged with local ones, which are still to be sent.
    public var merged = 0
    /// With MERGE: records that were changed on both sides and wait for ``SyncManager/resolveConflict(_:as:)``.
    public var conflicted = 0

    /// Sync down: records that local changes kept out; sync up: changes that were not sent.
    public var skipped = 0

    /// Starts with all counts at 0.
    public init(state: SyncState, error: SoupError? = nil) {
        self.state = state
        self.error = error
    }

    /// Whether the run is DONE and every record went through, or was left alone by the merge mode.
    public var isComplete: Bool { state.status == .done && failed == 0 && unknown == 0 && conflicted == 0 }

    mutating func add(_ page: SavedPage) {
        let tally = page.tally
        savedBySoup.merge(page.savedBySoup) { $0 + $1 }
        saved += tally.saved
        unchanged += tally.unchanged
        skipped += tally.skipped
        merged += tally.merged
        conflicted += tally.conflicted
        replaced += tally.replaced
    }

    mutating func count(_ outcome: RecordOutcome) {
        switch (outcome.result, outcome.action) {
        case (.ok, .create): created += 1
        case (.ok, .update): updated += 1
        case (.ok, .delete): deleted += 1
        case (.ok, .fetch): break
        case (.skipped, _): skipped += 1
        case (.conflicted, _): conflicted += 1
        case (.failed, _): failed += 1
        case (.unknown, _): unknown += 1
        }
    }
}

extension SyncState.LeftBehind {
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
