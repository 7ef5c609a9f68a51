// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SObjectTargets
import SoupCore
import SoupTesting
import Testing

@Suite struct CollectionSyncUpTargetOutcomesTests {
    private func outcomes(_ changes: [RecordChange], _ steps: [ScriptedTransport.Step]) async throws -> [String] {
        let transport = ScriptedTransport(steps)
        let outcomes = try await collectionTarget().push(changes, in: context(transport))
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
        let target = try collectionTarget(.init(createFieldlist: ["Name"], sobjectType: "Lead"))
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
            return try await collectionTarget(configuration).push(changes, in: context(transport)).dump
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
        let outcomes = try await collectionTarget().push(changes, in: context(transport))
        let failed = outcomes.indices.filter { if case .failed = outcomes[$0].result { true } else { false } }
        #expect(failed == [11])
        #expect(transport.requests.count == 9)
    }

    @Test func `The number of divided requests is limited`() async throws {
        let changes = try (0..<200).map { try change(.update, rowId("U\($0)")) }
        let transport = ScriptedTransport { _ in
            HTTPAnswer(status: 400, #"[{"errorCode":"INVALID_FIELD","message":"m"}]"#)
        }
        let outcomes = try await collectionTarget().push(changes, in: context(transport))
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
                let outcomes = try await collectionTarget().push(changes, in: context(transport))
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
            let outcomes = try await collectionTarget().push(changes, in: context(transport))
            #expect(outcomes.map(\.serverId) == [rowId("U1"), nil, rowId("U2")])
            #expect(outcomes[1].dump[0].hasPrefix("failed MALFORMED_ID"))
            #expect(!transport.dump[0].contains("a,b") && !transport.dump[0].contains("a%2Cb"))
        }
        let asked = ScriptedTransport([
            .answer(
                to: #"POST /v/composite/sobjects/Account {"ids":["\#(rowId("U1"))"],"fields":["LastModifiedDate"]}"#,
                "[null]")
        ])
        let states = try await collectionTarget().serverStates(
            of: [try change(.update, "x"), try change(.update, rowId("U1"))], in: context(asked))
        #expect(states == [.unknown, .deleted])
        #expect(asked.violations == [])
    }

    @Test func `A retrieve with other records is an error`() async throws {
        let bodies = [#"[{"Id":"\#(rowId("U2"))"}]"#, "[7]", "{}", #"{"records":[]}"#, "[]", "<html>", ""]
        for body in bodies {
            let transport = ScriptedTransport([.answer(body)])
            await #expect(throws: SoupError.self) {
                try await collectionTarget().serverStates(
                    of: [try change(.update, rowId("U1"))], in: context(transport))
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
