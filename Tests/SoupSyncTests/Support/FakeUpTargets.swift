// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting

/// A sync up to the records of a ``FakeServer``.
struct FakeUpTarget: SyncUpTarget {
    struct Configuration: Decodable, Sendable {
        var maxBatchSize: Int?
        var maxBatchBytes: Int?
        /// Whether pushing a creation twice creates one record.
        var isIdempotent: Bool?
        /// Whether the server assigns each creation an ID that no other record has.
        var assignsNewIDs: Bool?
        /// Whether creations with a lost response can be looked up by name.
        var canFind: Bool?
        /// Whether the server rejects the look-up of creations with a lost response.
        var refusesToFind: Bool?
        var reportsDate: Bool?
        /// Whether the target reports server states, even if each of them is unknown.
        var reportsStates: Bool?
        var findsNoStates: Bool?
        /// Whether records can be fetched for a merge.
        var fetches: Bool?
        /// The fields that are fetched for a merge, beside the modification date; nil for all.
        var fetchesOnly: [String]?
        var idFieldName: String?
    }

    static let name: PluginName = "fakeUp"
    let configuration: Configuration
    var maxBatchSize: Int { configuration.maxBatchSize ?? 200 }
    var maxBatchBytes: Int { configuration.maxBatchBytes ?? 1 << 20 }
    var idField: String { configuration.idFieldName ?? "Id" }

    init(configuration: Configuration) { self.configuration = configuration }

    func isIdempotent(_ creation: RecordChange) -> Bool { configuration.isIdempotent ?? false }
    func mayFindExistingRecord(_ creation: RecordChange) -> Bool {
        isIdempotent(creation) && configuration.assignsNewIDs != true
    }

    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        let server = try context.fakeServer
        return try await server.push(changes, reportsDate: configuration.reportsDate ?? true)
    }

    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? {
        guard configuration.reportsStates ?? true else { return nil }
        if configuration.findsNoStates ?? false { return changes.map { _ in .unknown } }
        return try await context.fakeServer.states(of: changes)
    }

    func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]? {
        guard configuration.fetches ?? true else { return nil }
        if let kind = changes.first?.kind { try await context.fakeServer.with({ $0.onFetch })?(kind) }
        return try context.fakeServer.records(of: changes).map { record in
            guard let names = configuration.fetchesOnly else { return record }
            return record?.members.map { members in
                .object(
                    members.filter { (names + ["LastModifiedDate"]).contains($0.key) }
                        .map { (name: $0.key, value: $0.value) })
            }
        }
    }

    func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?]? {
        let server = try context.fakeServer
        if configuration.refusesToFind ?? false { throw SoupError(.server, "no query of this field") }
        guard configuration.canFind ?? false else { return nil }
        server.note("find \(changes.map { $0.record["Name"]?.stringValue ?? "?" }.joined(separator: " "))")
        return server.with { state in
            changes.map { change in state.records.values.first { $0.values["Name"] == change.record["Name"] }?.id }
        }
    }
}

/// A sync up of parents with their children.
struct FakeTreeUpTarget: SyncUpTarget {
    struct Configuration: Decodable, Sendable {
        var relationship: RecordLayout.Relationship?
        var maxBatchSize: Int?
        /// The soup of the children, in place of the contacts.
        var childSoup: String?
    }

    static let name: PluginName = "fakeTreeUp"
    let layout: RecordLayout?
    let maxBatchSize: Int

    init(configuration: Configuration) {
        var layout = RecordLayout.accountsAndContacts(configuration.relationship ?? .masterDetail)
        if let soup = configuration.childSoup { layout.levels[1].soup = SoupName(soup) }
        self.layout = layout
        maxBatchSize = configuration.maxBatchSize ?? 200
    }

    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        try await context.fakeServer.push(changes, reportsDate: true)
    }

    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? {
        try await context.fakeServer.states(of: changes)
    }
}

extension FakeServer {
    /// Applies a batch, unless the test returns outcomes of its own.
    func push(_ changes: [RecordChange], reportsDate: Bool) async throws -> [PushOutcome] {
        for change in changes { note("push " + change.line) }
        let number = with { state in
            state.pushes += 1
            return state.pushes
        }
        if let scripted = try await with({ $0.onPush })?(number, changes) { return scripted }
        return apply(changes, reportsDate: reportsDate)
    }

    /// Applies changes to the records.
    func apply(_ changes: [RecordChange], reportsDate: Bool = true) -> [PushOutcome] {
        changes.map { apply($0, reportsDate: reportsDate, parentId: nil) }
    }

    private func apply(_ change: RecordChange, reportsDate: Bool, parentId: String?) -> PushOutcome {
        // Children are processed before a deleted parent, and after a created one.
        if change.kind == .delete {
            let children = change.children.map { apply($0, reportsDate: reportsDate, parentId: change.serverId) }
            var outcome = applyAlone(change, reportsDate: reportsDate, parentId: parentId)
            outcome.children = children
            return outcome
        }
        var outcome = applyAlone(change, reportsDate: reportsDate, parentId: parentId)
        let newParent = outcome.failure == nil ? outcome.serverId ?? change.serverId : change.serverId
        outcome.children = change.children.map { apply($0, reportsDate: reportsDate, parentId: newParent) }
        return outcome
    }

    private func applyAlone(_ change: RecordChange, reportsDate: Bool, parentId: String?) -> PushOutcome {
        let id = change.serverId ?? newId()
        let now = clock.milliseconds
        let date = reportsDate ? DateText.format(now) : nil
        return with { state in
            if let parentId, state.records[parentId] == nil, change.kind != .delete {
                return .failed(PushFailure(code: "ENTITY_IS_DELETED", message: "no parent", isRelatedGone: true))
            }
            if change.record["Name"] == "bad" {
                return .failed(PushFailure(code: "BAD_NAME", message: "not that name", fields: ["Name"]))
            }
            switch change.kind {
            case .create, .update:
                if change.kind == .update, state.records[id] == nil {
                    return .failed(PushFailure(code: "NOT_FOUND", message: "no such record", isGone: true))
                }
                var values = change.sent
                if change.base != nil {
                    values = JSONObject(state.records[id]?.values.members ?? [])
                    for (key, value) in change.sent.members { values[key] = value }
                }
                state.records[id] = Record(id: id, values: values, date: now, parentId: parentId)
                return .ok(serverId: change.kind == .create ? id : nil, modificationDate: date)
            case .delete:
                guard state.records.removeValue(forKey: id) != nil else {
                    return .failed(PushFailure(code: "NOT_FOUND", message: "no such record", isGone: true))
                }
                return .ok()
            case .none:
                return .skipped
            }
        }
    }

    func records(of changes: [RecordChange]) throws -> [JSONText?] {
        note("fetch \(changes.compactMap(\.serverId).joined(separator: " "))")
        return try with { state in
            try changes.map { change in
                guard let record = change.serverId.flatMap({ state.records[$0] }) else { return nil }
                var values = record.values
                values["LastModifiedDate"] = .string(DateText.format(record.date))
                return try JSONValue.object(values).jsonText()
            }
        }
    }

    func states(of changes: [RecordChange]) async throws -> [ServerState] {
        note("ask for \(changes.compactMap(\.serverId).joined(separator: " "))")
        try await with { $0.onLookUp }?()
        return with { state in
            changes.map { change in
                change.serverId.flatMap { state.records[$0] }.map { .modified(DateText.format($0.date)) } ?? .deleted
            }
        }
    }
}

extension PushOutcome {
    fileprivate var failure: PushFailure? { if case .failed(let failure) = result { failure } else { nil } }
}

extension RecordChange {
    /// The change as a line of the server's log.
    var line: String {
        let id = serverId.map { " \($0)" } ?? ""
        let children = children.isEmpty ? "" : " [\(children.map(\.line).joined(separator: ", "))]"
        let values = base == nil ? record["Name"]?.stringValue ?? "?" : "\(JSONValue.object(sent))"
        return "\(kind.rawValue)\(id) \(values)\(children)"
    }

    /// The fields that are sent: all of them, or those that changed since the base.
    var sent: JSONObject {
        var values = record.value.objectValue ?? [:]
        for key in ["Id", "LastModifiedDate", "AccountId"] { values[key] = nil }
        guard let base = base?.value else { return values }
        return JSONObject(values.members.filter { base[$0.key] != $0.value })
    }
}
