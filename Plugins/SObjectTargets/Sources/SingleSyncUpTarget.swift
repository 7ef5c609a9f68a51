// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupSalesforce
public import SoupCore

/// Pushes one record per request, for servers and objects that do not support collections.
public struct SingleSyncUpTarget: SObjectTarget {
    /// The `type` of this target: `single`.
    public static let name: PluginName = "single"
    /// The names of the mobile SDKs for this target.
    public static let aliases = PluginName.mobileSDKClass("SyncUpTarget")
    /// One field list for creations and one for updates, as all three targets take them.
    public static let sample = try? JSONText(
        #"{"type": "single", "createFieldlist": ["FirstName", "LastName"], "updateFieldlist": ["LastName"]}"#)

    /// The checked target object.
    public let configuration: SObjectConfiguration
    /// The configured number of changes per push, from 1 to 25; 25 by default.
    public var maxBatchSize: Int { configuration.batchSize(limit: 25) }

    /// The number of modification dates that are fetched at the same time.
    private static let concurrency = 6

    /// - Throws: ``SoupError`` with the place of an invalid name.
    public init(configuration: SObjectConfiguration) throws {
        try configuration.check()
        self.configuration = configuration
    }

    /// Sends each change on its own, in order, and stops at the first whose response is lost or refuses everything.
    ///
    /// - Throws: ``SoupError`` if the first change has not reached the server; `badConfiguration` without a field list.
    public func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        let client = SalesforceClient(context)
        var push = try PreparedPush(changes, configuration.form(context.options))
        for position in push.sendable {
            guard let action = push.actions[position] else { continue }
            let request = RowRequest(action, apiPath: client.apiPath)
            let answer = try await push.ledger.exchange(for: [position]) {
                try await client.send(request.method, request.path, json: request.body, headers: request.headers)
            }
            guard let answer else { break }
            push.ledger.note(answer, at: position, change: push.changes[position], action: action)
        }
        await push.ledger.confirmGone(with: client)
        return push.ledger.finished()
    }

    /// Fetches the modification date of each record on its own, a few at the same time.
    ///
    /// A record counts as deleted only if the API itself reports it. The API also answers `NOT_FOUND` for a wrong
    /// version or object. In that case another record of the object must have been found, or the server must describe
    /// the object.
    ///
    /// - Throws: ``SoupError``: `objectNotFound` if the server does not have the object; `server` for every response
    ///   that is not the API's own; `json`, `network`, `unavailable`, `sessionExpired`.
    public func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? {
        let client = SalesforceClient(context)
        let form = configuration.form(SyncOptions())
        var states = Array(repeating: ServerState.unknown, count: changes.count)
        var requests: [StateRequest] = []
        for (position, change) in changes.enumerated() {
            guard let id = change.serverId, SalesforceID.isPossible(id), let type = try? form.type(of: change) else {
                continue
            }
            requests.append(StateRequest(position: position, type: type, id: id))
        }
        var pending = requests[...]
        var (found, missing): (Set<String>, Set<String>) = ([], [])
        try await withThrowingTaskGroup(of: (StateRequest, State).self) { group in
            func startNext() {
                guard let next = pending.popFirst() else { return }
                group.addTask { (next, try await state(of: next, with: client)) }
            }
            for _ in 0..<Self.concurrency { startNext() }
            for try await (request, state) in group {
                states[request.position] = state.state
                if state.isConfirmed { found.insert(request.type.lowercased()) } else { missing.insert(request.type) }
                startNext()
            }
        }
        for type in missing where !found.contains(type.lowercased()) { try await client.requireObject(type) }
        return states
    }

    private struct StateRequest: Sendable {
        var position: Int
        var type: String
        var id: String
    }

    private struct State: Sendable {
        var state: ServerState
        /// Whether the response shows that the server has the object.
        var isConfirmed = true
    }

    private func state(of request: StateRequest, with client: SalesforceClient) async throws -> State {
        let row = "\(client.apiPath)/sobjects/\(URLText.segment(request.type))/\(URLText.segment(request.id))"
        let answer = try await client.send(.get, "\(row)?fields=\(URLText.query(modificationDateField))")
        let what = "the modification date of a record"
        switch answer.apiAnswer {
        case .success(let record):
            guard record.isRecord(request.id) else {
                throw SoupError(
                    .json, "the response to the request for \(what) does not contain the record",
                    hint: SoupError.changedResponsesHint)
            }
            return State(state: state(of: record))
        case .foreign where answer.isSuccess: throw SoupError(.json, "\(what): \(answer.foreignDescription)")
        case .foreign: throw answer.salesforceFailure(of: what)
        case .refusal(let error):
            switch error.existence(status: answer.status) {
            case .gone: return State(state: .deleted)
            case .goneIfObjectExists: return State(state: .deleted, isConfirmed: false)
            case .unknown:
                // A user who cannot read the record cannot write it either; any other error must not count as
                // permission.
                guard answer.status == 403, !answer.refusesEverything else { throw answer.salesforceFailure(of: what) }
                return State(state: .unknown, isConfirmed: true)
            }
        }
    }
}
