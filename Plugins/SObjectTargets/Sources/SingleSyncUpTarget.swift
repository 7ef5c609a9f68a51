// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SalesforceAPI
public import SoupCore

/// Pushes one record a request, for servers and objects that take no collections.
public struct SingleSyncUpTarget: SObjectTarget {
    /// The `type` that asks for one request a record: `single`.
    public static let name: PluginName = "single"
    /// The class names of the SDKs' plain target.
    public static let aliases: [PluginName] = [
        "SFSyncUpTarget", "com.salesforce.androidsdk.mobilesync.target.SyncUpTarget",
    ]
    /// One field list for creations and one for updates, as all three targets take them.
    public static let sample = try? JSONText(
        #"{"type": "single", "createFieldlist": ["FirstName", "LastName"], "updateFieldlist": ["LastName"]}"#)

    /// The target object that ``init(configuration:)`` accepted.
    public let configuration: SObjectConfiguration
    /// The configured number of changes a push, from 1 to 25, and 25 by default.
    public var maxBatchSize: Int { configuration.batchSize(limit: 25) }

    /// How many modification dates are asked for at the same time.
    private static let concurrency = 6

    /// - Throws: ``SoupError`` with the place of a name that cannot be one.
    public init(configuration: SObjectConfiguration) throws {
        try configuration.check()
        self.configuration = configuration
    }

    /// Sends each change on its own, in order, and stops at the first whose answer is lost or refuses everything.
    ///
    /// - Throws: ``SoupError`` when the first one already did nothing on the server; `badConfiguration` without a field
    ///   list.
    public func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var push = try PreparedPush(changes, configuration.form(context.options))
        for position in push.sendable {
            guard let action = push.actions[position] else { continue }
            let request = RowRequest(action, apiPath: context.apiPath)
            let answer = try await push.ledger.exchange(for: [position]) {
                try await context.send(request.method, request.path, json: request.body)
            }
            guard let answer else { break }
            note(answer, &push, position)
        }
        return push.ledger.finished()
    }

    private func note(_ answer: HTTPAnswer, _ push: inout PreparedPush, _ position: Int) {
        let body = try? JSONValue(parsing: answer.body)
        let isReadable = body != nil || answer.body.isEmpty
        guard isReadable || !answer.isSuccess, answer.isOfTheServer else {
            return push.ledger.lose([position], "what came, with HTTP \(answer.status), is not an answer of the server")
        }
        push.ledger.settle(
            position,
            PushOutcome(
                of: push.changes[position], push.actions[position], status: answer.status, body: body ?? .null,
                date: answer.confirmationDate))
    }

    /// True: each record that has an id is asked for by its own GET.
    public var tellsServerStates: Bool { true }

    /// Asks for the modification date of each record on its own, a few at the same time.
    public func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState] {
        let form = configuration.form(SyncOptions())
        var states = Array(repeating: ServerState.unknown, count: changes.count)
        var pending = changes.indices.compactMap { position -> (position: Int, path: String)? in
            guard let id = changes[position].serverId, let type = try? form.type(of: changes[position]) else {
                return nil
            }
            let row = "\(context.apiPath)/sobjects/\(URLText.segment(type))/\(URLText.segment(id))"
            return (position, "\(row)?fields=\(URLText.query(modificationDateField))")
        }[...]
        try await withThrowingTaskGroup(of: (Int, ServerState).self) { group in
            func startNext() {
                guard let next = pending.popFirst() else { return }
                group.addTask { (next.position, try await state(at: next.path, in: context)) }
            }
            for _ in 0..<Self.concurrency { startNext() }
            for try await (position, state) in group {
                states[position] = state
                startNext()
            }
        }
        return states
    }

    private func state(at path: String, in context: SyncContext) async throws -> ServerState {
        let answer = try await context.send(.get, path)
        if answer.status == 404 { return .deleted }
        guard answer.isSuccess else {
            // Who may not read the record will not be let write to it either; any other failure must not look like
            // consent.
            if answer.status == 403, !answer.refusesEverything { return .unknown }
            throw answer.salesforceFailure(of: "the modification date of a record")
        }
        guard let record = try? JSONValue(parsing: answer.body) else {
            throw SoupError(.json, "the modification date of a record came as something else than JSON")
        }
        return state(of: record)
    }
}
