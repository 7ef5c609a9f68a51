// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What a run does about changes that the server could not take as they were sent, though nothing is wrong with them.
///
/// A request that is too large is sent again in halves, down to one record, which then fails alone. A record that
/// somebody else holds locked is pushed again when everything else has been, after a pause, a few times.
struct PushRemedies: Sendable {
    private let batchSize: Int
    private let maximumRounds: Int
    /// How many units go into one batch now.
    private(set) var limit: Int
    private var locked: [Int64] = []
    private var round = 0

    init(batchSize: Int, maximumRounds: Int) {
        self.batchSize = batchSize
        self.maximumRounds = maximumRounds
        limit = batchSize
    }

    /// What becomes of a batch.
    struct Verdict: Sendable, Hashable {
        /// The roots of the units that are pushed again, whose outcomes do not count.
        var postponed: Set<EntryKey> = []
        /// Those of them that go next, fewer at once.
        var smaller: [Int64] = []
    }

    /// Finds the units that can be pushed again with another prospect.
    ///
    /// - Parameter outcomes: of the units that hold something to send, in order.
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
        // One large record among many should not make every batch behind it small.
        limit = isTooLarge && sent.count > 1 ? max(1, sent.count / 2) : min(batchSize, limit * 2)
        return verdict
    }

    /// The roots of the units that were locked, and how often something was waited for before; nil without any.
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
    /// What can be done about an entry, or a tree, of which the server took nothing, on no level.
    fileprivate func remedy(_ outcome: PushOutcome) -> PushFailure.Remedy? {
        let all = [outcome] + OutcomeWriter.childOutcomes(of: self, outcome)
        guard all.allSatisfy({ $0.failure != nil || $0.result == .skipped }) else { return nil }
        let remedies = all.compactMap { $0.failure?.remedy }
        return remedies.contains(.split) ? .split : remedies.first
    }

    /// How many bytes its records have together.
    var byteCount: Int { members.reduce(0) { $0 + $1.record.bytes.count } }
}
