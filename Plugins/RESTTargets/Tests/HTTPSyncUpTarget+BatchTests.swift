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

    /// Only a status that can be read is a result.
    @Test(
        arguments: [
            (#""409""#, "failed"), (#""500 Internal""#, "unknown"), (#""HTTP/1.1 422 X""#, "failed"),
            ("false", "failed"),
            (#""200""#, "ok"), (#""HTTP/2 200""#, "ok"), ("true", "ok"), ("200", "ok"), ("422", "failed"),
            ("500", "unknown"),
            (#""failed""#, "unknown"), (#""""#, "unknown"), ("null", "unknown"), ("[500]", "unknown"),
            (#"{"code": 500}"#, "unknown"), (nil, "unknown"),
        ] as [(String?, String)])
    func `The status of a result has its meaning`(status: String?, expected: String) async throws {
        let keys = #""update": {"method": "POST", "path": "/b", "batch": {"status": "status"}}"#
        let own = status.map { #", "status": \#($0)"# } ?? ""
        let answer = HTTPAnswer(#"[{"id": 1, "error": "x"\#(own)}, {"id": 2, "status": 200}]"#)
        let (outcomes, _) = try await push(keys, .update, answer: answer)
        #expect(outcomes.map { String($0.prefix { $0 != " " }) } == [expected, "ok"], "\(outcomes)")
    }

    @Test func `A result with an error of the service is a rejection`() async throws {
        let keys = #""error": {"code": "code"}, "update": {"method": "POST", "path": "/b", "batch": {}}"#
        let answer = HTTPAnswer(#"[{"id": 1, "code": "E1"}, {"id": 2}]"#)
        let (outcomes, _) = try await push(keys, .update, answer: answer)
        #expect(outcomes.map { String($0.prefix { $0 != " " }) } == ["failed", "ok"], "\(outcomes)")
    }

    /// The entries would get the IDs of one another.
    @Test func `Creations in another order have an unknown outcome`() async throws {
        let keys = #""create": {"batch": {}}"#
        let swapped = HTTPAnswer(#"[{"id": 6, "a": "2", "k": "2"}, {"id": 5, "a": "1", "k": "1"}]"#)
        #expect(try await push(keys, .create, answer: swapped).0 == ["unknown", "unknown"])
        let right = HTTPAnswer(#"[{"id": 5, "a": "1", "k": "1"}, {"id": 6, "a": "TWO", "k": null}]"#)
        #expect(try await push(keys, .create, answer: right).0 == ["ok 5", "ok 6"])
    }

    /// A record that is created again has no key of its own.
    @Test func `A creation without a key is the one that is left`() async throws {
        let keys = #"""
            "clientKey": {"field": "key", "isIdempotent": true}, "create": {"batch": {"match": "clientKey"}}
            """#
        let target = try HTTPSyncUpTarget(configuration: JSONText(#"{"path": "/x", \#(keys)}"#).decode())
        let records = [#"{"id": "old-7", "a": "1"}"#, #"{"a": "2", "key": "K2"}"#]
        let changes = try records.enumerated().map { number, record in
            RecordChange(.create, soup: "x", entryId: Int64(number), serverId: nil, record: try JSONText(record))
        }
        for (body, expected) in [
            (#"[{"id": 6, "a": "2", "key": "K2"}, {"id": 5, "a": "1"}]"#, ["5", "6"]),
            (#"[{"id": 6, "a": "2", "key": "K2"}]"#, [nil, "6"]),
            (#"[{"id": 6, "a": "2", "key": "K3"}, {"id": 5, "a": "1"}]"#, [nil, nil]),
        ] {
            let transport = ScriptedTransport { _ in HTTPAnswer(body) }
            let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
            #expect(try await target.push(changes, in: context).map(\.serverId) == expected)
        }
    }

    @Test func `Creations are matched by their client keys`() async throws {
        let keys =
            #""clientKey": {"field": "k", "isIdempotent": true}, "create": {"batch": {"match": "clientKey", "size": 1}}"#
        let (outcomes, requests) = try await push(
            keys, .create, answer: HTTPAnswer(status: 201, #"[{"id": 5, "k": "2"}]"#))
        #expect(outcomes == ["unknown", "ok 5"])
        #expect(requests == [#"POST /x [{"a":"1","k":"1"}]"#, #"POST /x [{"a":"2","k":"2"}]"#])
    }
}
