// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

/// Creations without a response, looked up by their external IDs.
@Suite struct SalesforceClientCreationsTests {
    private func found(_ values: [String], _ steps: [ScriptedTransport.Step]) async throws -> [String?]? {
        let changes = try values.enumerated().map { position, value in
            RecordChange(
                .create, soup: "s", entryId: Int64(position),
                record: try JSONText(#"{"attributes":{"type":"Account"},"Ext__c":\#(value)}"#))
        }
        let form = RecordForm(
            names: RecordFieldNames(), externalIdField: "Ext__c", createList: ["Ext__c"], updateList: nil,
            options: SyncOptions())
        let transport = ScriptedTransport(steps)
        let client = SalesforceClient(
            SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "s"))
        let ids = try await client.findCreated(changes) { _ in form }
        #expect(transport.violations == [])
        return ids
    }

    private func page(_ records: String) -> String {
        #"{"totalSize":\#(records.split(separator: "},{").count),"done":true,"records":[\#(records)]}"#
    }

    @Test(arguments: [
        #"{"totalSize":2,"done":true,"records":[{"Id":"001000000000001AAA","Ext__c":"x"}]}"#, #"{"records":[]}"#,
        #"{"totalSize":1,"done":true,"records":[{"Ext__c":"x"}]}"#,
        #"{"totalSize":1,"done":true,"records":[{"Id":"001000000000001AAA"}]}"#,
    ])
    func `A response without all rows is an error`(body: String) async throws {
        await #expect(throws: SoupError.self) { try await found([#""x""#, #""y""#], [.answer(body)]) }
    }

    @Test func `Numbers are written without quotes`() async throws {
        let answer = ScriptedTransport.Step.answer(
            to: "GET /v/query?q=select Id, Ext__c from Account where Ext__c in (12.5, 7)",
            page(#"{"Id":"001000000000001AAA","Ext__c":7.0},{"Id":"001000000000002AAA","Ext__c":12.50}"#))
        #expect(try await found(["7", "12.5"], [answer]) == ["001000000000001AAA", "001000000000002AAA"])
    }

    @Test func `A record with the value in another case is found`() async throws {
        let answer = ScriptedTransport.Step.answer(
            to: "GET /v/query?q=select Id, Ext__c from Account where Ext__c in ('V-7', 'v-8')",
            page(#"{"Id":"001000000000001AAA","Ext__c":"v-7"}"#))
        #expect(try await found([#""V-7""#, #""v-8""#], [answer]) == ["001000000000001AAA", nil])
    }

    @Test func `An exact value does not match another spelling`() async throws {
        let answer = ScriptedTransport.Step.answer(page(#"{"Id":"001000000000001AAA","Ext__c":"a"}"#))
        #expect(try await found([#""A""#, #""a""#], [answer]) == [nil, "001000000000001AAA"])
    }

    @Test func `Creations with the same external ID are one record`() async throws {
        let answer = ScriptedTransport.Step.answer(
            to: "GET /v/query?q=select Id, Ext__c from Account where Ext__c in ('x')",
            page(#"{"Id":"001000000000001AAA","Ext__c":"x"}"#)
        )
        #expect(try await found([#""x""#, #""x""#], [answer]) == ["001000000000001AAA", "001000000000001AAA"])
    }

    @Test(arguments: [
        (
            #"{"Id":"001000000000001AAA","Ext__c":"x"},{"Id":"001000000000002AAA","Ext__c":"x"}"#,
            SoupError.Code.notUnique
        ),
        (#"{"Id":"xyz","Ext__c":"x"}"#, .server),
    ])
    func `An ambiguous or impossible ID is an error`(records: String, code: SoupError.Code) async throws {
        let error = await #expect(throws: SoupError.self) { try await found([#""x""#], [.answer(page(records))]) }
        #expect(error?.code == code)
    }
}
