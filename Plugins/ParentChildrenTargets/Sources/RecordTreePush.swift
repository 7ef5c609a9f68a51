// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupSalesforce
internal import SoupCore

/// A push of record trees: the request of each record, and its outcome.
struct RecordTreePush {
    /// A record of a tree; other records refer to it by its position in ``records``.
    struct Record {
        var change: RecordChange
        /// The position of the parent; nil for roots.
        var parent: Int?
        var children: [Int] = []
        /// The action for this record; nil if nothing is sent.
        var action: RecordForm.Action?
        /// Whether the server deletes it together with an ancestor.
        var cascades = false
    }

    private let tree: RecordTree
    private(set) var records: [Record] = []
    /// The positions of the roots.
    private var roots: [Int] = []
    var ledger: PushLedger

    /// - Throws: ``SoupError`` if there is no field list.
    init(_ changes: [RecordChange], tree: RecordTree, forms: [RecordForm]) throws {
        self.tree = tree
        ledger = PushLedger(count: changes.reduce(0) { $0 + $1.size })
        for change in changes {
            roots.append(records.count)
            try add(change, of: nil, forms: forms)
        }
    }

    private mutating func add(_ change: RecordChange, of parent: Int?, forms: [RecordForm]) throws {
        var change = change
        let parentRecord = parent.map { records[$0] }
        // An unchanged child must be updated with the new ID of its parent.
        if change.kind == .none, parentRecord?.change.kind == .create, change.serverId != nil { change.kind = .update }
        let position = records.count
        var record = Record(change: change, parent: parent)
        if let parentRecord {
            let isMasterDetail = tree.levels[change.level].relationship == .masterDetail
            record.cascades = isMasterDetail && (parentRecord.cascades || parentRecord.change.kind == .delete)
        }
        if !record.cascades {
            do {
                // The parent's new ID is not among the child's own fields.
                let sendsMore = parentRecord?.change.kind == .create || isMoved(record)
                record.action = try forms[change.level].action(for: change, evenIfUnchanged: sendsMore)
                // An update without changed fields needs no request.
                if record.action == nil, change.kind == .update { ledger.setOutcome(.ok(), at: position) }
            } catch let failure as PushFailure {
                ledger.setOutcome(.failed(failure), at: position)
            }
        }
        records.append(record)
        for child in change.children {
            records[position].children.append(records.count)
            try add(child, of: position, forms: forms)
        }
    }

    /// Returns whether an update changes the record's parent; false if the last synced version is unknown.
    private func isMoved(_ record: Record) -> Bool {
        let level = tree.levels[record.change.level]
        guard let parent = record.parent, let field = level.parentIdField, level.sendsParentId(of: record.change),
            records[parent].change.kind != .delete, let base = record.change.base
        else { return false }
        return base[JSONPath(field)] != record.change.record[JSONPath(field)]
    }

    /// - Parameter isWhole: whether a tree is sent as a graph, which the server applies completely or not at all.
    mutating func run(asGraphs isWhole: Bool, with client: SalesforceClient) async throws {
        var trees = roots.map { steps(of: $0) }.filter { !$0.isEmpty }
        if isWhole { trees = try await sendGraphs(trees, with: client) }
        for call in Self.calls(trees) where !ledger.isStopped { try await send(call, with: client) }
        await ledger.confirmGone(with: client)
    }

    /// Returns the records of a tree to send, in order: parents before their children, except for deletions.
    private func steps(of position: Int) -> [Int] {
        let record = records[position]
        let descendants = record.children.flatMap { steps(of: $0) }
        guard record.action != nil else { return descendants }
        return record.change.kind == .delete ? descendants + [position] : [position] + descendants
    }

    /// Groups the records into composite requests, by position; whole trees stay together where they fit.
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

    private mutating func send(_ call: [Int], with client: SalesforceClient) async throws {
        let (sent, requests) = requests(for: call, with: client)
        guard !sent.isEmpty,
            let answer = try await ledger.exchange(for: sent, { try await client.composite(requests) })
        else { return }
        ledger.note(
            answer, to: requests, at: sent, changes: records.map(\.change), actions: records.map(\.action))
    }

    /// Returns the subrequests for records that are sent together, without those whose parents were not created.
    mutating func requests(
        for positions: [Int], with client: SalesforceClient
    ) -> (sent: [Int], requests: [CompositeSubrequest]) {
        var sent: [Int] = []
        var requests: [CompositeSubrequest] = []
        var references: [Int: String] = [:]
        var taken: Set<String> = []
        for position in positions {
            guard let action = records[position].action,
                let extra = parentLink(of: position, references: references)
            else { continue }
            let request = RowRequest(sentAction(action, at: position), apiPath: client.apiPath, extra: extra)
            let reference = CompositeSubrequest.referenceId(for: name(of: position), taken: &taken)
            references[position] = reference
            sent.append(position)
            requests.append(CompositeSubrequest(request, referenceId: reference))
        }
        return (sent, requests)
    }

    /// Returns the member that links a child to its parent; none for roots, deletions and children of deleted parents.
    ///
    /// - Returns: nil for a child whose parent was not created; its outcome is recorded.
    private mutating func parentLink(
        of position: Int, references: [Int: String]
    ) -> [(name: String, value: JSONText)]? {
        let record = records[position]
        guard let parent = record.parent, record.change.kind != .delete,
            let field = tree.levels[record.change.level].parentIdField
        else { return [] }
        let change = records[parent].change
        if change.kind == .delete { return [] }
        if omitsParentId(position) { return [] }
        // Another user may have moved the child meanwhile; only an update that moves the child sends its parent.
        if change.kind != .create, record.change.base != nil, !isMoved(record) { return [] }
        if change.kind != .create { return change.serverId.map { [(field, .string($0))] } ?? [] }
        if let reference = references[parent] { return [(field, .string("@{\(reference).id}"))] }
        if let id = ledger[parent]?.serverId { return [(field, .string(id))] }
        ledger.setOutcome(.failed(.notSent("its parent was not created")), at: position)
        return nil
    }

    /// Returns whether a record is updated without sending its parent's ID to the server.
    private func omitsParentId(_ position: Int) -> Bool {
        let change = records[position].change
        guard change.kind == .update, let parent = records[position].parent, records[parent].change.kind != .create
        else { return false }
        return !tree.levels[change.level].sendsParentId(of: change)
    }

    /// Returns the action without the parent's ID, which may be in a field list, if it must not be sent.
    private func sentAction(_ action: RecordForm.Action, at position: Int) -> RecordForm.Action {
        guard omitsParentId(position),
            let field = tree.levels[records[position].change.level].parentIdField?.lowercased()
        else { return action }
        var action = action
        action.members.removeAll { $0.name.lowercased() == field }
        return action
    }

    /// Returns the name of a record in references: its ID, which may be temporary.
    private func name(of position: Int) -> String {
        let change = records[position].change
        let field = tree.levels[change.level].info.idFieldName
        return change.serverId ?? change.record[JSONPath(field)]?.stringValue ?? "new_\(change.soup)_\(change.entryId)"
    }

    /// The outcomes: one for each tree, with one for each child, level by level.
    var outcomes: [PushOutcome] {
        let all = ledger.finished()
        return roots.map { outcome(of: $0, in: all) }
    }

    private func outcome(of position: Int, in all: [PushOutcome]) -> PushOutcome {
        let record = records[position]
        var outcome = record.change.kind == .none ? .skipped : all[position]
        outcome.children = record.children.map { child in
            records[child].cascades ? cascadedOutcome(of: child, under: outcome) : self.outcome(of: child, in: all)
        }
        return outcome
    }

    /// Returns the outcome of a child that the server deletes with its parent.
    private func cascadedOutcome(of position: Int, under parent: PushOutcome) -> PushOutcome {
        var outcome: PushOutcome =
            switch parent.result {
            case .ok: .ok()
            case .failed(let failure) where failure.isGone: .ok()
            case .notSent(let error): .notSent(error)
            default: .skipped
            }
        outcome.children = records[position].children.map { cascadedOutcome(of: $0, under: outcome) }
        return outcome
    }
}

extension RecordChange {
    /// The number of records in a tree.
    fileprivate var size: Int { children.reduce(1) { $0 + $1.size } }
}
