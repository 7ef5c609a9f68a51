// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The trees that a run still has to push, and the size of its batches.
///
/// Changes are sent in batches of one kind: first creations, then updates, then deletions, each in the order in which
/// the entries were created. A request that is too large is split in halves, down to one tree, which then fails alone.
/// A record that is locked by another transaction is pushed again after everything else, after a pause, a limited
/// number of times. A tree that refers to a record without a server ID waits until the run adds it again, and
/// so does a deletion with which the server would delete details that were moved away.
struct PushQueue: Sendable {
    private let batchSize: Int
    private let maximumRounds: Int
    /// The current maximum number of trees in a batch.
    private var limit: Int
    private var waiting: [RecordChange.Kind: [EntryKey]] = [:]
    private var localOnly: [EntryKey] = []
    private var locked: [EntryKey] = []
    private var dependent: [(root: EntryKey, ids: Set<String>)] = []
    private var postponedDeletions: [EntryKey] = []
    private var round = 0

    init(batchSize: Int, maximumRounds: Int) {
        self.batchSize = batchSize
        self.maximumRounds = maximumRounds
        limit = batchSize
    }

    /// The next work of a run, with the roots of the trees.
    enum Work: Sendable {
        /// Push these trees, which have changes of this kind.
        case push([EntryKey], RecordChange.Kind)
        /// Remove these entries, which were created and deleted locally, without a request.
        case remove([EntryKey])
    }

    mutating func add(_ root: EntryKey, _ kind: RecordChange.Kind) { waiting[kind, default: []].append(root) }

    mutating func addLocalOnly(_ root: EntryKey) { localOnly.append(root) }

    /// Returns trees that did not fit into a batch to the front of the queue.
    mutating func putBack(_ roots: some Sequence<EntryKey>, _ kind: RecordChange.Kind) {
        waiting[kind, default: []].insert(contentsOf: Array(roots), at: 0)
    }

    /// Adds a tree that has to wait until other records have their server IDs.
    ///
    /// - Parameter ids: the local IDs of these records.
    mutating func wait(_ root: EntryKey, for ids: Set<String>) { dependent.append((root, ids)) }

    /// Returns the roots of the trees that wait for other records; `nil` if there are none.
    mutating func takeWaiting() -> [EntryKey]? {
        guard !dependent.isEmpty else { return nil }
        defer { dependent = [] }
        return dependent.map(\.root)
    }

    /// Returns the roots of the trees that wait for one of the records with these local IDs.
    mutating func takeWaiting(for ids: Set<String>) -> [EntryKey] {
        guard !ids.isEmpty else { return [] }
        let ready = dependent.filter { !$0.ids.isDisjoint(with: ids) }
        if !ready.isEmpty { dependent.removeAll { !$0.ids.isDisjoint(with: ids) } }
        return ready.map(\.root)
    }

    /// Adds a deletion that has to wait until details were moved away (``DepartedDetails``).
    mutating func postpone(_ deletion: EntryKey) { postponedDeletions.append(deletion) }

    /// Returns the deletions that wait until details were moved away; `nil` if there are none.
    mutating func takePostponedDeletions() -> [EntryKey]? {
        guard !postponedDeletions.isEmpty else { return nil }
        defer { postponedDeletions = [] }
        return postponedDeletions
    }

    /// Returns the next work; `nil` if only trees are left that are locked or wait for other records.
    mutating func next() -> Work? {
        if !localOnly.isEmpty {
            defer { localOnly = [] }
            return .remove(localOnly)
        }
        let order: [RecordChange.Kind] = [.create, .update, .none, .delete]
        guard let kind = order.first(where: { waiting[$0]?.isEmpty == false }) else { return nil }
        let roots = Array(waiting[kind]?.prefix(limit) ?? [])
        waiting[kind]?.removeFirst(roots.count)
        return .push(roots, kind)
    }

    /// Returns the roots of the locked trees and the number of earlier pauses; `nil` if there are none.
    mutating func takeLocked() -> (roots: [EntryKey], round: Int)? {
        guard !locked.isEmpty else { return nil }
        defer {
            locked = []
            round += 1
        }
        return (locked, round)
    }

    /// Adds the sent trees again for which a retry within this run can succeed, and adapts the size of the batches.
    ///
    /// - Parameter kind: the kind of the changes.
    /// - Returns: the roots of these trees; their outcomes must be ignored.
    mutating func retry(
        _ sent: [(tree: PushTree, outcome: PushOutcome)], _ kind: RecordChange.Kind
    ) -> Set<EntryKey> {
        var retried: Set<EntryKey> = []
        var smaller: [EntryKey] = []
        var isTooLarge = false
        for (tree, outcome) in sent {
            switch tree.retry(after: outcome) {
            case .inSmallerBatch:
                isTooLarge = true
                guard sent.count > 1 else { continue }
                retried.insert(tree.key)
                smaller.append(tree.key)
            case .afterPause where round < maximumRounds:
                retried.insert(tree.key)
                locked.append(tree.key)
            default: continue
            }
        }
        putBack(smaller, kind)
        // One large record must not permanently reduce the size of all later batches.
        limit = isTooLarge && sent.count > 1 ? max(1, sent.count / 2) : min(batchSize, limit * 2)
        return retried
    }
}

extension PushTree {
    /// Returns how a tree can be pushed again within the run, if the server accepted none of its records.
    fileprivate func retry(after outcome: PushOutcome) -> PushFailure.Retry {
        let outcomes = outcomes(outcome)
        let all = records.map { outcomes[$0.key] ?? .skipped }
        guard all.allSatisfy({ $0.failure != nil || $0.result == .skipped }) else { return .never }
        let ways = all.compactMap { $0.failure?.retry }
        return [.inSmallerBatch, .afterPause].first { ways.contains($0) } ?? .never
    }
}
