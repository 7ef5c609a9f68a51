// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SObjectTargets
import SoupCore
import SoupTesting
import Testing

@Suite struct CollectionSyncUpTargetTests {
    private func sent(_ changes: [RecordChange], _ configuration: SObjectConfiguration) async throws -> [String] {
        let transport = ScriptedTransport { accept($0) }
        let outcomes = try await collectionTarget(configuration).push(changes, in: context(transport))
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
        let outcomes = try await collectionTarget().push(changes, in: context(transport))
        let sent = transport.requests[0].json?["records"]?.arrayValue?.compactMap {
            $0["attributes"]?["type"]?.stringValue
        }
        #expect(sent == types.sorted())
        #expect(outcomes.map(\.serverId) == (0..<40).map { rowId("U\($0)") })
    }

    @Test func `More than ten objects need more than one request`() async throws {
        let changes = try (0..<12).map { try change(.update, rowId("U\($0)"), type: "T\($0)") }
        let transport = ScriptedTransport { accept($0) }
        let outcomes = try await collectionTarget().push(changes, in: context(transport))
        #expect(transport.requests.map { $0.json?["records"]?.arrayValue?.count } == [10, 2])
        #expect(outcomes.map(\.serverId) == (0..<12).map { rowId("U\($0)") })
    }

    @Test func `The field list of the options is the default`() async throws {
        let transport = ScriptedTransport { accept($0) }
        let update = try change(.update, "0010000000000U1", extra: #","Phone":null,"Owner":{"Name":"o"}"#)
        _ = try await collectionTarget(.init()).push(
            [update], in: context(transport, fieldlist: ["Id", "Phone", "Owner.Name"]))
        #expect(
            transport.requests[0].json?["records"]?[0]
                == (try json(#"{"attributes":{"type":"Account"},"Id":"0010000000000U1","Phone":null,"Owner.Name":"o"}"#))
        )
    }

    @Test func `Without a field list nothing is sent`() async throws {
        let transport = ScriptedTransport([])
        let error = await #expect(throws: SoupError.self) {
            try await collectionTarget(.init()).push([try change(.update, "0010000000000U1")], in: context(transport))
        }
        #expect(error?.code == .badConfiguration)
        #expect(error?.place?.path == "updateFieldlist")
        #expect(transport.requests == [])
    }
}
