// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SalesforceAPI
internal import SoupCore

/// A push of trees: which member goes out in which composite request, and what became of each.
struct FamilyPush {
    /// A parent or a child, by its position in ``members``.
    private struct Member {
        var change: RecordChange
        /// The position of the parent; nil for parents.
        var parent: Int?
        /// Nil when nothing is sent for this member.
        var action: RecordForm.Action?
    }

    private let family: Family
    private var members: [Member] = []
    /// The positions of each tree's members: the parent, then the children.
    private var trees: [[Int]] = []
    private var ledger: PushLedger

    /// - Throws: ``SoupError`` when no field list says what to send.
    init(_ changes: [RecordChange], family: Family, forms: FamilyForms) throws {
        self.family = family
        ledger = PushLedger(count: changes.reduce(0) { $0 + 1 + $1.children.count })
        for change in changes {
            let parent = members.count
            trees.append(Array(parent...parent + change.children.count))
            try add(change, of: nil, forms.parent)
            for child in change.children { try add(child, of: change, forms.child, parent) }
        }
    }

    private mutating func add(
        _ change: RecordChange, of parent: RecordChange?, _ form: RecordForm, _ position: Int? = nil
    ) throws {
        var change = change
        // A child that did not change itself must follow its parent to the id that it gets.
        if change.kind == .none, parent?.kind == .create, change.serverId != nil { change.kind = .update }
        // What the parent's new id changes in a child is not in the child's own members.
        if parent?.kind == .create { change.base = nil }
        var member = Member(change: change, parent: position)
        if !cascades(parent) {
            do {
                member.action = try form.action(for: change)
                // The server has what an update that changes nothing would tell it.
                if member.action == nil, change.kind == .update { ledger.settle(members.count, .ok()) }
            } catch let failure as PushFailure {
                ledger.settle(members.count, .failed(failure))
            }
        }
        members.append(member)
    }

    /// Whether the server deletes the children of this parent by itself.
    private func cascades(_ parent: RecordChange?) -> Bool {
        parent?.kind == .delete && family.relationship == .masterDetail
    }

    mutating func run(in context: SyncContext) async throws {
        for call in calls() where !ledger.isStopped {
            try await send(call, in: context)
        }
    }

    /// The requests, as positions: whole trees together where they fit.
    private func calls() -> [[Int]] {
        let maximum = CompositeSubrequest.maximum
        var calls: [[Int]] = []
        var call: [Int] = []
        for tree in trees {
            var steps = tree.filter { members[$0].action != nil }
            if members[tree[0]].change.kind == .delete, steps.first == tree[0] { steps.append(steps.removeFirst()) }
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
        var sent: [Int] = []
        var subrequests: [CompositeSubrequest] = []
        var references: [Int: String] = [:]
        var taken: Set<String> = []
        for position in call {
            guard let action = members[position].action,
                let extra = parentLink(of: position, references: references)
            else { continue }
            let request = RowRequest(action, apiPath: context.apiPath, extra: extra)
            let reference = CompositeSubrequest.referenceId(for: name(of: position), taken: &taken)
            references[position] = reference
            sent.append(position)
            subrequests.append(
                CompositeSubrequest(request.method, request.path, referenceId: reference, body: request.body))
        }
        guard !sent.isEmpty else { return }
        let requests = subrequests
        guard let answer = try await ledger.exchange(for: sent, { try await context.composite(requests) }) else {
            return
        }
        ledger.note(answer, to: requests, for: sent, members.map(\.change), members.map(\.action))
    }

    /// The member that ties a child to its parent; none for parents, deletions and children of deleted parents.
    ///
    /// - Returns: nil, and an outcome, for a child whose parent was not created.
    private mutating func parentLink(
        of position: Int, references: [Int: String]
    ) -> [(name: String, value: JSONText)]? {
        guard let parent = members[position].parent, members[position].change.kind != .delete else { return [] }
        let change = members[parent].change
        let field = family.children.parentIdFieldName
        if change.kind == .delete { return [] }
        if change.kind != .create { return change.serverId.map { [(field, .string($0))] } ?? [] }
        if let reference = references[parent] { return [(field, .string("@{\(reference).id}"))] }
        if let id = ledger[parent]?.serverId { return [(field, .string(id))] }
        ledger.settle(position, .failed(.notSent("its parent was not created")))
        return nil
    }

    /// What a member is called in references: its id, be it a temporary one.
    private func name(of position: Int) -> String {
        let member = members[position]
        let field = member.parent == nil ? family.parent.idFieldName : family.children.info.idFieldName
        return member.change.serverId ?? member.change.record[JSONPath(field)]?.stringValue
            ?? "new_\(member.change.soup)_\(member.change.entryId)"
    }

    /// One outcome for each tree, with one for each child.
    var outcomes: [PushOutcome] {
        let all = ledger.finished()
        return trees.map { tree in
            var outcome = members[tree[0]].change.kind == .none ? .skipped : all[tree[0]]
            outcome.children = tree.dropFirst().map { position in
                if cascades(members[tree[0]].change) { return Self.followed(outcome) }
                return members[position].change.kind == .none ? .skipped : all[position]
            }
            return outcome
        }
    }

    /// The outcome of a child that the server deletes with its parent.
    private static func followed(_ parent: PushOutcome) -> PushOutcome {
        switch parent.result {
        case .ok: .ok()
        case .failed(let failure) where failure.isGone: .ok()
        default: .skipped
        }
    }
}
