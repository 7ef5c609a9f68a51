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
    @Test func oneRequestARecord() async throws {
        let transport = ScriptedTransport([
            .answer(
                to: #"POST /v/sobjects/Account {"Name":"local_1"}"#, status: 201,
                #"{"id":"N1","success":true,"errors":[]}"#, headers: date),
            .answer(
                to: #"PATCH /v/sobjects/Account/Id/A1 {"Name":"A1"}"#, status: 204, headers: date),
            .answer(to: #"PATCH /v/sobjects/Account/U%2F1 {"Name":"U/1"}"#, status: 204, headers: date),
            .answer(to: "DELETE /v/sobjects/Account/D1", status: 204, headers: date),
        ])
        let target = try target(.init(createFieldlist: ["Name"], updateFieldlist: ["Name"], externalIdFieldName: "Id"))
        let changes = [
            try change(.create, "local_1"), try change(.create, "A1"), try change(.update, "U/1"),
            try change(.delete, "D1"),
        ]
        let outcomes = try await target.push(changes, in: context(transport))
        #expect(transport.violations == [])
        #expect(outcomes.dump == ["ok N1 \(now)", "ok A1 \(now)", "ok U/1 \(now)", "ok D1"])
    }

    @Test func oneFailureDoesNotEndThePush() async throws {
        let transport = ScriptedTransport([
            .answer(status: 404, #"[{"errorCode":"NOT_FOUND","message":"m"}]"#),
            .answer(status: 403, #"[{"errorCode":"INSUFFICIENT_ACCESS","message":"m","fields":[]}]"#),
            .answer(status: 400, "not JSON"), .answer(status: 204, headers: date),
        ])
        let outcomes = try await target().push(
            try (1...4).map { try change(.update, "U\($0)") }, in: context(transport))
        #expect(
            outcomes.dump == [
                "failed NOT_FOUND m [gone]", "failed INSUFFICIENT_ACCESS m",
                "failed HTTP_400 the server answered with HTTP 400", "ok U4 \(now)",
            ])
    }

    /// The record must not get the id of another one.
    @Test func anAnswerAboutAnotherRecordIsNoAnswer() async throws {
        let transport = ScriptedTransport { request in
            let id = request.pathWithoutQuery.hasSuffix("U1") ? "0010000000000011" : "001000000000002"
            return HTTPAnswer(status: 201, #"{"id":"\#(id)","success":true,"errors":[]}"#, headers: date)
        }
        for kind in [RecordChange.Kind.update, .delete] {
            let outcomes = try await target().push(
                [try change(kind, "001000000000002AAA"), try change(kind, "U1")], in: context(transport))
            #expect(
                outcomes.map(\.serverId) == ["001000000000002", nil])
            #expect(outcomes.dump.last?.hasPrefix("unknown") == true, "\(outcomes.dump)")
        }
    }

    @Test func afterALostAnswerNothingMoreIsSent() async throws {
        let transport = ScriptedTransport([
            .answer(status: 201, #"{"id":"N1","success":true}"#, headers: date), .fail(.unknown),
        ])
        let outcomes = try await target().push(
            try (1...4).map { try change(.create, "local_\($0)") }, in: context(transport))
        #expect(
            outcomes.dump == [
                "ok N1 \(now)", "unknown ANSWER_LOST the answer was lost: the connection broke: scripted failure",
                "not sent: network the connection broke: scripted failure",
                "not sent: network the connection broke: scripted failure",
            ])
        #expect(transport.violations == [])
    }

    @Test func theErrorPageOfAProxySaysNothing() async throws {
        let transport = ScriptedTransport([.answer(status: 504, "<html>")])
        let outcomes = try await target().push([try change(.create, "local_1")], in: context(transport))
        #expect(outcomes[0].dump[0].hasPrefix("unknown ANSWER_LOST"))
    }

    @Test func statesAreAskedForAFewAtATime() async throws {
        let open = Mutex((now: 0, most: 0))
        let transport = ScriptedTransport { request in
            open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            for _ in 0..<10 { await Task.yield() }
            open.withLock { $0.now -= 1 }
            switch request.pathWithoutQuery.split(separator: "/").last {
            case "U3": return HTTPAnswer(status: 404, #"[{"errorCode":"NOT_FOUND","message":"m"}]"#)
            case "U4": return HTTPAnswer(status: 403, #"[{"errorCode":"INSUFFICIENT_ACCESS","message":"m"}]"#)
            default: return HTTPAnswer(#"{"Id":"x","LastModifiedDate":"2024-01-15T12:00:00.000+0000"}"#)
            }
        }
        let changes = try (0..<20).map { try change(.update, "U\($0)") } + [try change(.create, "local_1")]
        let states = try await target().serverStates(of: changes, in: context(transport))
        let known = ServerState.modified("2024-01-15T12:00:00.000+0000")
        #expect(states == [known, known, known, .deleted, .unknown] + Array(repeating: known, count: 15) + [.unknown])
        #expect(transport.requests.count == 20)
        #expect(transport.dump.contains("GET /v/sobjects/Account/U0?fields=LastModifiedDate"))
        #expect(open.withLock { $0.most } <= 6)
    }

    @Test func publishedTargetIsTaken() throws {
        let made = try problems(
            #"""
            {"iOSImpl":"SFSyncUpTarget","androidImpl":"com.salesforce.androidsdk.mobilesync.target.SyncUpTarget",
            "createFieldlist":["Name"],"updateFieldlist":["Description"]}
            """#)
        #expect(made.problems.map(\.description) == [])
        #expect(made.target is SingleSyncUpTarget)
    }

    @Test func keepsTheRulesOfTargets() async throws {
        try await SyncUpTargetSuite(
            SingleSyncUpTarget.self, configuration: #"{"createFieldlist":["Name"],"updateFieldlist":["Name"]}"#,
            badConfigurations: [#"{"idFieldName":7}"#], batches: try batches(), withoutLookups: true
        ) { request, refused in
            if mentions(request.description, refused) {
                return HTTPAnswer(status: 400, #"[{"errorCode":"STRING_TOO_LONG","message":"m","fields":["Name"]}]"#)
            }
            if request.method == .get {
                return HTTPAnswer(#"{"LastModifiedDate":"2024-01-15T12:00:00.000+0000"}"#)
            }
            guard request.method == .post else { return HTTPAnswer(status: 204, headers: date) }
            let name = request.json?["Name"]?.stringValue ?? ""
            return HTTPAnswer(status: 201, #"{"id":"new_\#(name)","success":true,"errors":[]}"#, headers: date)
        }.check()
    }
}
