// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting

/// A sync up to the records of a ``FakeServer``.
struct FakeUpTarget: SyncUpTarget {
    struct Configuration: Decodable, Sendable {
        var maxBatchSize: Int?
        var maxBatchBytes: Int?
        /// Pushing a creation twice makes one record.
        var isIdempotent: Bool?
        /// Creations whose answer was lost can be looked up, by their names.
        var canFind: Bool?
        /// The server refuses to look for creations whose answer was lost.
        var refusesToFind: Bool?
        var tellsDate: Bool?
        /// Whether the target can look records up; true also when it never finds out anything.
        var tellsStates: Bool?
        var findsNoStates: Bool?
        /// Whether records can be fetched to be merged.
        var fetches: Bool?
        /// The fields that are fetched then, beside the modification date; nil for all.
        var fetchesOnly: [String]?
    }

    static let name: PluginName = "fakeUp"
    let configuration: Configuration
    var maxBatchSize: Int { configuration.maxBatchSize ?? 200 }
    var maxBatchBytes: Int { configuration.maxBatchBytes ?? 1 << 20 }

    init(configuration: Configuration) { self.configuration = configuration }

    func isIdempotent(_ creation: RecordChange) -> Bool { configuration.isIdempotent ?? false }

    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        let server = try context.fakeServer
        return try await server.push(changes, tellsDate: configuration.tellsDate ?? true)
    }

    var tellsServerStates: Bool { configuration.tellsStates ?? true }

    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState] {
        if configuration.findsNoStates ?? false { return changes.map { _ in .unknown } }
        return try await context.fakeServer.states(of: changes)
    }

    func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?] {
        guard configuration.fetches ?? true else { throw SoupError(.notSupported, "cannot fetch") }
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

    func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?] {
        let server = try context.fakeServer
        if configuration.refusesToFind ?? false { throw SoupError(.server, "no query of this field") }
        guard configuration.canFind ?? false else {
            throw SoupError(.notSupported, "cannot look up")
        }
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
        if let soup = configuration.childSoup { layout.parts[1].soup = SoupName(soup) }
        self.layout = layout
        maxBatchSize = configuration.maxBatchSize ?? 200
    }

    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        try await context.fakeServer.push(changes, tellsDate: true)
    }

    var tellsServerStates: Bool { true }

    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState] {
        try await context.fakeServer.states(of: changes)
    }
}

extension FakeServer {
    /// Takes a batch, unless the test has something else to say about it.
    func push(_ changes: [RecordChange], tellsDate: Bool) async throws -> [PushOutcome] {
        for change in changes { note("push " + change.line) }
        let number = with { state in
            state.pushes += 1
            return state.pushes
        }
        if let scripted = try await with({ $0.onPush })?(number, changes) { return scripted }
        return take(changes, tellsDate: tellsDate)
    }

    /// Does what the changes ask for.
    func take(_ changes: [RecordChange], tellsDate: Bool = true) -> [PushOutcome] {
        changes.map { take($0, tellsDate: tellsDate, parentId: nil) }
    }

    private func take(_ change: RecordChange, tellsDate: Bool, parentId: String?) -> PushOutcome {
        // Children go before a parent that is deleted, and behind one that is made.
        if change.kind == .delete {
            let children = change.children.map { take($0, tellsDate: tellsDate, parentId: change.serverId) }
            var outcome = takeAlone(change, tellsDate: tellsDate, parentId: parentId)
            outcome.children = children
            return outcome
        }
        var outcome = takeAlone(change, tellsDate: tellsDate, parentId: parentId)
        let newParent = outcome.failure == nil ? outcome.serverId ?? change.serverId : change.serverId
        outcome.children = change.children.map { take($0, tellsDate: tellsDate, parentId: newParent) }
        return outcome
    }

    private func takeAlone(_ change: RecordChange, tellsDate: Bool, parentId: String?) -> PushOutcome {
        let id = change.serverId ?? newId()
        let now = clock.now
        let date = tellsDate ? Timestamp.format(now) : nil
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
                values["LastModifiedDate"] = .string(Timestamp.format(record.date))
                return try JSONValue.object(values).jsonText()
            }
        }
    }

    func states(of changes: [RecordChange]) async throws -> [ServerState] {
        note("ask for \(changes.compactMap(\.serverId).joined(separator: " "))")
        try await with { $0.onAsk }?()
        return with { state in
            changes.map { change in
                change.serverId.flatMap { state.records[$0] }.map { .modified(Timestamp.format($0.date)) } ?? .deleted
            }
        }
    }
}

extension PushOutcome {
    fileprivate var failure: PushFailure? { if case .failed(let failure) = result { failure } else { nil } }
}

extension RecordChange {
    /// The change as a line: what the server got.
    var line: String {
        let id = serverId.map { " \($0)" } ?? ""
        let children = children.isEmpty ? "" : " [\(children.map(\.line).joined(separator: ", "))]"
        let what = base == nil ? record["Name"]?.stringValue ?? "?" : "\(JSONValue.object(sent))"
        return "\(kind.rawValue)\(id) \(what)\(children)"
    }

    /// The fields that go to the server: all of them, or those that changed since the base.
    var sent: JSONObject {
        var values = record.value.objectValue ?? [:]
        for key in ["Id", "LastModifiedDate", "AccountId"] { values[key] = nil }
        guard let base = base?.value else { return values }
        return JSONObject(values.members.filter { base[$0.key] != $0.value })
    }
}
