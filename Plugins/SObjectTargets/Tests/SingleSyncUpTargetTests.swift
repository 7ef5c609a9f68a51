// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SObjectTargets
import SoupCore
import SoupTesting
import Synchronization
import Testing

private func target(_ configuration: SObjectConfiguration = .init(createFieldlist: ["Name"], updateFieldlist: ["Name"]))
    throws -> SingleSyncUpTarget
{
    try SingleSyncUpTarget(configuration: configuration)
}

@Suite struct SingleSyncUpTargetTests {
    @Test func `Each record is sent in its own request`() async throws {
        let transport = ScriptedTransport([
            .answer(
                to: #"POST /v/sobjects/Account {"Name":"local_1"}"#, status: 201,
                #"{"id":"0010000000000N1","success":true,"errors":[]}"#, headers: date),
            .answer(
                to: #"PATCH /v/sobjects/Account/Id/0010000000000A1 {"Name":"0010000000000A1"}"#, status: 204,
                headers: date),
            .answer(
                to: #"PATCH /v/sobjects/Account/0010000000000U1 {"Name":"0010000000000U1"}"#, status: 204, headers: date
            ),
            .answer(to: "DELETE /v/sobjects/Account/0010000000000D1", status: 204, headers: date),
        ])
        let target = try target(.init(createFieldlist: ["Name"], updateFieldlist: ["Name"], externalIdFieldName: "Id"))
        let changes = [
            try change(.create, "local_1"), try change(.create, "0010000000000A1"),
            try change(.update, "0010000000000U1"),
            try change(.delete, "0010000000000D1"),
        ]
        let outcomes = try await target.push(changes, in: context(transport))
        #expect(transport.violations == [])
        #expect(
            outcomes.dump == [
                "ok 0010000000000N1 \(now)", "ok 0010000000000A1AAI \(now)", "ok 0010000000000U1AAI \(now)",
                "ok 0010000000000D1AAI",
            ])
    }

    @Test func `A failure does not end the push`() async throws {
        let transport = ScriptedTransport([
            .answer(status: 404, #"[{"errorCode":"ENTITY_IS_DELETED","message":"m"}]"#),
            .answer(status: 403, #"[{"errorCode":"INSUFFICIENT_ACCESS","message":"m","fields":[]}]"#),
            .answer(status: 400, #"[{"errorCode":"STRING_TOO_LONG","message":"m"}]"#),
            .answer(status: 204, headers: date),
        ])
        let outcomes = try await target().push(
            try (1...4).map { try change(.update, rowId("U\($0)")) }, in: context(transport))
        #expect(
            outcomes.dump == [
                "failed ENTITY_IS_DELETED m [gone]", "failed INSUFFICIENT_ACCESS m",
                "failed STRING_TOO_LONG m", "ok 0010000000000U4AAI \(now)",
            ])
    }

    /// The record must not get the ID of another record.
    @Test func `A response about another record is rejected`() async throws {
        let transport = ScriptedTransport { request in
            let id = request.pathWithoutQuery.hasSuffix("0010000000000U1") ? "001000000000001" : "001000000000002"
            return HTTPAnswer(status: 201, #"{"id":"\#(id)","success":true,"errors":[]}"#, headers: date)
        }
        for kind in [RecordChange.Kind.update, .delete] {
            let outcomes = try await target().push(
                [try change(kind, "001000000000002AAA"), try change(kind, "0010000000000U1")], in: context(transport))
            #expect(
                outcomes.map(\.serverId) == ["001000000000002", nil])
            #expect(outcomes.dump.last?.hasPrefix("unknown") == true, "\(outcomes.dump)")
        }
    }

    @Test func `After a lost response nothing more is sent`() async throws {
        let transport = ScriptedTransport([
            .answer(status: 201, #"{"id":"0010000000000N1","success":true}"#, headers: date), .fail(.unknown),
        ])
        let outcomes = try await target().push(
            try (1...4).map { try change(.create, "local_\($0)") }, in: context(transport))
        #expect(
            outcomes.dump == [
                "ok 0010000000000N1 \(now)",
                "unknown ANSWER_LOST the outcome is unknown: the connection broke: scripted failure",
                "not sent: network the connection broke: scripted failure",
                "not sent: network the connection broke: scripted failure",
            ])
        #expect(transport.violations == [])
    }

    @Test func `A proxy's error page makes the outcome unknown`() async throws {
        let transport = ScriptedTransport([.answer(status: 504, "<html>")])
        let outcomes = try await target().push([try change(.create, "local_1")], in: context(transport))
        #expect(outcomes[0].dump[0].hasPrefix("unknown ANSWER_LOST"))
    }

    @Test func `A few states are requested at the same time`() async throws {
        let open = Mutex((now: 0, most: 0))
        let transport = ScriptedTransport { request in
            open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            for _ in 0..<10 { await Task.yield() }
            open.withLock { $0.now -= 1 }
            switch request.pathWithoutQuery.split(separator: "/").last {
            case "0010000000000U3": return HTTPAnswer(status: 404, #"[{"errorCode":"NOT_FOUND","message":"m"}]"#)
            case "0010000000000U4":
                return HTTPAnswer(status: 403, #"[{"errorCode":"INSUFFICIENT_ACCESS","message":"m"}]"#)
            default:
                return HTTPAnswer(
                    #"{"attributes":{"type":"Account"},"LastModifiedDate":"2024-01-15T12:00:00.000+0000"}"#)
            }
        }
        let changes = try (0..<20).map { try change(.update, rowId("U\($0)")) } + [try change(.create, "local_1")]
        let states = try await target().serverStates(of: changes, in: context(transport))
        let known = ServerState.modified("2024-01-15T12:00:00.000+0000")
        #expect(states == [known, known, known, .deleted, .unknown] + Array(repeating: known, count: 15) + [.unknown])
        #expect(transport.requests.count == 20)
        #expect(transport.dump.contains("GET /v/sobjects/Account/0010000000000U0?fields=LastModifiedDate"))
        #expect(open.withLock { $0.most } <= 6)
    }

    /// A local deletion must not be reported as done, and no record may be created twice.
    @Test(arguments: [
        (404, ""), (404, "<html>"), (404, #"{"error":"no route"}"#), (404, "[]"), (302, ""), (200, "<html>"), (200, ""),
    ])
    func `Only the API can report a record as deleted`(status: Int, body: String) async throws {
        for kind in [RecordChange.Kind.update, .delete] {
            let transport = ScriptedTransport([.answer(status: status, body)])
            let outcomes = try await target().push([try change(kind, rowId("U1"))], in: context(transport))
            #expect(outcomes.dump[0].hasPrefix("unknown ANSWER_LOST"), "\(outcomes.dump)")
            let asked = ScriptedTransport([.answer(status: status, body)])
            await #expect(throws: SoupError.self) {
                try await target().serverStates(of: [try change(kind, rowId("U1"))], in: context(asked))
            }
        }
    }

    /// The API responds to a wrong version or object in the same way as to a missing record.
    @Test func `A wrong version is not a missing record`() async throws {
        let transport = ScriptedTransport { _ in wrongPath }
        for kind in [RecordChange.Kind.update, .delete] {
            let outcomes = try await target().push([try change(kind, rowId("U1"))], in: context(transport))
            #expect(
                outcomes.dump == [
                    "failed NOT_FOUND The requested resource does not exist; the record may exist: the server has no object "
                        + "Account at /v. Check the apiVersion of the session and the sobjectType of the target. [retryable]"
                ])
            let error = await #expect(throws: SoupError.self) {
                try await target().serverStates(of: [try change(kind, rowId("U1"))], in: context(transport))
            }
            #expect(error?.code == "objectNotFound")
        }
    }

    /// A gateway's JSON shows neither that the record exists nor that the server has the object.
    @Test func `A success without a record confirms nothing`() async throws {
        let maintenance = HTTPAnswer(#"{"status":"maintenance"}"#)
        for strange in [maintenance, HTTPAnswer("[]"), HTTPAnswer(#"{"attributes":{},"Id":null}"#)] {
            let transport = ScriptedTransport { request in
                request.pathWithoutQuery.hasSuffix(rowId("U1")) ? strange : wrongPath
            }
            let error = await #expect(throws: SoupError.self) {
                try await target().serverStates(
                    of: [try change(.update, rowId("U1")), try change(.delete, rowId("U2"))], in: context(transport))
            }
            #expect(error?.code == .json)
        }
    }

    @Test func `A record is gone if the server describes its object`() async throws {
        let transport = ScriptedTransport { request in
            request.pathWithoutQuery == "/v/sobjects/Account"
                ? HTTPAnswer(#"{"objectDescribe":{"name":"Account"}}"#) : wrongPath
        }
        let outcomes = try await target().push([try change(.delete, rowId("D1"))], in: context(transport))
        #expect(outcomes.dump == ["failed NOT_FOUND The requested resource does not exist [gone]"])
        let states = try await target().serverStates(of: [try change(.update, rowId("U1"))], in: context(transport))
        #expect(states == [.deleted])
    }

    @Test(arguments: ["x", "U/1", "a,b", "001000000000001?x", "0010000000000011"])
    func `An invalid ID is reported and not sent`(id: String) async throws {
        let transport = ScriptedTransport([
            .answer(status: 204, headers: date), .answer(#"{"attributes":{"type":"Account"}}"#),
        ])
        let changes = [try change(.update, id), try change(.update, rowId("U1"))]
        let outcomes = try await target().push(changes, in: context(transport))
        #expect(
            outcomes.dump == [
                "failed MALFORMED_ID \"\(id)\" is not a valid Salesforce record ID, so the change is not sent: correct the "
                    + "entry's ID, or discard the change", "ok \(rowId("U1"))AAI \(now)",
            ])
        #expect(try await target().serverStates(of: changes, in: context(transport)) == [.unknown, .unknown])
        #expect(transport.requests.count == 2)
    }

    @Test func `The published target object is accepted`() throws {
        let parsed = try problems(
            #"""
            {"iOSImpl":"SFSyncUpTarget","androidImpl":"com.salesforce.androidsdk.mobilesync.target.SyncUpTarget",
            "createFieldlist":["Name"],"updateFieldlist":["Description"]}
            """#)
        #expect(parsed.problems.map(\.description) == [])
        #expect(parsed.target is SingleSyncUpTarget)
    }

    @Test func `The target passes the conformance suite`() async throws {
        try await SyncUpTargetSuite(
            SingleSyncUpTarget.self, configuration: #"{"createFieldlist":["Name"],"updateFieldlist":["Name"]}"#,
            badConfigurations: [#"{"idFieldName":7}"#], batches: try batches(), withoutLookups: true,
            wrongPath: wrongPath,
            missingRecords: { request in
                if request.method == .get, request[parameter: "fields"] == nil { return describe }
                return noStates(request) ?? wrongPath
            }
        ) { request, refused in
            if mentions(request.description, refused) {
                return HTTPAnswer(status: 400, #"[{"errorCode":"STRING_TOO_LONG","message":"m","fields":["Name"]}]"#)
            }
            if request.method == .get {
                guard request[parameter: "fields"] != nil else { return describe }
                return HTTPAnswer(
                    #"{"attributes":{"type":"Account"},"LastModifiedDate":"2024-01-15T12:00:00.000+0000"}"#)
            }
            guard request.method == .post else { return HTTPAnswer(status: 204, headers: date) }
            let name = request.json?["Name"]?.stringValue ?? ""
            return HTTPAnswer(status: 201, #"{"id":"\#(rowId(name))","success":true,"errors":[]}"#, headers: date)
        }.check()
    }
}
