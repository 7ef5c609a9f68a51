// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SObjectTargets
import SoupCore
import SoupTesting
import Testing

private func target(_ configuration: SObjectConfiguration = .init(createFieldlist: ["Name"], updateFieldlist: ["Name"]))
    throws -> BatchSyncUpTarget
{
    try BatchSyncUpTarget(configuration: configuration)
}

/// Returns the response to a composite request, with the given response to each subrequest.
private func compose(
    _ request: RecordedRequest, _ answer: (JSONValue) -> (status: Int, body: String)
) -> HTTPAnswer {
    let answers = (request.json?["compositeRequest"]?.arrayValue ?? []).map { item in
        let (status, body) = answer(item)
        let reference = item["referenceId"]?.stringValue ?? ""
        return #"{"body":\#(body),"httpHeaders":{},"httpStatusCode":\#(status),"referenceId":"\#(reference)"}"#
    }
    return HTTPAnswer(#"{"compositeResponse":[\#(answers.joined(separator: ","))]}"#, headers: date)
}

private func accept(_ item: JSONValue) -> (status: Int, body: String) {
    let reference = item["referenceId"]?.stringValue ?? ""
    return item["method"] == "POST"
        ? (201, #"{"id":"\#(rowId(reference))","success":true,"errors":[]}"#) : (204, "null")
}

@Suite struct BatchSyncUpTargetTests {
    @Test func `One request contains the changes in their order`() async throws {
        let transport = ScriptedTransport { compose($0, accept) }
        let changes = [
            try change(.create, "local_1"), try change(.update, "0010000000000U1"),
            try change(.delete, "0010000000000D1"),
            try change(.create, "local_2", extra: #","Ext":"a b""#),
        ]
        let target = try target(.init(createFieldlist: ["Name"], updateFieldlist: ["Name"], externalIdFieldName: "Ext"))
        let outcomes = try await target.push(changes, in: context(transport))
        #expect(
            transport.dump == [
                #"POST /v/composite {"allOrNone":false,"compositeRequest":["#
                    + #"{"method":"POST","url":"/v/sobjects/Account","referenceId":"local_1","body":{"Name":"local_1"}},"#
                    + #"{"method":"PATCH","url":"/v/sobjects/Account/0010000000000U1","referenceId":"0010000000000U1","body":{"Name":"0010000000000U1"}},"#
                    + #"{"method":"DELETE","url":"/v/sobjects/Account/0010000000000D1","referenceId":"0010000000000D1"},"#
                    + #"{"method":"PATCH","url":"/v/sobjects/Account/Ext/a%20b","referenceId":"local_2","#
                    + #""body":{"Name":"local_2"}}]}"#
            ])
        #expect(
            outcomes.dump == [
                "ok 001000000local1 \(now)", "ok 0010000000000U1AAI \(now)", "ok 0010000000000D1AAI",
                "unknown ANSWER_LOST the outcome is unknown: the server created the record and did not return its ID",
            ])
    }

    @Test func `Each subrequest fails on its own`() async throws {
        let answers = [
            (404, "ENTITY_IS_DELETED"), (400, "STRING_TOO_LONG"), (400, "MALFORMED_ID"), (300, ""),
            (400, "ENTITY_IS_DELETED"),
        ]
        let transport = ScriptedTransport { request in
            var rest = answers[...]
            return compose(request) { _ in
                let (status, code) = rest.removeFirst()
                return (
                    status, code.isEmpty ? #"["/v/sobjects/Account/1"]"# : #"[{"errorCode":"\#(code)","message":"m"}]"#
                )
            }
        }
        let outcomes = try await target().push(
            try (1...5).map { try change(.update, rowId("U\($0)")) }, in: context(transport))
        #expect(
            outcomes.dump == [
                "failed ENTITY_IS_DELETED m [gone]", "failed STRING_TOO_LONG m", "failed MALFORMED_ID m",
                "failed HTTP_300 more than one record has this external ID",
                "failed ENTITY_IS_DELETED m [related gone]",
            ])
    }

    @Test func `A subresponse in another form is an unknown outcome`() async throws {
        for body in ["null", "{}", "[]", #"{"errorCode":"NOT_FOUND"}"#, #"[{"message":"m"}]"#] {
            let transport = ScriptedTransport { compose($0) { _ in (404, body) } }
            for kind in [RecordChange.Kind.create, .update, .delete] {
                let outcomes = try await target().push([try change(kind, rowId("U1"))], in: context(transport))
                #expect(outcomes.dump[0].hasPrefix("unknown ANSWER_LOST"), "\(outcomes.dump)")
            }
        }
    }

    @Test func `A missing object is not a missing record`() async throws {
        for (isThere, isGone) in [(true, true), (false, false)] {
            let transport = ScriptedTransport { request in
                guard request.method == .get else {
                    return compose(request) { _ in (404, #"[{"errorCode":"NOT_FOUND","message":"m"}]"#) }
                }
                return isThere ? HTTPAnswer(#"{"objectDescribe":{"name":"Account"}}"#) : wrongPath
            }
            let outcomes = try await target().push([try change(.delete, rowId("D1"))], in: context(transport))
            #expect(outcomes.dump[0].contains("[gone]") == isGone, "\(outcomes.dump)")
            #expect(transport.requests.count == 2)
        }
    }

    @Test func `Thirty changes need two requests`() async throws {
        let transport = ScriptedTransport { compose($0, accept) }
        let changes = try (0..<30).map { try change(.update, rowId("U\($0)")) }
        let outcomes = try await target().push(changes, in: context(transport))
        #expect(transport.requests.map { $0.json?["compositeRequest"]?.arrayValue?.count } == [25, 5])
        #expect(outcomes.map(\.serverId) == (0..<30).map { rowId("U\($0)") + ($0 < 10 ? "AAI" : "AAE") })
    }

    @Test func `Every change of a refused request fails`() async throws {
        let transport = ScriptedTransport([.answer(status: 400, #"[{"errorCode":"LIMIT_EXCEEDED","message":"m"}]"#)])
        let outcomes = try await target().push(
            [try change(.update, "0010000000000U1"), try change(.update, "0010000000000U2")], in: context(transport))
        #expect(outcomes.dump == ["failed LIMIT_EXCEEDED m", "failed LIMIT_EXCEEDED m"])
    }

    @Test func `The published target object is accepted`() throws {
        let parsed = try problems(
            #"""
            {"iOSImpl":"SFBatchSyncUpTarget","androidImpl":"com.salesforce.androidsdk.mobilesync.target.BatchSyncUpTarget",
            "idFieldName":"IdX","modificationDateFieldName":"LastModifiedDateX","externalIdFieldName":"ExternalIdX"}
            """#)
        #expect(parsed.problems.map(\.description) == [])
        #expect(parsed.target is BatchSyncUpTarget)
        #expect(parsed.target?.idField == "IdX")
        #expect(try target(.init(maxBatchSize: 26)).maxBatchSize == 25)
        #expect(try target(.init(maxBatchSize: 12)).maxBatchSize == 12)
    }

    @Test func `The target passes the conformance suite`() async throws {
        try await SyncUpTargetSuite(
            BatchSyncUpTarget.self, configuration: #"{"createFieldlist":["Name"],"updateFieldlist":["Name"]}"#,
            badConfigurations: [#"{"updateFieldlist":7}"#], batches: try batches(), withoutLookups: true,
            wrongPath: wrongPath,
            missingRecords: { request in
                if request.method == .get { return describe }
                return noStates(request)
                    ?? compose(request) { _ in (404, #"[{"errorCode":"NOT_FOUND","message":"m"}]"#) }
            }
        ) { request, refused in
            if let states = noStates(request) { return states }
            return compose(request) { item in
                mentions(item["referenceId"]?.stringValue ?? "", refused)
                    ? (400, #"[{"errorCode":"STRING_TOO_LONG","message":"m"}]"#) : accept(item)
            }
        }.check()
    }
}
