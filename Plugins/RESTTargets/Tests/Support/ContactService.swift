// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupCore
import SoupTesting
import Synchronization

/// A service with contacts in memory, which the tests configure for each dialect.
final class ContactService: Sendable {
    /// The way of the service to the next page.
    enum Dialect: Sendable {
        case whole
        case page
        case offset
        case cursor
        case nextURL
        case nextHeader
        case link
        case keyset
        case lastId
    }

    fileprivate struct State {
        var contacts: [JSONObject] = []
        var nextId = 100
        var time = Date(timeIntervalSince1970: 1_700_000_000)
    }

    let dialect: Dialect
    /// The scheme and host of the URLs in responses.
    let origin: String
    private let state = Mutex(State())

    /// Creates a service with five contacts, two of which changed at the same time.
    init(_ dialect: Dialect = .whole, origin: String = "") {
        self.dialect = dialect
        self.origin = origin
        for (index, minute) in [0, 1, 1, 2, 3].enumerated() {
            state.withLock { $0.add("c\(index + 1)", ["name": .string("Contact \(index + 1)")], minute: minute) }
        }
    }

    /// Removes contacts, as another client would.
    func remove(_ ids: String...) {
        state.withLock { $0.contacts.removeAll { ids.contains($0["id"]?.stringValue ?? "") } }
    }

    /// Gives all contacts another version, as changes of other clients would.
    func touch() {
        state.withLock { state in
            for index in state.contacts.indices { state.stamp(index, minute: 50 + index) }
        }
    }

    var count: Int { state.withLock { $0.contacts.count } }
    var contacts: [JSONValue] { state.withLock { $0.contacts.map { .object($0) } } }

    /// Responds to a request as the service does; `refused` records are rejected.
    func answer(_ request: RecordedRequest, refusing refused: [RecordChange] = []) -> HTTPAnswer {
        let parts = request.pathWithoutQuery.split(separator: "/").map(String.init)
        guard parts.prefix(2) == ["api", "contacts"], parts.count <= 3 else { return Self.error(404, "no such path") }
        if parts.count == 3, parts[2] == "bulk", request.method != .get { return bulk(request, refusing: refused) }
        let name = request.json?["name"]?.stringValue
        let id = parts.count == 3 ? parts[2] : nil
        let isRefused = refused.contains { change in
            change.serverId == id && (id != nil || change.record["name"]?.stringValue == name)
        }
        if isRefused, request.method != .get { return Self.error(400, "the name is not valid") }
        return state.withLock { state in
            switch (request.method, id) {
            case (.get, nil): list(request, state)
            case (.get, let id?): state.find(id).map { Self.json(.object(state.contacts[$0])) } ?? Self.gone
            case (.post, nil): create(request, &state)
            case (.put, let id?), (.patch, let id?): update(id, with: request, &state)
            case (.delete, let id?): delete(id, as: request, &state)
            default: Self.error(405, "method not allowed")
            }
        }
    }

    /// Responds to a request with several changes, each as to a request of its own.
    private func bulk(_ request: RecordedRequest, refusing refused: [RecordChange]) -> HTTPAnswer {
        let results = (request.json?["items"]?.arrayValue ?? []).map { item -> JSONValue in
            let path = item["id"]?.stringValue.map { "/api/contacts/\($0)" } ?? "/api/contacts"
            let part = HTTPRequest(method: request.method, scheme: nil, authority: nil, path: path)
            let answer = answer(RecordedRequest(part, body: Array("\(item)".utf8)), refusing: refused)
            let isRepeated = request.method == .delete && answer.status == 404
            return [
                "status": .int(Int64(isRepeated ? 204 : answer.status)),
                "body": (try? JSONValue(parsing: answer.body)) ?? .null,
            ]
        }
        return Self.json(["results": .array(results)])
    }

    static let gone = error(404, "not found")

    static func error(_ status: Int, _ message: String) -> HTTPAnswer {
        HTTPAnswer(status: status, #"{"detail": "\#(message)"}"#)
    }

    private static func json(_ value: JSONValue, status: Int = 200, headers: HTTPFields = [:]) -> HTTPAnswer {
        HTTPAnswer(status: status, "\(value)", headers: headers)
    }

    private func create(_ request: RecordedRequest, _ state: inout State) -> HTTPAnswer {
        if let key = request.json?["client_id"]?.stringValue,
            let known = state.contacts.first(where: { $0["client_id"] == .string(key) })
        {
            return Self.json(.object(known), status: 200)
        }
        state.nextId += 1
        let id = "c\(state.nextId)"
        state.add(id, request.json?.objectValue ?? [:], minute: state.nextId)
        return Self.json(.object(state.contacts[state.contacts.count - 1]), status: 201)
    }

    private func update(_ id: String, with request: RecordedRequest, _ state: inout State) -> HTTPAnswer {
        guard let index = state.find(id) else { return Self.gone }
        if let version = request.header("If-Match"), version != state.contacts[index]["etag"]?.stringValue {
            return Self.error(412, "the record has another version")
        }
        state.nextId += 1
        for (key, value) in request.json?.objectValue?.members ?? [] { state.contacts[index][key] = value }
        for operation in request.json?.arrayValue ?? [] {
            let key = String(operation["path"]?.stringValue?.dropFirst() ?? "")
            state.contacts[index][key] = operation["value"]
        }
        state.stamp(index, minute: state.nextId)
        return Self.json(.object(state.contacts[index]))
    }

    private func delete(_ id: String, as request: RecordedRequest, _ state: inout State) -> HTTPAnswer {
        guard let index = state.find(id) else { return Self.gone }
        if let version = request.header("If-Match"), version != state.contacts[index]["etag"]?.stringValue {
            return Self.error(412, "the record has another version")
        }
        state.contacts.remove(at: index)
        return HTTPAnswer(HTTPResponse(status: .noContent))
    }

    private func list(_ request: RecordedRequest, _ state: State) -> HTTPAnswer {
        var found = state.contacts.sorted { "\($0["changed"] ?? .null)" < "\($1["changed"] ?? .null)" }
        let since = request[parameter: "since"]
        if dialect == .lastId { found.sort { "\($0["id"] ?? .null)" < "\($1["id"] ?? .null)" } }
        if let after = request[parameter: "after"], let since, dialect == .keyset {
            found = found.filter { contact in
                let date = contact["changed"]?.stringValue ?? ""
                return date > since || (date == since && (contact["id"]?.stringValue ?? "") > after)
            }
        } else if let since = since.flatMap({ DateText.parse($0) }) {
            found = found.filter {
                $0["changed"]?.stringValue.flatMap { DateText.parse($0) }.map { $0 >= since } ?? false
            }
        }
        if let ids = request[parameter: "ids"]?.split(separator: ",").map(String.init) {
            found = found.filter { ids.contains($0["id"]?.stringValue ?? "") }
        }
        if let key = request[parameter: "client_id"] { found = found.filter { $0["client_id"] == .string(key) } }
        return page(of: found, request)
    }

    private func page(of found: [JSONObject], _ request: RecordedRequest) -> HTTPAnswer {
        let size = dialect == .whole ? 1000 : 2
        let start: Int
        switch dialect {
        case .whole, .keyset: start = 0
        case .lastId:
            let ids = found.map { $0["id"]?.stringValue }
            guard let after = request[parameter: "after"] else { start = 0; break }
            guard let last = ids.firstIndex(of: after) else { return Self.error(404, "Invalid ID") }
            start = last + 1
        case .page:
            let number = request[parameter: "page"].flatMap { Int($0) } ?? 1
            start = (number - 1) * size
            if number < 1 || (start > 0 && start >= found.count) { return Self.error(404, "Invalid page.") }
        case .offset: start = request[parameter: "offset"].flatMap { Int($0) } ?? 0
        case .cursor, .nextURL, .nextHeader, .link:
            guard let text = request[parameter: "cursor"] else { start = 0; break }
            guard text.hasPrefix("after-"), let number = Int(text.dropFirst(6)) else {
                return Self.error(400, "Invalid cursor")
            }
            start = number
        }
        let end = min(start + size, found.count)
        let isLast = end >= found.count
        var body: JSONObject = [
            "total": .int(Int64(found.count)), "items": .array(found[min(start, end)..<end].map { .object($0) }),
        ]
        var headers: HTTPFields = [.date: "Tue, 14 Nov 2023 23:00:00 GMT"]
        let since = request[parameter: "since"].map { "&since=\(URLText.query($0))" } ?? ""
        let next = "\(origin)/api/contacts?cursor=after-\(end)\(since)"
        switch dialect {
        case .cursor: body["cursor"] = isLast ? .null : .string("after-\(end)")
        case .nextURL: body["next"] = isLast ? .null : .string(next)
        case .nextHeader where !isLast: headers[.nextPage] = next
        case .link where !isLast: headers.append(HTTPField(name: .link, value: "<\(next)>; rel=\"next\""))
        case .page: body["more"] = .bool(!isLast)
        case .whole, .offset, .nextHeader, .link, .keyset, .lastId: break
        }
        return Self.json(.object(body), headers: headers)
    }
}

extension ContactService.State {
    func find(_ id: String) -> Int? { contacts.firstIndex { $0["id"] == .string(id) } }

    mutating func add(_ id: String, _ members: JSONObject, minute: Int) {
        var contact: JSONObject = ["id": .string(id)]
        for (key, value) in members.members { contact[key] = value }
        contacts.append(contact)
        stamp(contacts.count - 1, minute: minute)
    }

    mutating func stamp(_ index: Int, minute: Int) {
        contacts[index]["changed"] = .string(DateText.format(time.addingTimeInterval(Double(minute) * 60), zone: "Z"))
        contacts[index]["etag"] = .string("\"v\(minute)\"")
    }
}

extension HTTPField.Name {
    /// The name of the header with links; the empty fallback is never used, because the name is valid.
    static let link = HTTPField.Name("Link") ?? .accept
    /// The name of a header with the URL of the next page.
    static let nextPage = HTTPField.Name("Next-Page") ?? .accept
}
