// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RESTTargets
import SoupCore
import SoupTesting
import Testing

@Suite struct HTTPSyncUpTargetRequestsTests {
    private static let id = "local_00000000000000000000000000000001"

    private func requests(
        _ keys: String, _ kind: RecordChange.Kind, record: String, base: String? = nil,
        mode: MergeMode = .leaveIfChanged
    ) async throws -> [RecordedRequest] {
        let target = try HTTPSyncUpTarget(
            configuration: JSONText(#"{"path": "/api/x/", "modified": "m", "version": "v", \#(keys)}"#).decode())
        let change = RecordChange(
            kind, soup: "x", entryId: 1, serverId: kind == .create ? nil : "7", record: try JSONText(record),
            base: try base.map { try JSONText($0) })
        let transport = ScriptedTransport { _ in HTTPAnswer(#"{"id": 7}"#) }
        let context = SyncContext(
            transport: transport, clock: ManualClock.advancing(), soup: "x", options: SyncOptions(mergeMode: mode))
        _ = try await target.push([change], in: context)
        return transport.requests.filter { $0.method != .get }
    }

    @Test func `A list may name attributes, and headers the type`() async throws {
        let record = #"{"id": 7, "attributes": {"a":1}, "b": 2}"#
        let keys = #""fieldlist": ["attributes"], "headers": {"Content-Type": "application/vnd.api+json"}"#
        let sent = try await requests(keys, .update, record: record)
        #expect(sent.map(\.bodyText) == [#"{"attributes":{"a":1}}"#])
        #expect(sent.first?.header("Content-Type") == "application/vnd.api+json")
        // Without a list, the object and the URL that SoupKit itself writes are not sent.
        let whole = #"{"attributes":{"a":1},"b":2}"#
        #expect(try await requests(#""item": "/x/{id}""#, .update, record: record).map(\.bodyText) == [whole])
        let own = record.replacing(#""a":1"#, with: #""type":"x""#)
        #expect(try await requests(#""item": "/x/{id}""#, .update, record: own).map(\.bodyText) == [#"{"b":2}"#])
    }

    @Test func `Each kind of change has its own field list`() async throws {
        let keys = #""createFieldlist": ["a"], "updateFieldlist": ["b"]"#
        let record = #"{"id": "\#(Self.id)", "a": 1, "b": 2, "c": 3}"#
        #expect(try await requests(keys, .create, record: record).map(\.bodyText) == [#"{"a":1}"#])
        #expect(try await requests(keys, .update, record: record).map(\.bodyText) == [#"{"b":2}"#])
    }

    @Test func `Constants are a part of every record`() async throws {
        let keys = #""wrap": "data", "constants": {"type": "x"}, "fieldlist": ["id", "a"]"#
        let body = #"{"data":{"id":7,"a":1,"type":"x"}}"#
        let record = #"{"id": 7, "a": 1, "b": 2}"#
        #expect(try await requests(keys, .update, record: record).map(\.bodyText) == [body])
        let changed = record.replacing(#""a": 1"#, with: #""a": 0"#)
        #expect(try await requests(keys, .update, record: record, base: changed).map(\.bodyText) == [body])
        #expect(try await requests(keys, .update, record: record, base: record).isEmpty)
        let new = record.replacing("7", with: #""\#(Self.id)""#)
        #expect(try await requests(keys, .create, record: new).map(\.bodyText) == [#"{"data":{"a":1,"type":"x"}}"#])
    }

    /// JSON:API requires the ID and the type in the body.
    @Test func `A list of the target may name the ID`() async throws {
        let keys = #""wrap": "data", "fieldlist": ["type", "id", "attributes"]"#
        let record = #"{"id": "7", "type": "x", "attributes": {"a": 1}, "m": 1}"#
        let body = #"{"data":{"id":"7","type":"x","attributes":{"a": 1}}}"#
        #expect(try await requests(keys, .update, record: record).map(\.bodyText) == [body])
        let new = record.replacing(#""7""#, with: #""\#(Self.id)""#)
        let creation = #"{"data":{"type":"x","attributes":{"a": 1}}}"#
        #expect(try await requests(keys, .create, record: new).map(\.bodyText) == [creation])
        // With the last synced version, the ID is sent with the changed fields, and not alone.
        let changed = #"{"data":{"id":"7","attributes":{"a": 1}}}"#
        for (base, sent) in [(record.replacing("1}", with: "2}"), [changed]), (record, [])] {
            #expect(try await requests(keys, .update, record: record, base: base).map(\.bodyText) == sent)
        }
        let patch = #""update": "jsonPatch", "fieldlist": ["id", "type"]"#
        let operations = #"[{"op":"add","path":"/type","value":"x"}]"#
        #expect(try await requests(patch, .update, record: record).map(\.bodyText) == [operations])
        let batch = #""fieldlist": ["type", "id"], "update": {"method": "POST", "path": "/bulk", "batch": {}}"#
        #expect(try await requests(batch, .update, record: record).map(\.bodyText) == [#"[{"id":"7","type":"x"}]"#])
    }

    @Test(arguments: [
        (#""update": "patch""#, #"PATCH /api/x/7/ {"a":2,"c":null}"#, "application/json"),
        (#""update": "mergePatch""#, #"PATCH /api/x/7/ {"a":2,"c":null}"#, "application/merge-patch+json"),
        (#""update": "put""#, #"PUT /api/x/7/ {"a":2,"b":1}"#, "application/json"),
        (
            #""update": "jsonPatch""#,
            #"PATCH /api/x/7/ [{"op":"add","path":"/a","value":2},{"op":"remove","path":"/c"}]"#,
            "application/json-patch+json"
        ),
        (#""wrap": "x", "updateFieldlist": ["b", "a"]"#, #"PATCH /api/x/7/ {"x":{"a":2}}"#, "application/json"),
        (
            #""update": {"style": "put", "method": "POST", "path": "/y/{field:b}/{id}"}"#,
            #"POST /y/1/7 {"a":2,"b":1}"#, "application/json"
        ),
    ])
    func `An update has the form of its style`(_ keys: String, _ expected: String, _ type: String) async throws {
        let requests = try await requests(
            keys, .update, record: #"{"id": 7, "a": 2, "b": 1, "m": "x", "v": 3, "attributes": {}, "__x__": true}"#,
            base: #"{"id": 7, "a": 1, "b": 1, "c": 1, "m": "w", "v": 2}"#)
        #expect(requests.map(\.description) == [expected])
        #expect(requests.first?.header("Content-Type") == type)
        #expect(requests.first?.header("If-Match") == nil)
    }

    @Test func `A creation has a key and no temporary ID`() async throws {
        let keys = #""clientKey": {"header": "Idempotency-Key", "field": "key"}"#
        let requests = try await requests(keys, .create, record: #"{"id": "\#(Self.id)", "a": 1, "m": null}"#)
        #expect(requests.map(\.description) == [#"POST /api/x/ {"a":1,"key":"00000000000000000000000000000001"}"#])
        #expect(requests.first?.header("Idempotency-Key") == "00000000000000000000000000000001")
    }

    @Test func `A reference to a local record is not sent`() async throws {
        let requests = try await requests(#""update": "put""#, .update, record: #"{"id": 7, "a": "local_1"}"#)
        #expect(requests.isEmpty)
        let text = try await self.requests(#""update": "put""#, .update, record: #"{"id": 7, "a": "local_news"}"#)
        #expect(text.count == 1)
    }

    @Test(arguments: [(#"3"#, #""3""#), (#""\"x\"""#, #""x""#), (#""W/\"x\"""#, #"W/"x""#), (#""a\nb""#, nil)])
    func `A version becomes an entity tag`(_ version: String, _ header: String?) async throws {
        let record = #"{"id": 7, "a": 1, "v": \#(version)}"#
        let requests = try await requests(#""ifMatch": true"#, .update, record: record)
        #expect(requests.first?.header("If-Match") == header)
        let overwriting = try await self.requests(#""ifMatch": true"#, .update, record: record, mode: .overwrite)
        #expect(overwriting.first?.header("If-Match") == nil)
    }

    @Test func `Changes without changed fields need no request`() async throws {
        let record = #"{"id": 7, "a": 1, "m": "x"}"#
        let requests = try await requests(#""update": "patch""#, .update, record: record, base: record)
        #expect(requests.isEmpty)
    }

    /// The pause of `minInterval` ends, and no request follows.
    @Test func `A stopped push sends no further requests`() async throws {
        let target = try HTTPSyncUpTarget(configuration: JSONText(#"{"path": "/x", "minInterval": 60}"#).decode())
        let clock = ManualClock()
        let transport = ScriptedTransport { _ in HTTPAnswer(#"{"id": 7}"#) }
        let context = SyncContext(transport: transport, clock: clock, soup: "x")
        let changes = try (1...3).map {
            RecordChange(.update, soup: "x", entryId: $0, serverId: "7", record: try JSONText(#"{"id": 7, "a": 1}"#))
        }
        let signal = StopSignal()
        let push = Task {
            try await StopSignal.$current.withValue(signal) { try await target.push(changes, in: context) }
        }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        await clock.waitForSleepers()
        signal.raise()
        let outcomes = try await push.value
        let unsent = outcomes.filter { if case .notSent = $0.result { true } else { false } }
        #expect(outcomes.count == 3 && unsent.count == 2 && transport.requests.count == 1, "\(outcomes)")
    }
}
