// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The trees of a batch, with the facts and the decisions about them.
struct PushBatch: Sendable {
    let kind: RecordChange.Kind
    private(set) var trees: [PushTree] = []
    /// The records that cannot be sent.
    private(set) var failed: [(record: PushRecord, failure: PushFailure)] = []
    /// The number of trees without a record that can be sent.
    private(set) var failedTrees = 0
    var facts: [EntryKey: TreeFacts] = [:]
    /// The decisions, by the keys of the trees; a decision is never a question.
    var decisions: [EntryKey: PushDecision] = [:]

    init(_ kind: RecordChange.Kind) { self.kind = kind }

    /// Adds a tree; records without a usable server ID are added to the failed ones.
    mutating func add(_ tree: PushTree) {
        guard !tree.root.lacksServerId else {
            failed += tree.records.filter(\.isDirty).map { ($0, .noServerId(tree.root.id)) }
            return failedTrees += 1
        }
        var tree = tree
        failed += tree.removeChildrenWithoutID().filter(\.isDirty).map { ($0, .noServerId($0.id)) }
        trees.append(tree)
        facts[tree.key] = TreeFacts()
    }

    /// Applies the result of a check of a tree: the tree to send, or the reason why it is not sent.
    mutating func apply(_ checked: Result<PushTree, PushFailure>, to key: EntryKey) {
        switch checked {
        case .success(let tree):
            if let position = trees.firstIndex(where: { $0.key == key }) { trees[position] = tree }
        case .failure(let failure): decisions[key] = .hold(.failure(failure))
        }
    }

    /// The trees to send as they are.
    var pushed: [PushTree] { trees.filter { decisions[$0.key] == .push } }

    /// The trees that are not sent, each with the reason.
    var held: [(tree: PushTree, reason: HoldReason)] {
        trees.compactMap { tree in
            guard case .hold(let reason)? = decisions[tree.key] else { return nil }
            return (tree, reason)
        }
    }

    /// The trees with records that are resolved without being sent.
    var resolved: [(tree: PushTree, resolutions: [PushDecision.Resolution])] {
        trees.compactMap { tree in
            guard case .resolve(let resolutions)? = decisions[tree.key] else { return nil }
            return (tree, resolutions)
        }
    }

    /// The records to be checked before they are recreated.
    var recreations: [PushRecord] { trees.flatMap { RecreationCheck.records(in: $0) } }
}

/// The trees of a batch that are sent, and those that are not.
struct SentBatch: Sendable {
    let kind: RecordChange.Kind
    /// The trees to send; those without a change to send are left out of the request.
    var trees: [PushTree]
    /// The trees that are not sent, each with the reason.
    var held: [(tree: PushTree, reason: HoldReason)]
    /// The records that cannot be sent.
    let failed: [(record: PushRecord, failure: PushFailure)]
    /// The number of trees without a record that can be sent.
    let failedTrees: Int
    /// The creations that would create a second record if they were sent again.
    var unrepeatable: Set<EntryKey> = []
    /// The creations for which the server assigns an ID that no other record has.
    var withNewID: Set<EntryKey> = []
    /// The time at which the creations were marked, before they were sent; `nil` without creations.
    var sentAt: Int64?
    /// The same by the clock, in milliseconds since 1970.
    var time: Int64?

    init(_ batch: PushBatch) {
        kind = batch.kind
        trees = batch.pushed
        held = batch.held
        failed = batch.failed
        failedTrees = batch.failedTrees
    }

    /// The entries with in-flight marks.
    var creations: [EntryKey] { trees.flatMap(\.creations).map(\.key) }

    /// Removes the trees that changed meanwhile, and holds those that are in flight or in conflict.
    mutating func apply(_ results: UpWriter.MarkResults) {
        sentAt = results.markedAt
        held += results.inConflict.map { ($0, .conflict) }
        held += trees.filter { results.marking[$0.key] == .marked }.map { ($0, .inFlight) }
        trees.removeAll { tree in
            guard let state = results.marking[tree.key] else { return false }
            return state != .unmarked
        }
    }

    var isEmpty: Bool { trees.isEmpty && held.isEmpty && failed.isEmpty && failedTrees == 0 }
}
