// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Retries valid changes that the server could not accept as they were sent.
///
/// A request that is too large is split in halves, down to one record, which then fails alone. A record that is locked
/// by another transaction is pushed again after everything else, after a pause, a limited number of times.
struct PushRemedies: Sendable {
    private let batchSize: Int
    private let maximumRounds: Int
    /// The current maximum number of units in a batch.
    private(set) var limit: Int
    private var locked: [Int64] = []
    private var round = 0

    init(batchSize: Int, maximumRounds: Int) {
        self.batchSize = batchSize
        self.maximumRounds = maximumRounds
        limit = batchSize
    }

    /// The decision about a batch.
    struct Verdict: Sendable, Hashable {
        /// The roots of the units that are pushed again; their outcomes are ignored.
        var postponed: Set<EntryKey> = []
        /// The roots among these that are pushed next, in smaller batches.
        var smaller: [Int64] = []
    }

    /// Finds the units for which a retry can succeed.
    ///
    /// - Parameter outcomes: the outcomes of the units that contain something to send, in order.
    mutating func judge(_ batch: PushBatch, _ outcomes: [PushOutcome]) -> Verdict {
        var verdict = Verdict()
        let sent = batch.open.filter { !$0.isEmpty }
        var isTooLarge = false
        for (unit, outcome) in zip(sent, outcomes) {
            switch unit.remedy(outcome) {
            case .split?:
                isTooLarge = true
                guard sent.count > 1 else { continue }
                verdict.postponed.insert(unit.root.key)
                verdict.smaller.append(unit.root.key.id)
            case .wait? where round < maximumRounds:
                verdict.postponed.insert(unit.root.key)
                locked.append(unit.root.key.id)
            default: continue
            }
        }
        // One large record must not permanently reduce the size of all later batches.
        limit = isTooLarge && sent.count > 1 ? max(1, sent.count / 2) : min(batchSize, limit * 2)
        return verdict
    }

    /// Returns the roots of the locked units and the number of earlier pauses; `nil` if there are none.
    mutating func takeLocked() -> (ids: [Int64], round: Int)? {
        guard !locked.isEmpty else { return nil }
        defer {
            locked = []
            round += 1
        }
        return (locked, round)
    }
}

extension PushUnit {
    /// Returns the remedy for a unit of which the server accepted nothing, on any level; `nil` if there is none.
    fileprivate func remedy(_ outcome: PushOutcome) -> PushFailure.RetryStrategy? {
        let all = [outcome] + OutcomeWriter.childOutcomes(of: self, outcome)
        guard all.allSatisfy({ $0.failure != nil || $0.result == .skipped }) else { return nil }
        let remedies = all.compactMap { $0.failure?.retryStrategy }
        return remedies.contains(.split) ? .split : remedies.first
    }

    /// The total number of bytes of its records.
    var byteCount: Int { members.reduce(0) { $0 + $1.record.bytes.count } }
}
