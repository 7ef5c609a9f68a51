// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RESTTargets
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// The suites of targets with a running service, which `Tests/RESTServices/test_suites.py` describes in a variable.
@Suite(.enabled(if: ForeignService.description != nil)) struct ServiceSuiteTests {
    @Test func `The down target follows the rules with a service`() async throws {
        let service = try ForeignService()
        try await service.restore("full")
        try await SyncDownTargetSuite(
            HTTPSyncDownTarget.self, configuration: service.target("down"), undated: service.flag("undated"),
            numberedPages: service.flag("numbered")
        ) { try await service.send($0) }.check()
    }

    @Test func `The up target follows the rules with a service`() async throws {
        let service = try ForeignService()
        let wrongPath = try await service.send(.get, service.path + "-none")
        try await SyncUpTargetSuite(
            HTTPSyncUpTarget.self, configuration: service.target("up"),
            batches: [
                [service.change(.create, 0), service.change(.create, 1)],
                [service.change(.update, 0), service.change(.update, 1)], [service.change(.delete, 2)],
            ], recordCount: { (try? await service.recordCount()) ?? -1 },
            withoutLookups: service.flag("withoutLookups"), wrongPath: wrongPath,
            missingRecords: { try await service.send($0, in: "missing") },
            changedRecords: { try await service.send($0, in: "changed") }
        ) { try await service.send($0, refusing: $1) }.check()
    }
}

/// A running service, and the states of its records that it keeps by name.
private struct ForeignService: Sendable {
    /// The description as JSON; nil if no service is running.
    static var description: String? { ProcessInfo.processInfo.environment["SOUPKIT_SERVICE"] }

    private let json: JSONValue
    private let transport = StandardTransport.make()

    init() throws { json = try JSONValue(parsing: Array((Self.description ?? "").utf8)) }

    var path: String { json["path"]?.stringValue ?? "" }
    func flag(_ name: String) -> Bool { json[name]?.boolValue ?? false }
    func target(_ direction: String) -> String { "\(json[direction] ?? .null)" }

    /// Returns a change of a record that the service has, or of a new one.
    func change(_ kind: RecordChange.Kind, _ number: Int) -> RecordChange {
        let known = json["records"]?.arrayValue?[number]
        let id = kind == .create ? nil : known?["id"]
        var record = kind == .create ? [:] : known?.objectValue ?? [:]
        record["id"] = id ?? .string("local_\(String(repeating: "0", count: 31))\(number)")
        record["name"] = .string("Suite \(number)")
        record["city"] = "Rom"
        return RecordChange(
            kind, soup: "contacts", entryId: Int64(number + 1), serverId: id?.idText,
            record: (try? JSONText(.object(record))) ?? .object([]))
    }

    // MARK: - Requests

    func send(_ method: HTTPRequest.Method, _ path: String, body: [UInt8]? = nil) async throws -> HTTPAnswer {
        let url = try #require(URL(string: json["url"]?.stringValue ?? ""))
        var request = HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:\(url.port ?? 0)", path: path)
        if body != nil { request.headerFields[.contentType] = "application/json" }
        return try await send(RecordedRequest(request, body: body))
    }

    func restore(_ state: String) async throws {
        let answer = try await send(.post, "/restore/\(state)")
        #expect(answer.status == 200)
    }

    /// Forwards a request.
    func send(_ request: RecordedRequest) async throws -> HTTPAnswer {
        var head = request.request
        for (name, value) in json["headers"]?.objectValue?.members.map({ ($0.key, $0.value) }) ?? [] {
            if let name = HTTPField.Name(name) { head.headerFields[name] = value.stringValue }
        }
        return try await transport.send(head, body: request.body)
    }

    /// Forwards a request to the service with the records of a state.
    func send(_ request: RecordedRequest, in state: String) async throws -> HTTPAnswer {
        try await restore(state)
        return try await send(request)
    }

    /// Forwards a request, with a name that the service rejects for `refused` changes.
    ///
    /// The suite pushes the same changes again and again: if the records are no longer those of the changes, they are
    /// restored first.
    func send(_ request: RecordedRequest, refusing refused: [RecordChange]) async throws -> HTTPAnswer {
        if let batch = request.json?["contacts"]?.arrayValue {
            return try await sendBatch(batch, in: request, refusing: refused)
        }
        if refused.contains(where: { isAbout($0, request) }) {
            return try await send(rejected(request), in: "full")
        }
        let answer = try await send(request)
        // A key of a creation that the service knows is refused with 400.
        guard [400, 404, 412].contains(answer.status), request.method != .get else { return answer }
        return try await send(request, in: "full")
    }

    private func isAbout(_ change: RecordChange, _ request: RecordedRequest) -> Bool {
        guard let id = change.serverId else { return request.json?["name"] == change.record.value["name"] }
        return request.method != .get && request.pathWithoutQuery.split(separator: "/").last.map(String.init) == id
    }

    /// Returns a request that the service rejects; a deletion becomes an update.
    private func rejected(_ request: RecordedRequest) throws -> RecordedRequest {
        var (head, body) = (request.request, request.json?.objectValue ?? [:])
        if head.method == .delete { head.method = flag("replaces") ? .put : .patch }
        head.headerFields[.contentType] = "application/json"
        body["name"] = json["badName"]
        body["city"] = body["city"] ?? "Rom"
        return RecordedRequest(head, body: Array(try JSONText(.object(body)).bytes))
    }

    /// Forwards a request with several changes, of which the service rejects those of `refused` changes.
    private func sendBatch(
        _ elements: [JSONValue], in request: RecordedRequest, refusing refused: [RecordChange]
    ) async throws -> HTTPAnswer {
        let isRefused = elements.map { element in
            refused.contains { change in
                guard let id = change.serverId else { return element["name"] == change.record.value["name"] }
                return (element["id"] ?? element).idText == id
            }
        }
        var sent: [JSONValue] = []
        for (var element, isRefused) in zip(elements, isRefused) {
            // The service rejects no deletion: its rejection is added to the results.
            if isRefused, element.objectValue == nil { continue }
            if isRefused { element["name"] = json["badName"] }
            sent.append(element)
        }
        let body = try JSONText(.object(["contacts": .array(sent)]))
        let changed = RecordedRequest(request.request, body: Array(body.bytes))
        var results = try await send(changed).json().value["results"]?.arrayValue ?? []
        if results.contains(where: { $0["status"] == 404 }) {
            results = try await send(changed, in: "full").json().value["results"]?.arrayValue ?? []
        }
        for (position, isRefused) in isRefused.enumerated() where isRefused && request.method == .delete {
            results.insert(["status": 422, "error": ["code": "NO", "message": "it stays"]], at: position)
        }
        return HTTPAnswer("\(JSONValue.object(["results": .array(results)]))")
    }

    /// Returns the number of records on all pages of the down target.
    func recordCount() async throws -> Int {
        let configuration = try JSONText(target("down")).decode(HTTPSyncDownTarget.Configuration.self)
        let target = try HTTPSyncDownTarget(configuration: configuration)
        let context = SyncContext(
            transport: ScriptedTransport { try await send($0) }, clock: ManualClock.advancing(), soup: "contacts")
        var (count, cursor): (Int, PageCursor?) = (0, nil)
        repeat {
            let page = try await target.page(after: cursor, in: context)
            count += page.levels.reduce(0) { $0 + $1.count }
            cursor = page.next
        } while cursor != nil
        return count
    }
}
