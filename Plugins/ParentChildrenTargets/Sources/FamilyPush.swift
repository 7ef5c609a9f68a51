// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupSalesforce
internal import SoupCore

/// A push of trees: the request of each member, and its outcome.
struct FamilyPush {
    /// A record of a tree, by its position in ``members``.
    struct Member {
        var change: RecordChange
        /// The position of the parent; nil for roots.
        var parent: Int?
        var children: [Int] = []
        /// The action for this member; nil if nothing is sent.
        var action: RecordForm.Action?
        /// Whether the server deletes it together with an ancestor.
        var cascades = false
    }

    private let tree: FamilyTree
    private(set) var members: [Member] = []
    /// The positions of the roots.
    private var roots: [Int] = []
    var ledger: PushLedger

    /// - Throws: ``SoupError`` if there is no field list.
    init(_ changes: [RecordChange], tree: FamilyTree, forms: [RecordForm]) throws {
        self.tree = tree
        ledger = PushLedger(count: changes.reduce(0) { $0 + $1.size })
        for change in changes {
            roots.append(members.count)
            try add(change, of: nil, forms)
        }
    }

    private mutating func add(_ change: RecordChange, of parent: Int?, _ forms: [RecordForm]) throws {
        var change = change
        let above = parent.map { members[$0] }
        // An unchanged child must be updated with the new ID of its parent.
        if change.kind == .none, above?.change.kind == .create, change.serverId != nil { change.kind = .update }
        let position = members.count
        var member = Member(change: change, parent: parent)
        if let above {
            let isDetail = tree.members[change.part].relationship == .masterDetail
            member.cascades = isDetail && (above.cascades || above.change.kind == .delete)
        }
        if !member.cascades {
            do {
                // The parent's new ID is not among the child's own members.
                let tellsMore = above?.change.kind == .create || isMoved(member)
                member.action = try forms[change.part].action(for: change, evenIfUnchanged: tellsMore)
                // An update without changed fields needs no request.
                if member.action == nil, change.kind == .update { ledger.setOutcome(.ok(), at: position) }
            } catch let failure as PushFailure {
                ledger.setOutcome(.failed(failure), at: position)
            }
        }
        members.append(member)
        for child in change.children {
            members[position].children.append(members.count)
            try add(child, of: position, forms)
        }
    }

    /// Returns whether an update changes the record's parent; false if the last synced version is unknown.
    private func isMoved(_ member: Member) -> Bool {
        let kind = tree.members[member.change.part]
        guard let parent = member.parent, let field = kind.parentIdField, kind.tellsParent(of: member.change),
            members[parent].change.kind != .delete, let base = member.change.base
        else { return false }
        return base[JSONPath(field)] != member.change.record[JSONPath(field)]
    }

    /// - Parameter isWhole: whether a tree is sent as a graph, which the server applies completely or not at all.
    mutating func run(asGraphs isWhole: Bool, in context: SyncContext) async throws {
        var trees = roots.map { steps(of: $0) }.filter { !$0.isEmpty }
        if isWhole { trees = try await sendGraphs(trees, in: context) }
        for call in Self.calls(trees) where !ledger.isStopped { try await send(call, in: context) }
        await ledger.confirmGone(in: context)
    }

    /// Returns the members of a tree to send, in order: parents before their children, except for deletions.
    private func steps(of position: Int) -> [Int] {
        let member = members[position]
        let below = member.children.flatMap { steps(of: $0) }
        guard member.action != nil else { return below }
        return member.change.kind == .delete ? below + [position] : [position] + below
    }

    /// Groups the members into composite requests, by position; whole trees stay together where they fit.
    private static func calls(_ trees: [[Int]]) -> [[Int]] {
        let maximum = CompositeSubrequest.maximum
        var calls: [[Int]] = []
        var call: [Int] = []
        for steps in trees {
            if call.count + steps.count > maximum, !call.isEmpty {
                calls.append(call)
                call = []
            }
            call += steps
            while call.count > maximum {
                calls.append(Array(call.prefix(maximum)))
                call.removeFirst(maximum)
            }
        }
        return call.isEmpty ? calls : calls + [call]
    }

    private mutating func send(_ call: [Int], in context: SyncContext) async throws {
        let (sent, requests) = requests(for: call, context)
        guard !sent.isEmpty,
            let answer = try await ledger.exchange(for: sent, { try await context.composite(requests) })
        else { return }
        ledger.note(
            answer, to: requests, at: sent, changes: members.map(\.change), actions: members.map(\.action))
    }

    /// Returns the subrequests for members that are sent together, without those whose parents were not created.
    mutating func requests(
        for positions: [Int], _ context: SyncContext
    ) -> (sent: [Int], requests: [CompositeSubrequest]) {
        var sent: [Int] = []
        var requests: [CompositeSubrequest] = []
        var references: [Int: String] = [:]
        var taken: Set<String> = []
        for position in positions {
            guard let action = members[position].action,
                let extra = parentLink(of: position, references: references)
            else { continue }
            let request = RowRequest(told(action, of: position), apiPath: context.apiPath, extra: extra)
            let reference = CompositeSubrequest.referenceId(for: name(of: position), taken: &taken)
            references[position] = reference
            sent.append(position)
            requests.append(
                CompositeSubrequest(request.method, request.path, referenceId: reference, body: request.body))
        }
        return (sent, requests)
    }

    /// Returns the member that links a child to its parent; none for roots, deletions and children of deleted parents.
    ///
    /// - Returns: nil for a child whose parent was not created; its outcome is recorded.
    private mutating func parentLink(
        of position: Int, references: [Int: String]
    ) -> [(name: String, value: JSONText)]? {
        let member = members[position]
        guard let parent = member.parent, member.change.kind != .delete,
            let field = tree.members[member.change.part].parentIdField
        else { return [] }
        let change = members[parent].change
        if change.kind == .delete { return [] }
        if staysWithParent(position) { return [] }
        // Another user may have moved the child meanwhile; only an update that moves the child sends its parent.
        if change.kind != .create, member.change.base != nil, !isMoved(member) { return [] }
        if change.kind != .create { return change.serverId.map { [(field, .string($0))] } ?? [] }
        if let reference = references[parent] { return [(field, .string("@{\(reference).id}"))] }
        if let id = ledger[parent]?.serverId { return [(field, .string(id))] }
        ledger.setOutcome(.failed(.notSent("its parent was not created")), at: position)
        return nil
    }

    /// Returns whether a member is updated without sending its parent to the server.
    private func staysWithParent(_ position: Int) -> Bool {
        let change = members[position].change
        guard change.kind == .update, let parent = members[position].parent, members[parent].change.kind != .create
        else { return false }
        return !tree.members[change.part].tellsParent(of: change)
    }

    /// Returns the action without the parent's ID, which may be in a field list, if it must not be sent.
    private func told(_ action: RecordForm.Action, of position: Int) -> RecordForm.Action {
        guard staysWithParent(position),
            let field = tree.members[members[position].change.part].parentIdField?.lowercased()
        else { return action }
        var action = action
        action.members.removeAll { $0.name.lowercased() == field }
        return action
    }

    /// Returns the name of a member in references: its ID, which may be temporary.
    private func name(of position: Int) -> String {
        let change = members[position].change
        let field = tree.members[change.part].info.idFieldName
        return change.serverId ?? change.record[JSONPath(field)]?.stringValue ?? "new_\(change.soup)_\(change.entryId)"
    }

    /// The outcomes: one for each tree, with one for each child, level by level.
    var outcomes: [PushOutcome] {
        let all = ledger.finished()
        return roots.map { outcome(of: $0, all) }
    }

    private func outcome(of position: Int, _ all: [PushOutcome]) -> PushOutcome {
        let member = members[position]
        var outcome = member.change.kind == .none ? .skipped : all[position]
        outcome.children = member.children.map { child in
            members[child].cascades ? followed(outcome, child) : self.outcome(of: child, all)
        }
        return outcome
    }

    /// Returns the outcome of a child that the server deletes with its parent.
    private func followed(_ parent: PushOutcome, _ position: Int) -> PushOutcome {
        var outcome: PushOutcome =
            switch parent.result {
            case .ok: .ok()
            case .failed(let failure) where failure.isGone: .ok()
            case .notSent(let error): .notSent(error)
            default: .skipped
            }
        outcome.children = members[position].children.map { followed(outcome, $0) }
        return outcome
    }
}

extension RecordChange {
    /// The number of records in a tree.
    fileprivate var size: Int { children.reduce(1) { $0 + $1.size } }
}
