// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SObjectTargets
import SoupCore
import SoupTesting
import Testing

private func target(_ configuration: SObjectConfiguration = .init(createFieldlist: ["Name"], updateFieldlist: ["Name"]))
    throws -> CollectionSyncUpTarget
{
    try CollectionSyncUpTarget(configuration: configuration)
}

/// Returns the response of the collections resource in which every record succeeds.
private func accept(_ request: RecordedRequest) -> HTTPAnswer {
    let ids: [String] =
        request.method == .delete
        ? (request[parameter: "ids"] ?? "").split(separator: ",").map(String.init)
        : (request.json?["records"]?.arrayValue ?? []).enumerated().map { index, record in
            (request.method == .patch ? record["Id"]?.stringValue : nil) ?? rowId("new\(index)")
        }
    let items = ids.map { #"{"id":"\#($0)","success":true,"errors":[]}"# }
    return HTTPAnswer("[\(items.joined(separator: ","))]", headers: date)
}

@Suite struct CollectionRequestTests {
    private func sent(_ changes: [RecordChange], _ configuration: SObjectConfiguration) async throws -> [String] {
        let transport = ScriptedTransport { accept($0) }
        let outcomes = try await target(configuration).push(changes, in: context(transport))
        #expect(outcomes.count == changes.count)
        return transport.dump
    }

    @Test func `Each kind of change is sent in one request`() async throws {
        let configuration = SObjectConfiguration(createFieldlist: ["Name"], updateFieldlist: ["Id", "Name"])
        let changes = [
            try change(.delete, "0010000000000D1"), try change(.update, "0010000000000U1"),
            try change(.create, "local_1"),
            try change(.update, "0010000000000U2"), try change(.delete, "0010000000000D2"),
        ]
        #expect(
            try await sent(changes, configuration) == [
                #"POST /v/composite/sobjects {"allOrNone":false,"records":["#
                    + #"{"attributes":{"type":"Account"},"Name":"local_1"}]}"#,
                #"PATCH /v/composite/sobjects {"allOrNone":false,"records":["#
                    + #"{"attributes":{"type":"Account"},"Id":"0010000000000U1","Name":"0010000000000U1"},"#
                    + #"{"attributes":{"type":"Account"},"Id":"0010000000000U2","Name":"0010000000000U2"}]}"#,
                "DELETE /v/composite/sobjects?allOrNone=false&ids=0010000000000D1,0010000000000D2",
            ])
    }

    @Test func `Creations with an external ID are sent as upserts`() async throws {
        let configuration = SObjectConfiguration(createFieldlist: ["Name"], externalIdFieldName: "Id")
        var nameless = try change(.create, "x")
        nameless.record = try JSONText(#"{"attributes":{"type":"Account"},"Id":null,"Name":"r3"}"#)
        let changes = [
            try change(.create, "0010000000000A1"), try change(.create, "0010000000000A2"), nameless,
            try change(.create, "local_123456789"),
        ]
        #expect(
            try await sent(changes, configuration) == [
                #"POST /v/composite/sobjects {"allOrNone":false,"records":["#
                    + #"{"attributes":{"type":"Account"},"Name":"r3"},"#
                    + #"{"attributes":{"type":"Account"},"Name":"local_123456789"}]}"#,
                #"PATCH /v/composite/sobjects/Account/Id {"allOrNone":false,"records":["#
                    + #"{"attributes":{"type":"Account"},"Id":"0010000000000A1","Name":"0010000000000A1"},"#
                    + #"{"attributes":{"type":"Account"},"Id":"0010000000000A2","Name":"0010000000000A2"}]}"#,
            ])
    }

    @Test func `Upserts are sent object by object`() async throws {
        let configuration = SObjectConfiguration(createFieldlist: ["Ext__c", "Name"], externalIdFieldName: "Ext__c")
        let changes = [
            try change(.create, "local_1", extra: #","Ext__c":"e1""#),
            try change(.create, "local_2", type: "Contact", extra: #","Ext__c":22"#),
            try change(.create, "local_3", extra: #","Ext__c":"e3""#),
        ]
        #expect(
            try await sent(changes, configuration) == [
                #"PATCH /v/composite/sobjects/Account/Ext__c {"allOrNone":false,"records":["#
                    + #"{"attributes":{"type":"Account"},"Ext__c":"e1","Name":"local_1"},"#
                    + #"{"attributes":{"type":"Account"},"Ext__c":"e3","Name":"local_3"}]}"#,
                #"PATCH /v/composite/sobjects/Contact/Ext__c {"allOrNone":false,"records":["#
                    + #"{"attributes":{"type":"Contact"},"Ext__c":22,"Name":"local_2"}]}"#,
            ])
    }

    @Test func `Records of one object are grouped in a request`() async throws {
        let types = (0..<40).map { "T\($0 % 4)" }
        let changes = try types.enumerated().map { try change(.update, rowId("U\($0)"), type: $1) }
        let transport = ScriptedTransport { accept($0) }
        let outcomes = try await target().push(changes, in: context(transport))
        let sent = transport.requests[0].json?["records"]?.arrayValue?.compactMap {
            $0["attributes"]?["type"]?.stringValue
        }
        #expect(sent == types.sorted())
        #expect(outcomes.map(\.serverId) == (0..<40).map { rowId("U\($0)") })
    }

    @Test func `More than ten objects need more than one request`() async throws {
        let changes = try (0..<12).map { try change(.update, rowId("U\($0)"), type: "T\($0)") }
        let transport = ScriptedTransport { accept($0) }
        let outcomes = try await target().push(changes, in: context(transport))
        #expect(transport.requests.map { $0.json?["records"]?.arrayValue?.count } == [10, 2])
        #expect(outcomes.map(\.serverId) == (0..<12).map { rowId("U\($0)") })
    }

    @Test func `The field list of the options is the default`() async throws {
        let transport = ScriptedTransport { accept($0) }
        let update = try change(.update, "0010000000000U1", extra: #","Phone":null,"Owner":{"Name":"o"}"#)
        _ = try await target(.init()).push([update], in: context(transport, fieldlist: ["Id", "Phone", "Owner.Name"]))
        #expect(
            transport.requests[0].json?["records"]?[0]
                == (try json(#"{"attributes":{"type":"Account"},"Id":"0010000000000U1","Phone":null,"Owner.Name":"o"}"#))
        )
    }

    @Test func `Without a field list nothing is sent`() async throws {
        let transport = ScriptedTransport([])
        let error = await #expect(throws: SoupError.self) {
            try await target(.init()).push([try change(.update, "0010000000000U1")], in: context(transport))
        }
        #expect(error?.code == .badConfiguration)
        #expect(error?.place?.path == "updateFieldlist")
        #expect(transport.requests == [])
    }
}

@Suite struct CollectionOutcomeTests {
    private func outcomes(_ changes: [RecordChange], _ steps: [ScriptedTransport.Step]) async throws -> [String] {
        let transport = ScriptedTransport(steps)
        let outcomes = try await target().push(changes, in: context(transport))
        #expect(transport.violations == [])
        return outcomes.dump
    }

    @Test func `Each record has its own outcome`() async throws {
        let changes = try (1...5).map { try change(.update, rowId("U\($0)")) }
        let codes = ["ENTITY_IS_DELETED", "INVALID_CROSS_REFERENCE_KEY", "MALFORMED_ID", "UNABLE_TO_LOCK_ROW"]
        let failures = codes.map { #"{"success":false,"errors":[{"statusCode":"\#($0)","message":"m","fields":[]}]}"# }
        let body = "[\((failures + [#"{"id":"0010000000000U5","success":true,"errors":[]}"#]).joined(separator: ","))]"
        #expect(
            try await outcomes(changes, [.answer(body, headers: date)]) == [
                "failed ENTITY_IS_DELETED m [gone]", "failed INVALID_CROSS_REFERENCE_KEY m [gone]",
                "failed MALFORMED_ID m", "failed UNABLE_TO_LOCK_ROW m [retryable]", "ok 0010000000000U5 \(now)",
            ])
    }

    @Test func `A deletion has no modification date`() async throws {
        let body = #"[{"id":"0010000000000D1","success":true,"errors":[]}]"#
        #expect(
            try await outcomes([try change(.delete, "0010000000000D1")], [.answer(body, headers: date)]) == [
                "ok 0010000000000D1"
            ])
    }

    @Test func `A record without an object is not sent`() async throws {
        let changes = [try change(.create, "local_1", type: nil), try change(.create, "local_2")]
        let body = #"[{"id":"\#(rowId("N"))","success":true,"errors":[]}]"#
        #expect(
            try await outcomes(changes, [.answer(body)]) == [
                "failed INVALID_TYPE the record has no attributes.type, so its object is unknown", "ok \(rowId("N"))",
            ])
    }

    @Test func `The target can define the object`() async throws {
        let transport = ScriptedTransport { accept($0) }
        let target = try target(.init(createFieldlist: ["Name"], sobjectType: "Lead"))
        _ = try await target.push([try change(.create, "local_1", type: nil)], in: context(transport))
        #expect(transport.requests[0].json?["records"]?[0]?["attributes"]?["type"] == "Lead")
    }

    @Test func `Accepted changes are kept if a later request fails`() async throws {
        let configuration = SObjectConfiguration(createFieldlist: ["Name"], externalIdFieldName: "Ext")
        let changes = [try change(.create, "local_1"), try change(.create, "local_2", extra: #","Ext":"e""#)]
        func run(_ step: ScriptedTransport.Step) async throws -> [String] {
            let transport = ScriptedTransport([
                .answer(#"[{"id":"0010000000000N1","success":true,"errors":[]}]"#, headers: date), step,
            ])
            return try await target(configuration).push(changes, in: context(transport)).dump
        }
        #expect(
            try await run(.answer(status: 503, #"[{"errorCode":"SERVER_UNAVAILABLE","message":"m"}]"#)).last?.hasPrefix(
                "not sent: unavailable the push failed with HTTP 503")
                == true)
        #expect(
            try await run(.fail(.notSent)) == [
                "ok 0010000000000N1 \(now)", "not sent: network the server cannot be reached: scripted failure",
            ])
        #expect(
            try await run(.fail(.unknown)) == [
                "ok 0010000000000N1 \(now)",
                "unknown ANSWER_LOST the outcome is unknown: the connection broke: scripted failure",
            ])
        #expect(
            try await run(.answer(status: 502, "<html>")).last?.hasPrefix(
                "unknown ANSWER_LOST the outcome is unknown: HTTP 502 with a body that is not JSON is not a response of the"
            ) == true)
        #expect(
            try await run(.answer(status: 500, #"[{"errorCode":"UNKNOWN_EXCEPTION","message":"m"}]"#)).last
                == "failed UNKNOWN_EXCEPTION m [retryable]")
    }

    @Test func `Responses that do not match the request are rejected`() async throws {
        let changes = [try change(.update, "0010000000000U1"), try change(.update, "0010000000000U2")]
        let bodies = [
            "", "{}", "[]", #"[{"success":true,"id":"0010000000000U1"}]"#,
            #"[{"success":true,"id":"0010000000000U2"},{"success":true,"id":"0010000000000U1"}]"#, "[null,null]",
        ]
        for body in bodies {
            #expect(
                try await outcomes(changes, [.answer(body)])
                    == Array(
                        repeating:
                            "unknown ANSWER_LOST the outcome is unknown: the response does not match the request",
                        count: 2), "\(body)")
        }
        let creation = try await outcomes([try change(.create, "local_1")], [.answer(#"[{"success":true}]"#)])
        #expect(creation[0].hasPrefix("unknown"))
    }

    @Test func `One invalid record does not block the others`() async throws {
        let changes = try (0..<16).map { try change(.update, rowId("U\($0)")) }
        let transport = ScriptedTransport { request in
            request.bodyText?.contains(#""001000000000U11""#) == true
                ? HTTPAnswer(status: 400, #"[{"errorCode":"JSON_PARSER_ERROR","message":"m"}]"#) : accept(request)
        }
        let outcomes = try await target().push(changes, in: context(transport))
        let failed = outcomes.indices.filter { if case .failed = outcomes[$0].result { true } else { false } }
        #expect(failed == [11])
        #expect(transport.requests.count == 9)
    }

    @Test func `The number of divided requests is limited`() async throws {
        let changes = try (0..<200).map { try change(.update, rowId("U\($0)")) }
        let transport = ScriptedTransport { _ in
            HTTPAnswer(status: 400, #"[{"errorCode":"INVALID_FIELD","message":"m"}]"#)
        }
        let outcomes = try await target().push(changes, in: context(transport))
        #expect(outcomes.dump == Array(repeating: "failed INVALID_FIELD m", count: 200))
        #expect(transport.requests.count <= 41)
    }

    /// A request that a gateway refuses may have reached the server, so nothing is sent again.
    @Test(arguments: [302, 307, 400, 401, 404, 408, 413])
    func `A request refused by a gateway is not divided`(status: Int) async throws {
        for kind in [RecordChange.Kind.create, .update, .delete] {
            for body in ["", "<html>", #"{"error":"too large"}"#] {
                let transport = ScriptedTransport { _ in HTTPAnswer(status: status, body) }
                let changes = try (1...4).map { try change(kind, rowId("U\($0)")) }
                let outcomes = try await target().push(changes, in: context(transport))
                #expect(outcomes.dump.allSatisfy { $0.hasPrefix("unknown ANSWER_LOST") }, "\(outcomes.dump)")
                #expect(transport.requests.count == 1)
            }
        }
    }

    @Test func `A creation needs a valid record ID in the response`() async throws {
        let changes = try (1...4).map { try change(.create, "local_\($0)") }
        let ids = [#""id":"","#, #""id":"local_1","#, "", #""id":"\#(rowId("N4"))","#]
        let body = "[\(ids.map { #"{\#($0)"success":true,"errors":[]}"# }.joined(separator: ","))]"
        let lines = try await outcomes(changes, [.answer(body, headers: date)])
        #expect(lines.prefix(3).allSatisfy { $0.hasPrefix("unknown ANSWER_LOST") }, "\(lines)")
        #expect(lines.last == "ok \(rowId("N4")) \(now)")
    }

    /// The server would refuse the whole request because of one invalid ID.
    @Test func `Invalid IDs are omitted and reported`() async throws {
        for kind in [RecordChange.Kind.update, .delete] {
            let transport = ScriptedTransport { accept($0) }
            let changes = [try change(kind, rowId("U1")), try change(kind, "a,b"), try change(kind, rowId("U2"))]
            let outcomes = try await target().push(changes, in: context(transport))
            #expect(outcomes.map(\.serverId) == [rowId("U1"), nil, rowId("U2")])
            #expect(outcomes[1].dump[0].hasPrefix("failed MALFORMED_ID"))
            #expect(!transport.dump[0].contains("a,b") && !transport.dump[0].contains("a%2Cb"))
        }
        let asked = ScriptedTransport([
            .answer(
                to: #"POST /v/composite/sobjects/Account {"ids":["\#(rowId("U1"))"],"fields":["LastModifiedDate"]}"#,
                "[null]")
        ])
        let states = try await target().serverStates(
            of: [try change(.update, "x"), try change(.update, rowId("U1"))], in: context(asked))
        #expect(states == [.unknown, .deleted])
        #expect(asked.violations == [])
    }

    @Test func `A retrieve with other records is an error`() async throws {
        let bodies = [#"[{"Id":"\#(rowId("U2"))"}]"#, "[7]", "{}", #"{"records":[]}"#, "[]", "<html>", ""]
        for body in bodies {
            let transport = ScriptedTransport([.answer(body)])
            await #expect(throws: SoupError.self) {
                try await target().serverStates(of: [try change(.update, rowId("U1"))], in: context(transport))
            }
        }
    }

    @Test func `An unavailable server throws an error`() async throws {
        let busy = #"[{"errorCode":"SERVER_UNAVAILABLE","message":"m"}]"#
        for step in [ScriptedTransport.Step.fail(.notSent), .answer(status: 503, busy)] {
            await #expect(throws: SoupError.self) {
                try await outcomes([try change(.update, "0010000000000U1")], [step])
            }
        }
    }
}
