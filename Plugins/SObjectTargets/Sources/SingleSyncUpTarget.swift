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
    public static let aliases = PluginName.mobileSDKClass("SyncUpTarget")
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
            push.ledger.note(answer, at: position, push.changes[position], action)
        }
        await push.ledger.confirmGone(in: context)
        return push.ledger.finished()
    }

    /// True: each record that has an id is asked for by its own GET.
    public var tellsServerStates: Bool { true }

    /// Asks for the modification date of each record on its own, a few at the same time.
    ///
    /// A record is deleted when the API says so in its own form. For `NOT_FOUND`, which the API also answers for a
    /// wrong version or object, another record of the object must have been found, or the server must describe the
    /// object.
    ///
    /// - Throws: ``SoupError``: `objectNotFound` when the server does not have the object; `server` for every answer
    ///   that is not the API's own; `json`, `network`, `unavailable`, `sessionExpired`.
    public func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState] {
        let form = configuration.form(SyncOptions())
        var states = Array(repeating: ServerState.unknown, count: changes.count)
        var asked: [Question] = []
        for (position, change) in changes.enumerated() {
            guard let id = change.serverId, SalesforceID.isPossible(id), let type = try? form.type(of: change) else {
                continue
            }
            asked.append(Question(position: position, type: type, id: id))
        }
        var pending = asked[...]
        var (found, missing): (Set<String>, Set<String>) = ([], [])
        try await withThrowingTaskGroup(of: (Question, State).self) { group in
            func startNext() {
                guard let next = pending.popFirst() else { return }
                group.addTask { (next, try await state(of: next, in: context)) }
            }
            for _ in 0..<Self.concurrency { startNext() }
            for try await (question, state) in group {
                states[question.position] = state.state
                if state.isConfirmed { found.insert(question.type.lowercased()) } else { missing.insert(question.type) }
                startNext()
            }
        }
        for type in missing where !found.contains(type.lowercased()) { try await context.requireObject(type) }
        return states
    }

    private struct Question: Sendable {
        var position: Int
        var type: String
        var id: String
    }

    private struct State: Sendable {
        var state: ServerState
        /// Whether the answer shows that the server has the object.
        var isConfirmed = true
    }

    private func state(of question: Question, in context: SyncContext) async throws -> State {
        let row = "\(context.apiPath)/sobjects/\(URLText.segment(question.type))/\(URLText.segment(question.id))"
        let answer = try await context.send(.get, "\(row)?fields=\(URLText.query(modificationDateField))")
        let what = "the modification date of a record"
        switch answer.apiAnswer {
        case .success(let record):
            guard record.isRecord(question.id) else {
                throw SoupError(
                    .json, "\(what) was answered with something else than this record",
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
                // Who may not read the record will not be let write to it either; any other failure must not look like
                // consent.
                guard answer.status == 403, !answer.refusesEverything else { throw answer.salesforceFailure(of: what) }
                return State(state: .unknown, isConfirmed: true)
            }
        }
    }
}
