// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The result of an activity.
public struct SyncActivityResult: Sendable, Hashable {
    /// The end of an activity.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The work was done.
        case done
        /// The error is in ``SyncActivityResult/error``. Records that failed do not make an activity fail.
        case failed
        /// The activity was cancelled, or its manager stopped.
        case stopped
        /// The session has expired, and the sync waits for a login.
        case waitingForLogin
    }

    /// A result of records; those without a comment are the counts of ``SyncResult`` with the same names.
    public enum RecordCount: String, Sendable, Hashable, CaseIterable {
        /// Of a page: the records that the target returned.
        case fetched
        case saved
        case unchanged
        case merged
        /// Records that were removed because the server no longer returns them.
        case ghosts
        case created
        case updated
        case deleted
        /// Of a push: changes that the server accepted.
        case accepted
        case skipped
        case conflicted
        case failed
        case unknown
    }

    /// The end of the activity.
    public var outcome: Outcome
    /// The error of an activity that failed or waits for a login.
    ///
    /// Its code is suited for a label. Its message can contain URLs and IDs.
    public var error: SoupError?
    /// The numbers of records; counts of 0 are left out.
    public var records: [RecordCount: Int] = [:]
    /// The HTTP status of a response; nil for other kinds, and if no response arrived.
    public var status: Int?
    /// The number of times that a request was sent again.
    public var retries = 0
    /// The number of bytes in the body of a request.
    public var bytesSent = 0
    /// The number of bytes in the body of a response, decompressed.
    public var bytesReceived = 0

    /// Creates a result without records and bytes.
    public init(_ outcome: Outcome = .done, error: SoupError? = nil) {
        self.outcome = outcome
        self.error = error
    }

    /// Creates the result of work that ended with an error.
    init(_ error: any Error) {
        guard !(error is CancellationError) else {
            self.init(.stopped)
            return
        }
        let error = SoupError(wrapping: error)
        self.init(error.code == .sessionExpired ? .waitingForLogin : .failed, error: error)
    }
}

extension SyncActivityResult {
    /// The result of a run that was cancelled, whatever error ended it.
    var stopped: SyncActivityResult {
        var result = self
        (result.outcome, result.error) = (.stopped, nil)
        return result
    }

    /// Adds the numbers of records of a page; corrections of earlier pages, which are negative, are left out.
    mutating func add(_ page: SavedPage) {
        let counts = page.counts
        let found: [(RecordCount, Int)] = [
            (.saved, counts.saved), (.unchanged, counts.unchanged), (.merged, counts.merged),
            (.skipped, counts.skipped), (.conflicted, counts.conflicted), (.ghosts, page.deleted),
            (.fetched, page.records),
        ]
        for (key, count) in found where count > 0 { records[key] = count }
    }

    /// Adds the numbers of records of a run.
    mutating func add(_ result: SyncResult) {
        let counts: [(RecordCount, Int)] = [
            (.saved, result.saved), (.unchanged, result.unchanged), (.merged, result.merged), (.ghosts, result.ghosts),
            (.created, result.created), (.updated, result.updated), (.deleted, result.deleted),
            (.skipped, result.skipped), (.conflicted, result.conflicted), (.failed, result.failed),
            (.unknown, result.unknown),
        ]
        for (key, count) in counts where count != 0 { records[key] = count }
    }

    /// Adds the outcomes of a push, including those of children.
    mutating func add(_ outcomes: [PushOutcome]) {
        for outcome in outcomes {
            records[RecordCount(outcome.result), default: 0] += 1
            add(outcome.children)
        }
    }
}

extension SyncActivityResult.RecordCount {
    fileprivate init(_ result: PushOutcome.Result) {
        self =
            switch result {
            case .ok: .accepted
            case .skipped, .notSent: .skipped
            case .failed: .failed
            case .conflict: .conflicted
            case .unknown: .unknown
            }
    }
}
