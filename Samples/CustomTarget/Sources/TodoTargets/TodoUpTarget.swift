// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Takes local changes to the server, one request each: POST, PUT and DELETE.
public struct TodoUpTarget: SyncUpTarget {
    /// The `target` object of `usersyncs.json`.
    public struct Configuration: Decodable, Sendable {
        var list: String
    }

    /// The same name as the sync-down target's: the direction of the sync tells them apart.
    public static let name: PluginName = "todo"

    /// Where the engine writes the id that the server gave a new todo.
    public let idField = "id"
    /// Where the engine writes the time that the server answered with.
    public let modificationDateField = "changed"
    /// One change a push: what throws cannot forget what was pushed before it.
    public let maxBatchSize = 1

    private let list: String

    /// Takes the list's name as it is, for the path of every request.
    public init(configuration: Configuration) { list = configuration.list }

    /// Pushes the changes one behind the other and tells what became of each.
    ///
    /// - Throws: ``SoupError`` when a change did certainly not reach the server.
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
            // `.none` is a parent that is there for its children: only targets with a layout see it.
            default: return .skipped
            }
        } catch let error as SoupError where error.delivery == .notSent {
            // The one failure that may be thrown: the server has certainly done nothing.
            throw error
        } catch {
            // The server may have done it, and the answer is lost, cut off, or not the server's own: say so, and the
            // engine will not repeat it in silence.
            return .unknown(PushFailure(code: "LOST_ANSWER", message: "\(error)"))
        }
    }

    /// What the server says of the record; a failure is an outcome, not an error.
    ///
    /// Only the server's own form counts: a todo, 204 without a body, or an object with a `code`. A gateway in front of
    /// the server can answer with any status and any body, also after the server has done its work.
    private func outcome(of change: RecordChange, _ answer: HTTPAnswer) throws -> PushOutcome {
        if answer.status == 204, change.kind == .delete { return .ok() }
        let json = try answer.json()
        if answer.isSuccess {
            guard let id = json["id"]?.stringValue, ServerId.isPossible(id), (change.serverId ?? id) == id else {
                throw SoupError(.json, "HTTP \(answer.status) without the todo's id")
            }
            return .ok(serverId: id, modificationDate: json["changed"]?.stringValue)
        }
        guard answer.status >= 400, let code = json["code"]?.stringValue else {
            throw SoupError(.json, "HTTP \(answer.status) is not an answer of the todo server")
        }
        // For a wrong path the server has another code, so this one is about the todo alone.
        return .failed(
            PushFailure(
                code: code, message: json["message"]?.stringValue ?? code, isGone: code == "NO_SUCH_TODO",
                isRetryable: answer.status >= 500))
    }

    /// The fields of the record that the server takes: what the app never set is left out.
    private func body(of change: RecordChange, fields: [String]) throws -> JSONText {
        let members = fields.compactMap { field in change.record[JSONPath(field)].map { (key: field, value: $0) } }
        return try JSONText(.object(JSONObject(members)))
    }
}
