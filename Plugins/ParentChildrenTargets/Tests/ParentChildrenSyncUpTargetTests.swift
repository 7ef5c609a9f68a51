// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ParentChildrenTargets
import SoupCore
import SoupTesting
import Testing

@Suite struct ParentChildrenSyncUpTargetTests {
    @Test func `States of parents and children are fetched`() async throws {
        let transport = ScriptedTransport([
            .answer(
                to:
                    #"POST /v/composite/sobjects/Account {"ids":["00100000000000P","00100000000000Q"],"fields":["LastModifiedDate"]}"#,
                #"[{"Id":"00100000000000P","LastModifiedDate":"2024-01-15T12:00:00.000+0000"},null]"#),
            .answer(
                to: #"POST /v/composite/sobjects/Contact {"ids":["00100000000000C"],"fields":["LastModifiedDate"]}"#,
                #"[{"Id":"00100000000000C","LastModifiedDate":null}]"#),
        ])
        let changes = [
            try parent(.update, "00100000000000P"), try child(.update, "00100000000000C", of: "00100000000000P"),
            try parent(.none, "00100000000000Q"),
            try parent(.create, "local_1"),
        ]
        #expect(
            try await upTarget().serverStates(of: changes, in: upContext(transport))
                == [.modified("2024-01-15T12:00:00.000+0000"), .unknown, .deleted, .unknown])
        #expect(transport.violations == [])
    }

    @Test func `Created records are found by their external IDs`() async throws {
        let transport = ScriptedTransport([
            .answer(
                to: "GET /v/query?q=select Id, Ext__c from Account where Ext__c in ('a', 'b')",
                #"{"totalSize":1,"done":true,"records":[{"Id":"00100000000000P","Ext__c":"b"}]}"#),
            .answer(
                to: "GET /v/query?q=select Id, Key__c from Contact where Key__c in (7)",
                #"{"totalSize":1,"done":true,"records":[{"Id":"00100000000000C","Key__c":7}]}"#),
        ])
        let target = try upTarget(parentExternalId: "Ext__c", childExternalId: "Key__c")
        let parents = try ["a", "b"].map { try parent(.create, "local_\($0)", extra: #","Ext__c":"\#($0)""#) }
        let lost = try child(.create, "local_c", of: "00100000000000P", extra: #","Key__c":7"#)
        let both = try await target.findCreated(parents, in: upContext(transport))
        #expect(both == [nil, "00100000000000P"])
        #expect(try await target.findCreated([lost], in: upContext(transport)) == ["00100000000000C"])
        #expect(transport.violations == [])
        #expect(try await target.findCreated([try parent(.create, "local_x")], in: upContext(transport)) == nil)
    }

    @Test func `A found record is fetched with the creation's fields`() async throws {
        let transport = ScriptedTransport([
            .answer(
                to:
                    #"POST /v/composite/sobjects/Contact {"ids":["00100000000000C"],"fields":["LastName","AccountId","LastModifiedDate"]}"#,
                #"[{"Id":"00100000000000C"}]"#),
            .answer(
                to:
                    #"POST /v/composite/sobjects/Contact {"ids":["00100000000000D"],"fields":["LastName","Code__c","AccountId","LastModifiedDate"]}"#,
                #"[{"Id":"00100000000000D"}]"#),
        ])
        var found = try child(.create, "local_d", of: "00100000000000P")
        found.serverId = "00100000000000D"
        let records = try await ParentChildrenSyncUpTarget(
            configuration: .init(
                tree: .accounts, createFieldlist: [], updateFieldlist: [],
                childrenCreateFieldlist: ["LastName", "Code__c"], childrenUpdateFieldlist: ["LastName"])
        ).serverRecords(
            of: [found, try child(.update, "00100000000000C", of: "00100000000000P")], in: upContext(transport))
        #expect(records?.map { $0?.description } == [#"{"Id":"00100000000000D"}"#, #"{"Id":"00100000000000C"}"#])
        #expect(transport.violations == [])
    }

    @Test func `Records for a merge have the fields of their push`() async throws {
        let transport = ScriptedTransport([
            .answer(
                to:
                    #"POST /v/composite/sobjects/Account {"ids":["00100000000000P"],"fields":["Name","Description","LastModifiedDate"]}"#,
                #"[{"Id":"00100000000000P","Name":"theirs"}]"#),
            .answer(
                to:
                    #"POST /v/composite/sobjects/Contact {"ids":["00100000000000C","00100000000000D"],"fields":["LastName","AccountId","LastModifiedDate"]}"#,
                #"[null,{"Id":"00100000000000D"}]"#),
        ])
        let changes = [
            try child(.update, "00100000000000C", of: "00100000000000P"), try parent(.update, "00100000000000P"),
            try child(.update, "00100000000000D", of: "00100000000000P"),
        ]
        let records = try await upTarget().serverRecords(of: changes, in: upContext(transport))
        #expect(
            records?.map { $0?.description } == [
                nil, #"{"Id":"00100000000000P","Name":"theirs"}"#, #"{"Id":"00100000000000D"}"#,
            ])
        #expect(transport.violations == [])
    }
}
