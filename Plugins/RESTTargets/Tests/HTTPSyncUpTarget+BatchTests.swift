// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RESTTargets
import SoupCore
import SoupTesting
import Testing

@Suite struct HTTPSyncUpTargetBatchTests {
    private func push(
        _ keys: String, _ kind: RecordChange.Kind, answer: HTTPAnswer, ids: [String] = ["1", "2"]
    ) async throws -> (outcomes: [String], requests: [String]) {
        let target = try HTTPSyncUpTarget(configuration: JSONText(#"{"path": "/x", \#(keys)}"#).decode())
        let changes = try ids.map { id in
            let key = kind == .create ? #""local_\#(id)""# : id
            return RecordChange(
                kind, soup: "x", entryId: 1, serverId: kind == .create ? nil : id,
                record: try JSONText(#"{"id": \#(key), "a": "\#(id)"}"#))
        }
        let transport = ScriptedTransport { $0.method == .get ? HTTPAnswer(status: 500) : answer }
        let outcomes = try await target.push(
            changes, in: SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x"))
        return (
            outcomes.map { outcome in
                switch outcome.result {
                case .ok: "ok \(outcome.serverId ?? "")"
                case .failed(let failure): "failed \(failure.message) \(failure.retry)"
                case .unknown: "unknown"
                default: "other"
                }
            }, transport.dump
        )
    }

    private static let create = #"""
        "create": {"path": "/x/bulk", "batch": {"list": "items", "results": "results", "status": "status",
        "record": "body"}}
        """#

    @Test func `Results in order belong to the changes in order`() async throws {
        let answer = HTTPAnswer(
            #"{"results": [{"status": 201, "body": {"id": 11}}, {"status": 422, "detail": "no"}]}"#)
        let (outcomes, requests) = try await push(Self.create, .create, answer: answer)
        #expect(outcomes == ["ok 11", "failed no never"])
        #expect(requests == [#"POST /x/bulk {"items":[{"a":"1"},{"a":"2"}]}"#])
    }

    @Test func `Without a result for each change all are unknown`() async throws {
        for body in [#"{"results": [{"status": 201, "body": {"id": 11}}]}"#, "{}", "[]", "<html></html>"] {
            #expect(try await push(Self.create, .create, answer: HTTPAnswer(body)).outcomes == ["unknown", "unknown"])
        }
    }

    @Test func `A batch that is refused as a whole is divided`() async throws {
        let answer = HTTPAnswer(status: 413, #"{"detail": "too large"}"#)
        let all = try await push(Self.create, .create, answer: answer).outcomes
        #expect(all == ["failed too large inSmallerBatch", "failed too large inSmallerBatch"])
        let one = try await push(Self.create, .create, answer: answer, ids: ["1"]).outcomes
        #expect(one == ["failed too large never"])
        let foreign = try await push(Self.create, .create, answer: HTTPAnswer(status: 413, "<html></html>")).outcomes
        #expect(foreign == ["unknown", "unknown"])
    }

    @Test func `Results are matched by their IDs`() async throws {
        let keys = #""update": {"method": "PATCH", "batch": {"match": "id"}}"#
        let (outcomes, requests) = try await push(keys, .update, answer: HTTPAnswer(#"[{"id": 2}]"#))
        #expect(outcomes == ["unknown", "ok 2"])
        #expect(requests == [#"PATCH /x [{"id":1,"a":"1"},{"id":2,"a":"2"}]"#])
    }

    @Test func `Deletions may be a list of IDs`() async throws {
        let keys = #""delete": {"method": "POST", "path": "/x/delete", "batch": {"list": "ids", "elements": "ids"}}"#
        let (outcomes, requests) = try await push(keys, .delete, answer: HTTPAnswer(status: 204))
        #expect(outcomes == ["ok ", "ok "])
        #expect(requests == [#"POST /x/delete {"ids":[1,2]}"#])
    }

    /// Without a status, a result can be an error of any form; the request for the record decides.
    @Test(arguments: [
        #"[{"error": "locked"}, {"error": "locked"}]"#, "[{}, {}]",
        #"[{"id": 1, "status": 409}, {"id": 2, "status": 409}]"#,
    ])
    func `A deletion in a batch needs a status or a check`(body: String) async throws {
        let batch = #""method": "POST", "path": "/x/delete", "batch": {"elements": "ids""#
        let (outcomes, requests) = try await push(
            #""delete": {\#(batch)}}"#, .delete, answer: HTTPAnswer(body))
        #expect(outcomes == ["unknown", "unknown"])
        #expect(requests.dropFirst() == ["GET /x/1", "GET /x/2"])
        let (known, _) = try await push(
            #""delete": {\#(batch), "status": "status"}}"#, .delete,
            answer: HTTPAnswer(#"[{"status": 200}, {"status": 409, "message": "locked"}]"#))
        #expect(known.first == "ok " && known.last != "ok ")
    }

    @Test func `Creations are matched by their client keys`() async throws {
        let keys = #""clientKey": {"field": "k"}, "create": {"batch": {"match": "clientKey", "size": 1}}"#
        let (outcomes, requests) = try await push(
            keys, .create, answer: HTTPAnswer(status: 201, #"[{"id": 5, "k": "2"}]"#))
        #expect(outcomes == ["unknown", "ok 5"])
        #expect(requests == [#"POST /x [{"a":"1","k":"1"}]"#, #"POST /x [{"a":"2","k":"2"}]"#])
    }
}
