// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A target that pushes each local change in one request: POST, PUT or DELETE.
public struct TodoUpTarget: SyncUpTarget {
    /// The `target` object of `usersyncs.json`.
    public struct Configuration: Decodable, Sendable {
        var list: String
    }

    /// The name of the target, equal to that of the sync-down target: the direction of the sync selects one of them.
    public static let name: PluginName = "todo"

    /// The field in which the engine stores the ID that the server assigns to a new todo.
    public let idField = "id"
    /// The field in which the engine stores the time from the server's response.
    public let modificationDateField = "changed"
    /// One change per push, so that an error never discards the outcome of an earlier change.
    public let maxBatchSize = 1

    private let list: String

    /// Creates the target of a sync.
    public init(configuration: Configuration) { list = configuration.list }

    /// Pushes the changes one after another, and returns the outcome of each.
    ///
    /// - Throws: ``SoupError`` if a change has certainly not reached the server.
    public func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var outcomes: [PushOutcome] = []
        for change in changes { outcomes.append(try await push(change, context)) }
        return outcomes
    }

    private func push(_ change: RecordChange, _ context: SyncContext) async throws -> PushOutcome {
        let body = try body(of: change, fields: context.options.fieldlist ?? ["title", "done"])
        let path = "/lists/\(URLText.segment(list))/todos"
        do {
            switch (change.kind, change.serverId.map(URLText.segment)) {
            case (.create, _): return try outcome(of: change, await context.send(.post, path, json: body))
            case (.update, let id?):
                return try outcome(of: change, await context.send(.put, "\(path)/\(id)", json: body))
            case (.delete, let id?): return try outcome(of: change, await context.send(.delete, "\(path)/\(id)"))
            // `.none` is an unchanged parent of changed children; only targets with a layout receive it.
            default: return .skipped
            }
        } catch let error as SoupError where error.delivery == .notSent {
            // Throw only this error: the request was not sent, so the server has certainly not applied the change.
            throw error
        } catch {
            // The server may have applied the change, but its response is lost, incomplete or from another server.
            // Return `unknown`, so that the engine does not silently repeat the change.
            return .unknown(PushFailure(code: "LOST_ANSWER", message: "\(error)"))
        }
    }

    /// Returns the outcome in a response; a failure is an outcome, not an error.
    ///
    /// Only responses in the server's own format are valid: a todo, 204 without a body, or an object with a `code`. A
    /// gateway in front of the server can respond with any status and any body, even if the server has applied the
    /// change.
    ///
    /// - Throws: ``SoupError`` with `json` if the response is not valid.
    private func outcome(of change: RecordChange, _ answer: HTTPAnswer) throws -> PushOutcome {
        if answer.status == 204, change.kind == .delete { return .ok() }
        let json = try answer.json()
        if answer.isSuccess {
            guard let id = json["id"]?.stringValue, ServerId.isPossible(id), (change.serverId ?? id) == id else {
                throw SoupError(.json, "the response with HTTP \(answer.status) does not contain the todo's ID")
            }
            return .ok(serverId: id, modificationDate: json["changed"]?.stringValue)
        }
        guard answer.status >= 400, let code = json["code"]?.stringValue else {
            throw SoupError(.json, "the response with HTTP \(answer.status) is not from the todo server")
        }
        // The server has another code for a wrong path, so this code means that the todo does not exist.
        return .failed(
            PushFailure(
                code: code, message: json["message"]?.stringValue ?? code, isGone: code == "NO_SUCH_TODO",
                retry: answer.status >= 500 ? .inLaterRun : .never))
    }

    /// Returns the fields of the record to send, without fields that are not set.
    private func body(of change: RecordChange, fields: [String]) throws -> JSONText {
        let members = fields.compactMap { field in change.record[JSONPath(field)].map { (key: field, value: $0) } }
        return try JSONText(.object(JSONObject(members)))
    }
}
