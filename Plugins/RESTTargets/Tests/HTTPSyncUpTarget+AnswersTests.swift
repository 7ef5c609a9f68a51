// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RESTTargets
import SoupCore
import SoupTesting
import Testing

@Suite struct HTTPSyncUpTargetAnswersTests {
    private func outcome(
        _ kind: RecordChange.Kind, _ answer: HTTPAnswer, keys: String = #""version": "v""#,
        mode: MergeMode = .overwrite
    ) async throws -> String {
        let target = try HTTPSyncUpTarget(
            configuration: JSONText(#"{"path": "/x", "modified": "m", "dateFormat": "epochSeconds", \#(keys)}"#)
                .decode())
        let change = RecordChange(
            kind, soup: "x", entryId: 1, serverId: kind == .create ? nil : "7",
            record: try JSONText(#"{"a": 1, "version": 3}"#))
        let options = SyncOptions(mergeMode: mode)
        let transport = ScriptedTransport { $0.method == .get ? HTTPAnswer(status: 500, "") : answer }
        let found = try await target.push(
            [change],
            in: SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x", options: options))
        guard let outcome = found.first else { return "none" }
        let details = [outcome.serverId, outcome.modificationDate, outcome.version?.description].compactMap { $0 }
        switch outcome.result {
        case .ok: return (["ok"] + details).joined(separator: " ")
        case .failed(let failure): return "failed \(failure.retry)\(failure.isGone ? " gone" : "")"
        case .conflict: return "conflict"
        case .unknown: return "unknown"
        case .skipped: return "skipped"
        case .notSent: return "not sent"
        }
    }

    @Test(arguments: [
        (201, #"{"id": 7, "m": 0, "v": 2}"#, "ok 7 1970-01-01T00:00:00.000+0000 2", "ok"),
        (200, #"{"id": 8}"#, "ok 8", "unknown"), (200, "", "unknown", "unknown"), (204, "", "unknown", "ok"),
        (200, "<html></html>", "unknown", "unknown"), (302, "", "unknown", "unknown"),
        (200, #"{"error": "x"}"#, "unknown", "unknown"),
        (409, #"{"detail": "x"}"#, "failed never", "failed never"),
        (412, #"{"detail": "x"}"#, "failed never", "conflict"),
        (412, "", "unknown", "unknown"), (429, #"{"detail": "x"}"#, "failed inLaterRun", "failed inLaterRun"),
        (503, "<html></html>", "unknown", "unknown"), (422, #"{"detail": "x"}"#, "failed never", "failed never"),
        (400, "<html></html>", "unknown", "unknown"),
        (401, #"{"detail": "x"}"#, "failed inLaterRun", "failed inLaterRun"),
        (404, #"{"detail": "x"}"#, "unknown", "unknown"), (408, #"{"detail": "x"}"#, "unknown", "unknown"),
        (500, #"{"detail": "x"}"#, "unknown", "unknown"),
    ])
    func `A response has its documented meaning`(
        _ status: Int, _ body: String, _ create: String, _ update: String
    ) async throws {
        #expect(try await outcome(.create, HTTPAnswer(status: status, body)) == create)
        let found = try await outcome(.update, HTTPAnswer(status: status, body))
        #expect(found.split(separator: " ").first == update.split(separator: " ").first)
    }

    /// A service that responds to deletions with JSON without the record, or a gateway that sends JSON.
    @Test(arguments: ["{}", "[]", #"{"status": "ok"}"#]) func `A deletion without an ID is checked`(body: String)
        async throws
    {
        for isDeleted in [true, false] {
            let target = try HTTPSyncUpTarget(configuration: JSONText(#"{"path": "/x"}"#).decode())
            let transport = ScriptedTransport { request in
                switch (request.method, request.pathAndQuery) {
                case (.delete, _): HTTPAnswer(body)
                case (_, "/x"): HTTPAnswer("[]")
                default: isDeleted ? HTTPAnswer(status: 404, "{}") : HTTPAnswer(#"{"id": 7}"#)
                }
            }
            let change = RecordChange(.delete, soup: "x", entryId: 1, serverId: "7", record: try JSONText("{}"))
            let outcomes = try await target.push(
                [change], in: SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x"))
            let isUnknown = if case .unknown? = outcomes.first?.result { true } else { false }
            #expect(isUnknown != isDeleted, "\(outcomes)")
            #expect(isDeleted == (outcomes.first?.result == .ok))
        }
        #expect(try await outcome(.delete, HTTPAnswer(#"{"id": 7}"#)) == "ok")
    }

    @Test func `The ID and the version may be in headers`() async throws {
        let created = HTTPAnswer(
            HTTPResponse(status: .created, headerFields: [.location: "/x/a%20b", .eTag: "\"3\""]))
        #expect(try await outcome(.create, created) == #"ok a b "\"3\"""#)
        for location in ["/x/7/", "x/7", "./x/7/?a", "https://a.example/x/7/"] {
            let answer = HTTPAnswer(HTTPResponse(status: .created, headerFields: [.location: location]))
            #expect(try await outcome(.create, answer) == "ok 7", "\(location)")
        }
        let elsewhere = HTTPAnswer(HTTPResponse(status: .created, headerFields: [.location: "https://b.example/x/7"]))
        #expect(try await outcome(.create, elsewhere, keys: #""item": "/y/{id}""#) == "unknown")
        let updated = HTTPAnswer(HTTPResponse(status: .noContent, headerFields: [.eTag: "\"4\""]))
        #expect(try await outcome(.update, updated) == #"ok "\"4\"""#)
    }

    /// A counter of the server differs after every push, also after one whose response was lost.
    @Test func `Only fields that a push sends are compared`() async throws {
        let keys = #""record": "data", "modified": "meta.at", "version": "v", "fieldlist": ["a", "b"]"#
        let body = #"{"data": {"id": 7, "meta": {"at": 5}, "v": 2, "a": 1, "b": null, "count": 9}}"#
        for (list, expected) in [
            (#", "createFieldlist": ["c"]"#, #"{"id":7,"v":2,"a":1,"b":null,"at":5}"#),
            (#", "updateFieldlist": ["count"]"#, #"{"id":7,"v":2,"count":9,"at":5}"#),
        ] {
            let target = try HTTPSyncUpTarget(configuration: JSONText(#"{"path": "/x", \#(keys)\#(list)}"#).decode())
            let transport = ScriptedTransport { _ in HTTPAnswer(body) }
            let change = RecordChange(.update, soup: "x", entryId: 1, serverId: "7", record: try JSONText("{}"))
            let found = try await target.serverRecords(
                of: [change], in: SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x"))
            #expect(found?.first??.value == (try JSONValue(parsing: Array(expected.utf8))))
        }
    }

    @Test(arguments: [
        (#"{"conflict": [423]}"#, 423, "conflict"), (#"{"conflict": [423]}"#, 409, "failed never"),
        (#"{"retry": [420]}"#, 420, "failed inLaterRun"), (#"{"retry": [420]}"#, 429, "failed never"),
        (#"{"retry": [420]}"#, 503, "unknown"), (#"{"rejected": [422]}"#, 422, "failed never"),
        (#"{"rejected": [422]}"#, 400, "unknown"), (#"{"rejected": [500]}"#, 500, "failed never"),
    ])
    func `The configuration gives statuses their meaning`(keys: String, status: Int, expected: String) async throws {
        let answer = HTTPAnswer(status: status, #"{"detail": "x"}"#)
        #expect(try await outcome(.update, answer, keys: #""statuses": \#(keys)"#) == expected)
    }

    @Test func `The documented form of a missing record is certain`() async throws {
        let keys = #""gone": {"path": "code", "values": ["NONE"]}"#
        let answer = HTTPAnswer(status: 404, #"{"code": "NONE"}"#)
        #expect(try await outcome(.update, answer, keys: keys) == "failed never gone")
        #expect(try await outcome(.delete, answer, keys: keys) == "ok")
        #expect(try await outcome(.delete, HTTPAnswer(status: 404, #"{"code": "OTHER"}"#), keys: keys) == "unknown")
        // A mark of records that exist, too.
        let mark = #""gone": {"statuses": [200, 404], "path": "deleted"}"#
        let marked = HTTPAnswer(#"{"id": 7, "deleted": true}"#)
        for keys in [mark, mark.replacing("}", with: #", "values": [true]}"#)] {
            let target = try HTTPSyncDownTarget(
                configuration: JSONText(#"{"path": "/x", "survivors": "each", \#(keys)}"#).decode())
            let transport = ScriptedTransport {
                $0.pathWithoutQuery == "/x/7" ? marked : HTTPAnswer(#"{"id": 8, "deleted": false}"#)
            }
            let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
            #expect(try await target.survivors(of: ["7", "8"], level: 0, in: context) == ["8"])
        }
    }

    /// A list with deleted records still confirms that the path of a record is right.
    @Test(arguments: [
        (#"{"id": 7, "deleted": true, "a": 1}"#, true, true), (#"{"id": 7, "deleted_at": "2026", "a": 1}"#, true, true),
        (#"{"id": 7}"#, true, true), (#"{"id": 7, "deleted": true, "a": 1}"#, false, false),
        // The list contains the record, so the response for its path is not the service's own.
        (#"{"id": 7, "a": 1}"#, true, false), (#"{"id": 7, "a": 1, "deleted": false}"#, true, false),
    ])
    func `A listed record is missing only as a deleted one`(
        listed: String, hasOther: Bool, expected: Bool
    ) async throws {
        let target = try HTTPSyncUpTarget(configuration: JSONText(#"{"path": "/x"}"#).decode())
        let transport = ScriptedTransport { request in
            switch request.pathWithoutQuery {
            case "/x": HTTPAnswer(#"[{"id": 0, "deleted": true}, \#(listed), {"id": 1, "a": 2}]"#)
            case "/x/1" where hasOther: HTTPAnswer(#"{"id": 1, "a": 2}"#)
            default: HTTPAnswer(status: 404, #"{"detail": "Not found."}"#)
            }
        }
        let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
        for kind in [RecordChange.Kind.update, .delete] {
            let change = RecordChange(kind, soup: "x", entryId: 1, serverId: "7", record: try JSONText(#"{"a": 1}"#))
            let result = try await target.push([change], in: context).first?.result
            let isMissing =
                switch result {
                case .ok: kind == .delete
                case .failed(let failure): failure.isGone
                default: false
                }
            #expect(isMissing == expected, "\(kind) \(String(describing: result))")
        }
        let survivors = try HTTPSyncDownTarget(
            configuration: JSONText(#"{"path": "/x", "survivors": "each"}"#).decode())
        let found = try? await survivors.survivors(of: ["7", "1"], level: 0, in: context)
        #expect((found == ["1"]) == expected, "\(String(describing: found))")
    }

    /// A gateway can send these after the service has created the record, which the look-up of the next run shows.
    @Test func `A creation that can be looked up is not sent again at once`() async throws {
        let keys = #""clientKey": {"field": "k", "parameters": {"k": "{clientKey}"}}"#
        for status in [429, 503] {
            let answer = HTTPAnswer(status: status, #"{"detail": "x"}"#)
            #expect(try await outcome(.create, answer, keys: keys) == "unknown")
            #expect(try await outcome(.update, answer, keys: keys) == "failed inLaterRun")
        }
    }

    /// Without a look-up, the user would have to decide about each creation that a gateway may have let through.
    @Test(arguments: [
        (#""id": "id""#, 429, "failed inLaterRun"), (#""id": "id""#, 503, "unknown"),
        (#""error": {"message": "detail"}"#, 503, "failed inLaterRun"),
        (#""clientKey": {"header": "Idempotency-Key"}"#, 503, "failed inLaterRun"),
    ])
    func `A creation is sent again if it was refused for sure`(keys: String, status: Int, expected: String) async throws
    {
        let answer = HTTPAnswer(status: status, #"{"detail": "x"}"#)
        #expect(try await outcome(.create, answer, keys: keys) == expected)
        #expect(try await outcome(.update, answer, keys: keys) == "failed inLaterRun")
    }

    /// Services send 409 for other reasons, too.
    @Test func `Only a comparison of versions makes 409 a conflict`() async throws {
        let answer = HTTPAnswer(status: 409, #"{"detail": "locked"}"#)
        #expect(try await outcome(.update, answer) == "failed never")
        #expect(try await outcome(.update, answer, keys: #""statuses": {"conflict": [409]}"#) == "conflict")
        let keys = #""version": "version", "ifMatch": true"#
        #expect(try await outcome(.update, answer, keys: keys, mode: .leaveIfChanged) == "conflict")
        #expect(try await outcome(.update, answer, keys: keys, mode: .overwrite) == "failed never")
    }

    @Test(arguments: [#"{"detail": "x"}"#, "<html></html>"])
    func `A refused batch may have created records`(body: String) async throws {
        let keys = #""clientKey": {"field": "k", "parameters": {"k": "{clientKey}"}}, "create": {"batch": {}}"#
        let answer = HTTPAnswer(status: 503, body)
        #expect(try await outcome(.create, answer, keys: keys) == "unknown")
        let own = #""error": {"message": "detail"}, "create": {"batch": {}}"#
        #expect(try await outcome(.create, answer, keys: own) == (body.first == "{" ? "failed inLaterRun" : "unknown"))
    }

    /// A field that the service does not store makes every look-up empty.
    @Test func `A twin without the key is not created again`() async throws {
        let keys = #""clientKey": {"field": "k", "parameters": {"k": "{clientKey}"}}"#
        let target = try HTTPSyncUpTarget(configuration: JSONText(#"{"path": "/x", \#(keys)}"#).decode())
        let change = RecordChange(
            .create, soup: "x", entryId: 1, serverId: nil, record: try JSONText(#"{"k": "1", "name": "Ada"}"#))
        for (list, isTwin) in [
            (#"[{"id": 7, "name": "Ada"}]"#, true), (#"[{"id": 7, "name": "Ada", "k": null}]"#, false),
            (#"[{"id": 7, "name": "Ben"}]"#, false), ("[]", false),
        ] {
            let transport = ScriptedTransport { HTTPAnswer($0[parameter: "k"] == nil ? list : "[]") }
            let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
            let found = try? await target.findCreated([change], in: context)
            #expect((found == nil) == isTwin, "\(list)")
        }
    }

    @Test func `A look-up is believed if it finds nothing twice`() async throws {
        let keys = #""clientKey": {"field": "k", "parameters": {"k": "{clientKey}"}}"#
        let target = try HTTPSyncUpTarget(configuration: JSONText(#"{"path": "/x", \#(keys)}"#).decode())
        for (pages, expected) in [(["[]", #"[{"id": 7, "k": "1"}]"#], "7"), (["[]", "[]"], nil)] {
            let answers = AnswerQueue(pages.map { HTTPAnswer($0) })
            let transport = ScriptedTransport { _ in await answers.next() }
            let change = RecordChange(
                .create, soup: "x", entryId: 1, serverId: nil, record: try JSONText(#"{"k": "1"}"#))
            let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
            #expect(try await target.findCreated([change], in: context) == [expected])
            #expect(transport.requests.allSatisfy { $0.header("Cache-Control") == "no-cache" })
        }
    }

    @Test func `The date of a response stays as the server wrote it`() async throws {
        let target = try HTTPSyncUpTarget(configuration: JSONText(#"{"path": "/x", "modified": "m"}"#).decode())
        let transport = ScriptedTransport { _ in HTTPAnswer(#"{"id": 7, "m": "2026-11-26T03:12:10.2693157Z"}"#) }
        let change = RecordChange(.update, soup: "x", entryId: 1, serverId: "7", record: try JSONText(#"{"a": 1}"#))
        let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
        #expect(try await target.push([change], in: context).first?.modificationDate == "2026-11-26T03:12:10.2693157Z")
    }

    /// Without the values, the next change would be in conflict with this one, or would not be compared.
    @Test func `A response without date and version is completed`() async throws {
        let keys = #""path": "/x", "modified": "m", "version": "v", "ifMatch": true"#
        let target = try HTTPSyncUpTarget(configuration: JSONText("{\(keys)}").decode())
        let change = RecordChange(
            .update, soup: "x", entryId: 1, serverId: "7", record: try JSONText(#"{"id": 7, "a": 1, "v": 1}"#))
        let date = "2026-01-01T00:00:00Z"
        for (record, mode, expected) in [
            (#"{"id": 7, "a": 1, "m": "\#(date)", "v": 2}"#, MergeMode.leaveIfChanged, (date, "2")),
            // Another user has changed the record since.
            (#"{"id": 7, "a": 3, "m": "\#(date)", "v": 3}"#, .leaveIfChanged, (nil, nil)),
            (#"{"id": 7, "a": 1, "m": "\#(date)", "v": 2}"#, .overwrite, (nil, nil)),
        ] as [(String, MergeMode, (String?, String?))] {
            let transport = ScriptedTransport { $0.method == .get ? HTTPAnswer(record) : HTTPAnswer(status: 204, "") }
            let context = SyncContext(
                transport: transport, clock: ManualClock.advancing(), soup: "x", options: SyncOptions(mergeMode: mode))
            let outcome = try #require(try await target.push([change], in: context).first)
            #expect(outcome.modificationDate == expected.0 && outcome.version?.description == expected.1, "\(outcome)")
            #expect(transport.requests.count == (mode == .overwrite ? 1 : 2))
        }
    }

    @Test func `The key of creations has its name on the server`() throws {
        let target = try HTTPSyncUpTarget(
            configuration: JSONText(
                #"{"path": "/x", "clientKey": {"field": "key", "parameters": {"k": "{clientKey}"}}}"#
            ).decode())
        let rename = TransformReference(["type": "rename", "fields": ["k": "key"]])
        let problems = target.problems(with: SyncOptions(transforms: [rename]))
        #expect(problems.map(\.place.path) == ["clientKey.field"] && problems.first?.severity == .error)
    }

    @Test func `PUT with a part of the record is a warning`() throws {
        func warnings(_ keys: String) throws -> Int {
            let target = try HTTPSyncUpTarget(configuration: JSONText(#"{"path": "/x", \#(keys)}"#).decode())
            return target.problems(with: SyncOptions(mergeMode: .overwrite)).count
        }
        #expect(try warnings(#""update": "put", "fieldlist": ["a"]"#) == 1)
        #expect(try warnings(#""update": "put""#) == 0)
        #expect(try warnings(#""update": {"style": "patch", "method": "PUT"}, "fieldlist": ["a"]"#) == 0)
    }
}

private actor AnswerQueue {
    private var answers: [HTTPAnswer]
    init(_ answers: [HTTPAnswer]) { self.answers = answers }
    func next() -> HTTPAnswer { answers.isEmpty ? HTTPAnswer("[]") : answers.removeFirst() }
}
