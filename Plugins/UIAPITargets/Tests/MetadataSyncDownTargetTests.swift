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

@Suite struct MetadataSyncDownTargetTests {
    @Test(arguments: ["{}", #"{"name":"Account"}"#, #"{"name":"Contact","fields":[]}"#])
    func `An object that is not a description is rejected`(body: String) async throws {
        let target = try MetadataSyncDownTarget(configuration: .init(sobjectType: "Account"))
        let error = await #expect(throws: SoupError.self) {
            try await target.page(after: nil, in: context(ScriptedTransport([.answer(body)])))
        }
        #expect(error?.code == .json)
    }

    @Test func `The describe is fetched with the object's name as ID`() async throws {
        let transport = ScriptedTransport([
            .answer(
                to: "GET /v/sobjects/Account/describe", #"{"name":"Account","keyPrefix":"001","fields":[]}"#,
                headers: [.date: "Mon, 15 Jan 2024 12:00:00 GMT"])
        ])
        let target = try MetadataSyncDownTarget(configuration: .init(sobjectType: "Account"))
        let page = try await target.page(after: nil, in: context(transport))
        #expect(
            page.dump == [
                #"{"name":"Account","keyPrefix":"001","fields":[],"Id":"Account"}"#, "total 1",
                "at 2024-01-15T12:00:00.000+0000",
            ])
        #expect(transport.violations == [])
    }

    @Test func `Cleaning ghosts needs no request`() async throws {
        let transport = ScriptedTransport([])
        let target = try MetadataSyncDownTarget(configuration: .init(sobjectType: "Account"))
        #expect(try await target.survivors(of: ["Account"], level: 0, in: context(transport)) == ["Account"])
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [
        #"{"type":"metadata","sobjectType":"Account"}"#, #"{"iOSImpl":"SFMetadataSyncDownTarget","sobjectType":"A"}"#,
        #"{"type":"layout","sobjectType":"Account","formFactor":"Medium","layoutType":"Compact","mode":"Edit"}"#,
        #"{"type":"custom","androidImpl":"com.salesforce.androidsdk.mobilesync.target.LayoutSyncDownTarget","sobjectType":"A"}"#,
    ])
    func `Published target objects are accepted`(text: String) throws {
        var problems: [ConfigurationProblem] = []
        let registry = try PluginRegistry([UIAPITargetsModule()])
        #expect(registry.downTarget(TargetReference(try JSONValue(parsing: text)), problems: &problems) != nil)
        #expect(problems.map(\.description) == [])
    }

    @Test func `The target passes the conformance suite`() async throws {
        try await SyncDownTargetSuite(
            MetadataSyncDownTarget.self, configuration: #"{"sobjectType": "Account"}"#,
            badConfigurations: ["{}", #"{"sobjectType": ""}"#, #"{"sobjectType": 7}"#, #"{"sobjectType": "../x"}"#],
            singlePage: true, undated: true
        ) { _ in HTTPAnswer(#"{"name":"Account","fields":[]}"#) }.check()
    }
}
