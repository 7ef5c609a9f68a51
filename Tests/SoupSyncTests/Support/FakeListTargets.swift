// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting

/// A sync down from a server without the conventions of Salesforce, over the records of a ``FakeServer``.
///
/// Records have the dates `changed` in seconds since 1970 and the versions `rev`.
struct FakeListDownTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {
        /// Whether pages list deleted records.
        var listsDeletions: Bool?
        /// Whether the server reports the changes since a token, and not since a date.
        var usesTokens: Bool?
        /// The time from which on the server knows tokens.
        var tokensKnownFrom: Int64?
        var connection: String?
    }

    static let name: PluginName = "fakeList"
    let lookback = Duration.zero
    let configuration: Configuration
    let modificationDateField = "changed"
    let dateFormat = RecordDateFormat.epochSeconds
    let versionField: String? = "rev"
    var connectionName: String? { configuration.connection }

    init(configuration: Configuration) { self.configuration = configuration }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        let server = try context.fakeServer
        let isByToken = configuration.usesTokens ?? false
        if isByToken { server.note("changes since \(context.syncToken ?? "the beginning")") }
        if let token = context.syncToken.flatMap(Int64.init), token < configuration.tokensKnownFrom ?? 0 {
            throw SoupError(.cursorExpired, "the token is too old")
        }
        let since =
            isByToken
            ? context.syncToken.flatMap(Int64.init).map { HighWaterMark(milliseconds: $0, inclusive: true) }
            : context.highWaterMark
        let result = try await server.page(after: cursor, size: 100, from: since, sortedByDate: true) { _ in true }
        var page = RecordPage(RecordBatch(result.records.map { $0.listed }), next: result.next)
        page.serverTime = server.clock.now
        if configuration.listsDeletions ?? false {
            page.deletedIds = [
                server.with { state in
                    state.deletions.filter { $0.date >= since?.milliseconds ?? 0 }.map(\.id)
                }
            ]
        }
        if isByToken { page.syncToken = "\(server.clock.milliseconds)" }
        return page
    }

    func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        try context.fakeServer.with { state in Set(ids.filter { state.records[$0] != nil }) }
    }
}

/// A sync up to that server, which compares the version of a change with that of the record.
struct FakeListUpTarget: SyncUpTarget {
    struct Configuration: Decodable, Sendable {
        /// Whether the target reports server states, and fetches records.
        var reportsStates: Bool?
        /// Whether the server refuses every update.
        var refusesAll: Bool?
        /// Whether responses contain the version.
        var reportsVersion: Bool?
    }

    static let name: PluginName = "fakeListUp"
    let configuration: Configuration
    let modificationDateField = "changed"
    let dateFormat = RecordDateFormat.epochSeconds
    let versionField: String? = "rev"

    init(configuration: Configuration) { self.configuration = configuration }

    func isConditional(_ change: RecordChange, under mode: MergeMode) -> Bool {
        mode != .overwrite && change.record["rev"]?.intValue != nil
    }

    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        let server = try context.fakeServer
        return try await server.pushing(changes) { change in
            let mode = context.options.mergeMode
            let condition = isConditional(change, under: mode) ? change.record["rev"]?.intValue : nil
            server.note("push \(change.kind) \(change.serverId ?? "new")\(condition.map { " if rev \($0)" } ?? "")")
            let found = server.with { state in change.serverId.flatMap { state.records[$0] } }
            if change.kind != .create, found == nil {
                return .failed(PushFailure(code: "NOT_FOUND", message: "no such record", isGone: true))
            }
            if configuration.refusesAll ?? false || condition.map({ $0 != found?.revision }) ?? false {
                return .conflict(PushFailure(code: "PRECONDITION_FAILED", message: "another version"))
            }
            return server.save(change, reportsVersion: configuration.reportsVersion ?? true)
        }
    }

    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? {
        guard configuration.reportsStates ?? true else { return nil }
        return try await context.fakeServer.states(of: changes)
    }

    func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]? {
        guard configuration.reportsStates ?? true else { return nil }
        let server = try context.fakeServer
        server.note("fetch \(changes.compactMap(\.serverId).joined(separator: " "))")
        return server.with { state in
            changes.map { change in change.serverId.flatMap { state.records[$0]?.listed } }
        }
    }
}

extension FakeServer {
    /// Pushes changes one by one, unless the test returns outcomes of its own.
    fileprivate func pushing(
        _ changes: [RecordChange], _ push: (RecordChange) -> PushOutcome
    ) async throws -> [PushOutcome] {
        let number = with { state in
            state.pushes += 1
            return state.pushes
        }
        if let scripted = try await with({ $0.onPush })?(number, changes) { return scripted }
        return changes.map(push)
    }

    fileprivate func save(_ change: RecordChange, reportsVersion: Bool) -> PushOutcome {
        let id = change.serverId ?? newId()
        if change.kind == .delete {
            remove(id)
            return .ok()
        }
        put(id, ["Name": change.record["Name"] ?? .null])
        let revision = with { $0.records[id]?.revision }
        return .ok(
            serverId: change.kind == .create ? id : nil, modificationDate: DateText.format(clock.milliseconds),
            version: reportsVersion ? revision.map { .integer($0) } : nil)
    }
}

extension FakeServer.Record {
    /// The number of the version: it rises with the date.
    fileprivate var revision: Int64 { (date - Moment.start) / 1000 }

    fileprivate var listed: JSONText {
        var members = values.members.map { (name: $0.key, value: (try? $0.value.jsonText()) ?? .null) }
        members += [("Id", .string(id)), ("changed", .integer(date / 1000)), ("rev", .integer(revision))]
        return .object(members)
    }
}
