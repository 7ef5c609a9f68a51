// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import HTTPTypes
public import SoupCore
internal import Synchronization

/// A todo server in memory, which is a transport, so that the sample needs no network.
public final class InMemoryTodoServer: HTTPTransport {
    struct Todo {
        var id: String
        var title: String
        var done: Bool
        var changed: Date

        var json: JSONValue {
            [
                "id": .string(id), "title": .string(title), "done": .bool(done),
                "changed": .string(DateText.format(changed, zone: "Z")),
            ]
        }
    }

    fileprivate struct State {
        var todos: [Todo] = []
        var nextId = 1
        var time = Date(timeIntervalSince1970: 1_767_600_000)
    }

    private let state = Mutex(State())

    /// Creates a server without todos; its clock starts in January 2026 and advances a minute with every change.
    public init() {}

    /// Adds a todo on the server, as another user would.
    public func add(_ title: String) {
        state.withLock { state in _ = state.add(title, done: false) }
    }

    /// Removes a todo on the server, as another user would.
    public func remove(_ title: String) {
        state.withLock { $0.todos.removeAll { $0.title == title } }
    }

    /// The titles of the todos, with a mark for completed ones.
    public var titles: [String] { state.withLock { $0.todos.map { $0.title + ($0.done ? " (done)" : "") } } }

    /// Returns the server's response to a request; never throws an error of the network.
    ///
    /// - Throws: `JSONError` if the body is not JSON.
    public func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        let parts = (request.path ?? "").split(separator: "?", maxSplits: 1)
        let path = parts.first.map { $0.split(separator: "/").map(String.init) } ?? []
        let query = parts.dropFirst().first.map { Self.parameters(String($0)) } ?? [:]
        let todo = try body.map { try JSONText($0[...]) }
        return try state.withLock { state in
            switch (request.method, path.count, path.last) {
            case (.get, 3, "ids"?): try state.ids()
            case (.get, 3, _): try state.page(query)
            case (.post, 3, _): try state.create(todo)
            case (.put, 4, let id?): try state.update(id, todo)
            case (.delete, 4, let id?): state.delete(id)
            default: Self.error(.notFound, code: "NO_SUCH_PATH", message: "there is no \(parts.first ?? "")")
            }
        }
    }

    fileprivate static func error(_ status: HTTPResponse.Status, code: String, message: String) -> HTTPAnswer {
        let json: JSONValue = ["code": .string(code), "message": .string(message)]
        return HTTPAnswer(HTTPResponse(status: status), body: Array("\(json)".utf8))
    }

    private static func parameters(_ text: String) -> [String: String] {
        text.split(separator: "&").reduce(into: [:]) { result, pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            result[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
    }
}

extension InMemoryTodoServer.State {
    mutating func add(_ title: String, done: Bool) -> InMemoryTodoServer.Todo {
        time += 60
        let todo = InMemoryTodoServer.Todo(id: "t\(nextId)", title: title, done: done, changed: time)
        nextId += 1
        todos.append(todo)
        return todo
    }

    func ids() throws -> HTTPAnswer { try answer(.array(todos.map { .string($0.id) })) }

    func page(_ query: [String: String]) throws -> HTTPAnswer {
        let since = query["since"].flatMap { DateText.parse($0) } ?? Date(timeIntervalSince1970: 0)
        let matching = todos.filter { $0.changed >= since }.sorted { $0.changed < $1.changed }
        var start = 0
        if let after = query["after"] {
            guard let index = matching.firstIndex(where: { $0.id == after }) else {
                return InMemoryTodoServer.error(.gone, code: "NO_SUCH_CURSOR", message: "there is no todo \(after)")
            }
            start = index + 1
        }
        let limit = query["limit"].flatMap { Int($0) } ?? 100
        let page = matching[start...].prefix(limit)
        var result: JSONObject = ["todos": .array(page.map(\.json)), "total": .int(Int64(matching.count))]
        if start + page.count < matching.count { result["next"] = page.last.map { .string($0.id) } }
        return try answer(.object(result))
    }

    mutating func create(_ todo: JSONText?) throws -> HTTPAnswer {
        let title = todo?["title"]?.stringValue ?? ""
        guard !title.isEmpty else {
            return InMemoryTodoServer.error(.badRequest, code: "NO_TITLE", message: "a todo must have a title")
        }
        return try answer(add(title, done: todo?["done"]?.boolValue ?? false).json, .created)
    }

    mutating func update(_ id: String, _ todo: JSONText?) throws -> HTTPAnswer {
        guard let index = todos.firstIndex(where: { $0.id == id }) else {
            return InMemoryTodoServer.error(.notFound, code: "NO_SUCH_TODO", message: "there is no todo \(id)")
        }
        time += 60
        todos[index].title = todo?["title"]?.stringValue ?? todos[index].title
        todos[index].done = todo?["done"]?.boolValue ?? todos[index].done
        todos[index].changed = time
        return try answer(todos[index].json)
    }

    mutating func delete(_ id: String) -> HTTPAnswer {
        todos.removeAll { $0.id == id }
        return HTTPAnswer(HTTPResponse(status: .noContent))
    }

    private func answer(_ json: JSONValue, _ status: HTTPResponse.Status = .ok) throws -> HTTPAnswer {
        var response = HTTPResponse(status: status)
        response.headerFields[.date] = DateText.formatHTTPDate(time + 60)
        return HTTPAnswer(response, body: Array(try JSONText(json).bytes))
    }
}
