// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SObjectTargets
import SoupCore
import SoupTesting
import Testing

/// The target's requests that only read.
@Suite struct CollectionSyncUpTargetLookUpsTests {
    private func target(
        _ configuration: SObjectConfiguration = .init(createFieldlist: ["Name"], updateFieldlist: ["Name"])
    ) throws -> CollectionSyncUpTarget {
        try CollectionSyncUpTarget(configuration: configuration)
    }

    @Test func `States are requested object by object`() async throws {
        let transport = ScriptedTransport([
            .answer(
                to:
                    #"POST /v/composite/sobjects/Account {"ids":["0010000000000A1","0010000000000A3"],"fields":["Changed"]}"#,
                #"[{"Id":"0010000000000A1","Changed":"2024-01-15T12:00:00.000+0000"},null]"#),
            .answer(
                to: #"POST /v/composite/sobjects/Contact {"ids":["0010000000000C2"],"fields":["Changed"]}"#,
                #"[{"Id":"0010000000000C2"}]"#),
            .answer(
                to: #"POST /v/composite/sobjects/badType {"ids":["0010000000000B1"],"fields":["Changed"]}"#,
                status: 404,
                #"[{"errorCode":"NOT_FOUND","message":"m"}]"#),
        ])
        let changes = [
            try change(.update, "0010000000000A1"), try change(.update, "0010000000000C2", type: "Contact"),
            try change(.create, "local_1"),
            try change(.delete, "0010000000000A3"), try change(.update, "X", type: nil),
            try change(.update, "0010000000000B1", type: "badType"),
        ]
        let target = try target(.init(modificationDateFieldName: "Changed"))
        #expect(
            try await target.serverStates(of: changes, in: context(transport)) == [
                .modified("2024-01-15T12:00:00.000+0000"), .unknown, .unknown, .deleted, .unknown, .unknown,
            ])
        #expect(transport.violations == [])
    }

    @Test func `A response without states is an error`() async throws {
        let body = #"[{"errorCode":"INVALID_FIELD","message":"No such column 'LastModifiedDateX'"}]"#
        for step in [ScriptedTransport.Step.answer(status: 400, body), .answer(status: 500, "[]"), .answer("[]")] {
            let transport = ScriptedTransport([step])
            await #expect(throws: SoupError.self) {
                try await target().serverStates(of: [try change(.update, "0010000000000A1")], in: context(transport))
            }
        }
    }

    /// A record that was found is compared with the fields that its creation can send.
    @Test func `Records are fetched with the fields of their change`() async throws {
        let transport = ScriptedTransport([
            .answer(
                to:
                    #"POST /v/composite/sobjects/Account {"ids":["0010000000000A2"],"fields":["Name","Ext__c","LastModifiedDate"]}"#,
                #"[{"Id":"0010000000000A2","Name":"b"}]"#),
            .answer(
                to:
                    #"POST /v/composite/sobjects/Account {"ids":["0010000000000A1"],"fields":["Name","LastModifiedDate"]}"#,
                #"[{"Id":"0010000000000A1","Name":"a"}]"#),
        ])
        let target = try target(.init(createFieldlist: ["Name", "Ext__c", "Owner.Name"], updateFieldlist: ["Name"]))
        var found = try change(.create, "local_1")
        found.serverId = "0010000000000A2"
        let records = try await target.serverRecords(
            of: [found, try change(.update, "0010000000000A1")], in: context(transport))
        #expect(
            records?.map { $0?.description } == [
                #"{"Id":"0010000000000A2","Name":"b"}"#, #"{"Id":"0010000000000A1","Name":"a"}"#,
            ])
        #expect(transport.violations == [])
    }

    @Test func `Created records are found by their external IDs`() async throws {
        let target = try target(.init(createFieldlist: [], externalIdFieldName: "Ext__c"))
        let transport = ScriptedTransport([
            .answer(
                to: "GET /v/query?q=select Id, Ext__c from Account where Ext__c in ('it\\'s', 'x')",
                #"{"totalSize":1,"done":true,"records":[{"Id":"0010000000000A9","Ext__c":"it's"}]}"#)
        ])
        let changes = [
            try change(.create, "local_1", extra: #","Ext__c":"x""#),
            try change(.create, "local_2", extra: #","Ext__c":"it's""#),
        ]
        #expect(try await target.findCreated(changes, in: context(transport)) == [nil, "0010000000000A9"])
        #expect(transport.violations == [])
        #expect(changes.map { target.isIdempotent($0) } == [true, true])
        let plain = try change(.create, "local_3")
        #expect(!target.isIdempotent(plain))
        #expect(try await target.findCreated(changes + [plain], in: context(transport)) == nil)
    }
}
