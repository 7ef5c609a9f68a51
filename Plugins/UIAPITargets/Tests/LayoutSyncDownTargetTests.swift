// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Testing
import UIAPITargets

private func context(_ transport: any HTTPTransport) -> SyncContext {
    SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "layouts")
}

@Suite struct LayoutSyncDownTargetTests {
    @Test(arguments: [
        (
            LayoutSyncDownTarget.Configuration(
                sobjectType: "Account", formFactor: "Medium", layoutType: "Compact", mode: "Edit"),
            "?formFactor=Medium&layoutType=Compact&mode=Edit", "Account-Medium-Compact-Edit-null"
        ),
        (
            .init(
                sobjectType: "Account", formFactor: "Large", layoutType: "Full", mode: "View",
                recordTypeId: "012000000000000AAA"),
            "?formFactor=Large&layoutType=Full&mode=View&recordTypeId=012000000000000AAA",
            "Account-Large-Full-View-012000000000000AAA"
        ),
        (.init(sobjectType: "Account"), "", "Account-null-null-null-null"),
        (.init(sobjectType: "Account", formFactor: "", mode: "Edit"), "?mode=Edit", "Account-null-null-Edit-null"),
        (
            .init(sobjectType: "Account", recordTypeId: "a&b=c/d"), "?recordTypeId=a&b=c/d",
            "Account-null-null-null-a&b=c/d"
        ),
    ])
    func `The request and the ID identify the layout`(
        configuration: LayoutSyncDownTarget.Configuration, query: String, id: String
    ) async throws {
        let transport = ScriptedTransport([
            .answer(to: "GET /v/ui-api/layout/Account\(query)", " {\"id\":\"00h\", \"sections\":[]}\n")
        ])
        let page = try await LayoutSyncDownTarget(configuration: configuration).page(
            after: nil, in: context(transport))
        #expect(page.dump == [#"{"id":"00h","sections":[],"Id":"\#(id)"}"#, "total 1"])
        #expect(transport.violations == [])
        #expect(transport.requests[0].query.count == query.split(separator: "&").count - (id.contains("&") ? 1 : 0))
    }

    @Test func `The generated ID replaces the server's value`() async throws {
        let transport = ScriptedTransport([.answer(#"{"Id":"x","key":1,"sections":[]}"#)])
        let target = try LayoutSyncDownTarget(configuration: .init(sobjectType: "Account", idFieldName: "key"))
        let page = try await target.page(after: nil, in: context(transport))
        #expect(page.dump == [#"{"Id":"x","key":"Account-null-null-null-null","sections":[]}"#, "total 1"])
        #expect(target.idField == "key")
    }

    @Test func `Cleaning ghosts needs no request`() async throws {
        let transport = ScriptedTransport([])
        let target = try LayoutSyncDownTarget(configuration: .init(sobjectType: "Account", mode: "Edit"))
        let ids = ["Account-null-null-Edit-null"]
        #expect(try await target.survivors(of: ids, level: 0, in: context(transport)) == Set(ids))
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [
        "{}", #"{"error":"down"}"#, #"{"sections":{}}"#, #"{"objectApiName":"Contact","sections":[]}"#,
    ])
    func `An object that is not a layout is rejected`(body: String) async throws {
        let target = try LayoutSyncDownTarget(configuration: .init(sobjectType: "Account"))
        let error = await #expect(throws: SoupError.self) {
            try await target.page(after: nil, in: context(ScriptedTransport([.answer(body)])))
        }
        #expect(error?.code == .json)
    }

    @Test func `The error contains the server's own message`() async throws {
        let body = #"[{"errorCode":"INVALID_TYPE","message":"Object Nope is not supported in UI API"}]"#
        let transport = ScriptedTransport([.answer(status: 404, body)])
        let target = try LayoutSyncDownTarget(configuration: .init(sobjectType: "Nope"))
        let error = await #expect(throws: SoupError.self) {
            try await target.page(after: nil, in: context(transport))
        }
        #expect(error?.code == "objectNotFound")
        #expect(
            error?.message
                == "the layout of Nope failed with HTTP 404, INVALID_TYPE: Object Nope is not supported in UI API"
        )
    }

    @Test func `The target passes the conformance suite`() async throws {
        try await SyncDownTargetSuite(
            LayoutSyncDownTarget.self, configuration: #"{"sobjectType": "Account", "mode": null}"#,
            badConfigurations: [
                "{}", #"{"sobjectType": ""}"#, #"{"sobjectType": "A/B"}"#, #"{"sobjectType": "A", "mode": 1}"#,
                #"{"sobjectType": "A", "recordTypeId": []}"#, #"{"sobjectType": "A", "mode": "Wiew"}"#,
            ], singlePage: true, undated: true
        ) { _ in HTTPAnswer(#"{"id":"00h","sections":[]}"#) }.check()
    }
}
