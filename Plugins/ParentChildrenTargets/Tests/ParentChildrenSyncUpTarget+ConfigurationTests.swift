// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ParentChildrenTargets
import SoupCore
import SoupTesting
import Testing

@Suite struct ParentChildrenSyncUpTargetConfigurationTests {
    @Test func `The published target object is accepted`() throws {
        let text = #"""
            {"iOSImpl":"SFParentChildrenSyncUpTarget",
            "androidImpl":"com.salesforce.androidsdk.mobilesync.target.ParentChildrenSyncUpTarget",
            "parent":{"idFieldName":"IdX","externalIdFieldName":"ExternalIdX","sobjectType":"Account",
            "modificationDateFieldName":"LastModifiedDateX","soupName":"accounts"},
            "createFieldlist":["IdX","Name","Description"],"updateFieldlist":["Name","Description"],
            "children":{"parentIdFieldName":"AccountId","idFieldName":"IdY","externalIdFieldName":"ExternalIdY",
            "sobjectType":"Contact","modificationDateFieldName":"LastModifiedDateY","soupName":"contacts",
            "sobjectTypePlural":"Contacts"},"childrenCreateFieldlist":["LastName","AccountId"],
            "childrenUpdateFieldlist":["FirstName","AccountId"],"relationshipType":"MASTER_DETAIL"}
            """#
        var problems: [ConfigurationProblem] = []
        let registry = try PluginRegistry([ParentChildrenTargetsModule()])
        let target = registry.upTarget(TargetReference(try JSONValue(parsing: text)), problems: &problems)
        #expect(problems.map(\.description) == [])
        #expect(target is ParentChildrenSyncUpTarget)
        #expect(target?.layout?.levels.map(\.idField) == ["IdX", "IdY"])
    }

    @Test func `The target passes the conformance suite`() async throws {
        let configuration = #"""
            {"parent":{"sobjectType":"Account","soupName":"accounts"},"createFieldlist":["Name"],"updateFieldlist":["Name"],
            "children":{"sobjectType":"Contact","sobjectTypePlural":"Contacts","soupName":"contacts",
            "parentIdFieldName":"AccountId"},"childrenCreateFieldlist":["LastName"],"childrenUpdateFieldlist":["LastName"]}
            """#
        func batch(_ kind: RecordChange.Kind, children: Int) throws -> [RecordChange] {
            try (1...3).map { number in
                let id = kind == .create ? "local_p\(number)" : rowId("p\(number)")
                var change = try parent(
                    kind, id, children: (0..<children).map { try child(.update, rowId("c\(number)x\($0)"), of: id) },
                    extra: #","Mark":\#(number)"#)
                change.entryId = Int64(number)
                return change
            }
        }
        let childDeletions = try (1...3).map { number in
            var change = try child(.delete, rowId("c\(number)"), of: rowId("p9"))
            change.entryId = Int64(number)
            return change
        }
        var suite = SyncUpTargetSuite(
            ParentChildrenSyncUpTarget.self, configuration: configuration,
            badConfigurations: ["{}", #"{"parent":{}}"#],
            batches: [
                try batch(.create, children: 0), try batch(.create, children: 12), try batch(.update, children: 2),
                try batch(.delete, children: 0), childDeletions,
            ], withoutLookups: true,
            wrongPath: HTTPAnswer(status: 404, #"[{"errorCode":"NOT_FOUND","message":"m"}]"#),
            missingRecords: { request in
                noStates(request) ?? CompositeServer { _, _ in (404, "ENTITY_IS_DELETED") }.answer(request)
            },
            context: SyncContext(
                transport: ScriptedTransport([]), basePath: "/v", clock: ManualClock(), soup: "accounts")
        ) { request, refused in
            if let states = noStates(request) { return states }
            return CompositeServer { line, _ in
                refused.contains { change in
                    line.contains(" \(change.serverId ?? "local_p\(change.entryId) ")")
                } ? (400, "STRING_TOO_LONG") : nil
            }.answer(request)
        }
        try await suite.check()
        suite.batches.removeLast()
        #expect(await suite.violations().map { $0.contains("deletion of a child without its parent") } == [true])
    }
}
