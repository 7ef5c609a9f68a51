// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ParentChildrenTargets
import SoupCore
import SoupTesting
import Testing

private func target(
    _ relationship: RecordLayout.Relationship = .masterDetail, parentExternalId: String? = nil,
    childExternalId: String? = nil
) throws -> ParentChildrenSyncUpTarget {
    var family = Family.accounts
    family.relationship = relationship
    family.parent.externalIdFieldName = parentExternalId
    family.children[0].info.externalIdFieldName = childExternalId
    return try ParentChildrenSyncUpTarget(
        configuration: .init(
            family: family, createFieldlist: ["Id", "Name", "Description"], updateFieldlist: ["Name", "Description"],
            childrenCreateFieldlist: ["LastName", "AccountId"], childrenUpdateFieldlist: ["LastName", "AccountId"]))
}

private func context(_ transport: any HTTPTransport) -> SyncContext {
    SyncContext(transport: transport, apiPath: "/v", clock: ManualClock(), soup: "accounts")
}

private func parent(
    _ kind: RecordChange.Kind, _ id: String, _ children: [RecordChange] = [], extra: String = ""
) throws -> RecordChange {
    RecordChange(
        kind, soup: "accounts", entryId: 1, serverId: kind == .create ? nil : id,
        record: try JSONText(#"{"Id":"\#(id)","Name":"N"\#(extra)}"#), children: children)
}

private func child(_ kind: RecordChange.Kind, _ id: String, of parent: String, extra: String = "") throws
    -> RecordChange
{
    RecordChange(
        kind, soup: "contacts", entryId: 2, serverId: kind == .create ? nil : id,
        record: try JSONText(#"{"Id":"\#(id)","LastName":"L","AccountId":"\#(parent)"\#(extra)}"#), part: 1)
}

/// What a push sends, and its outcomes.
private func push(
    _ changes: [RecordChange], _ target: ParentChildrenSyncUpTarget, _ server: CompositeServer = CompositeServer()
) async throws -> (sent: [[String]], outcomes: [String]) {
    let transport = ScriptedTransport { server.answer($0) }
    let outcomes = try await target.push(changes, in: context(transport))
    return (CompositeServer.lines(transport), outcomes.dump)
}

private let now = "@2024-01-15T12:00:00.999+0000"

@Suite struct ParentChildrenPushTests {
    @Test func aNewFamilyArrivesTogether() async throws {
        let children = try (1...2).map { try child(.create, "local_c\($0)", of: "local_p") }
        let result = try await push([try parent(.create, "local_p", children)], target())
        #expect(
            result.sent == [
                [
                    #"POST Account local_p {"Name":"N"}"#,
                    #"POST Contact local_c1 {"LastName":"L","AccountId":"@{local_p.id}"}"#,
                    #"POST Contact local_c2 {"LastName":"L","AccountId":"@{local_p.id}"}"#,
                ]
            ])
        #expect(
            result.outcomes == [
                "ok new_local_p \(now)", "  ok new_local_c1 \(now)", "  ok new_local_c2 \(now)",
            ])
    }

    @Test func cleanParentsTakePartOnlyForTheirChildren() async throws {
        let children = [
            try child(.create, "local_c", of: "P"), try child(.update, "C", of: "P"), try child(.delete, "D", of: "P"),
        ]
        let result = try await push([try parent(.none, "P", children)], target())
        #expect(
            result.sent == [
                [
                    #"POST Contact local_c {"LastName":"L","AccountId":"P"}"#,
                    #"PATCH Contact/C C {"LastName":"L","AccountId":"P"}"#, "DELETE Contact/D D",
                ]
            ])
        #expect(result.outcomes == ["skipped", "  ok new_local_c \(now)", "  ok C \(now)", "  ok D"])
    }

    @Test func cleanChildrenFollowANewParent() async throws {
        let result = try await push([try parent(.create, "local_p", [child(.none, "C", of: "local_p")])], target())
        #expect(
            result.sent == [
                [
                    #"POST Account local_p {"Name":"N"}"#,
                    #"PATCH Contact/C C {"LastName":"L","AccountId":"@{local_p.id}"}"#,
                ]
            ])
        #expect(result.outcomes == ["ok new_local_p \(now)", "  ok C \(now)"])
    }

    /// Under MERGE only what changed is sent, and where a child belongs can be all that did.
    @Test(arguments: [
        (#"{"Id":"C","LastName":"L","AccountId":"old"}"#, true, [#"PATCH Contact/C C {"AccountId":"P"}"#]),
        (#"{"Id":"C","LastName":"before","AccountId":"P"}"#, true, [#"PATCH Contact/C C {"LastName":"L"}"#]),
        (
            #"{"Id":"C","LastName":"before","AccountId":"old"}"#, true,
            [#"PATCH Contact/C C {"LastName":"L","AccountId":"P"}"#]
        ),
        (#"{"Id":"C","LastName":"L","AccountId":"P"}"#, true, []),
        (#"{"Id":"C","LastName":"L","AccountId":"old"}"#, false, []),
    ])
    func aChildThatMovedIsMovedUnderMerge(_ base: String, _ isReparentable: Bool, _ sent: [String]) async throws {
        var family = Family.accounts
        family.children[0].isReparentable = isReparentable
        let target = try ParentChildrenSyncUpTarget(
            configuration: .init(
                family: family, createFieldlist: ["Name"], updateFieldlist: ["Name"],
                childrenCreateFieldlist: ["LastName"], childrenUpdateFieldlist: ["LastName"]))
        var moved = try child(.update, "C", of: "P")
        moved.base = try JSONText(base)
        let result = try await push([try parent(.none, "P", [moved])], target)
        #expect(result.sent.flatMap { $0 } == sent)
        #expect(result.outcomes == ["skipped", sent.isEmpty ? "  ok" : "  ok C \(now)"])
    }

    /// Servers refuse the parent's id in updates of details, also the one that they have.
    @Test(arguments: [
        (RecordLayout.Relationship.masterDetail, Bool?.none, Bool?.some(false), false),
        (.masterDetail, nil, true, true),
        (.masterDetail, nil, nil, true), (.masterDetail, true, false, true), (.masterDetail, false, true, false),
        (.lookup, nil, false, true), (.lookup, false, true, false),
    ])
    func anUpdateTellsTheParentWhereItCan(
        _ relationship: RecordLayout.Relationship, _ isReparentable: Bool?, _ isMoved: Bool?, _ isTold: Bool
    ) async throws {
        var family = Family.accounts
        family.relationship = relationship
        family.children[0].isReparentable = isReparentable
        for list in [["LastName"], ["LastName", "AccountId"]] {
            let target = try ParentChildrenSyncUpTarget(
                configuration: .init(
                    family: family, createFieldlist: ["Name"], updateFieldlist: ["Name"],
                    childrenCreateFieldlist: list, childrenUpdateFieldlist: list))
            var update = try child(.update, "C", of: "P")
            update.isMoved = isMoved
            let result = try await push([try parent(.none, "P", [update])], target)
            let body = isTold ? #"{"LastName":"L","AccountId":"P"}"# : #"{"LastName":"L"}"#
            #expect(result.sent == [["PATCH Contact/C C \(body)"]])
        }
    }

    @Test func aLookupParentIsDeletedAfterItsChildren() async throws {
        let children = [try child(.update, "C", of: "P"), try child(.none, "E", of: "P")]
        let result = try await push([try parent(.delete, "P", children)], target(.lookup))
        #expect(
            result.sent == [[#"PATCH Contact/C C {"LastName":"L","AccountId":"P"}"#, "DELETE Account/P P"]])
        #expect(result.outcomes == ["ok P", "  ok C \(now)", "  skipped"])
    }

    @Test func theServerDeletesDetailsWithTheirMaster() async throws {
        let children = [try child(.update, "C", of: "P"), try child(.delete, "D", of: "P")]
        let result = try await push([try parent(.delete, "P", children)], target())
        #expect(result.sent == [["DELETE Account/P P"]])
        #expect(result.outcomes == ["ok P", "  ok", "  ok"])
        let refusing = CompositeServer { _, _ in (400, "DELETE_FAILED") }
        let refused = try await push([try parent(.delete, "P", children)], target(), refusing)
        #expect(refused.outcomes == ["failed DELETE_FAILED refused", "  skipped", "  skipped"])
    }

    @Test func treesSharePackedRequests() async throws {
        let trees = try (1...10).map { tree in
            try parent(.update, "P\(tree)", (1...2).map { try child(.update, "C\(tree)\($0)", of: "P\(tree)") })
        }
        let result = try await push(trees, target())
        #expect(result.sent.map(\.count) == [24, 6])
        #expect(result.sent[1].first?.hasPrefix("PATCH Account/P9") == true)
        #expect(result.outcomes.count == 30)
    }

    @Test func aTreeLargerThanARequestIsSplit() async throws {
        let children = try (1...60).map { try child(.create, "local_c\($0)", of: "local_p") }
        let result = try await push([try parent(.create, "local_p", children)], target())
        #expect(result.sent.map(\.count) == [25, 25, 11])
        #expect(result.sent[0][1] == #"POST Contact local_c1 {"LastName":"L","AccountId":"@{local_p.id}"}"#)
        #expect(result.sent[1][0] == #"POST Contact local_c25 {"LastName":"L","AccountId":"new_local_p"}"#)
        #expect(result.outcomes.count { $0.contains("ok new_local") } == 61)
    }

    @Test func childrenOfAParentThatWasNotCreatedAreNotSent() async throws {
        let children = try (1...30).map { try child(.create, "local_c\($0)", of: "local_p") }
        let server = CompositeServer { line, _ in line.hasPrefix("POST Account") ? (400, "STRING_TOO_LONG") : nil }
        let result = try await push([try parent(.create, "local_p", children)], target(), server)
        #expect(result.sent.map(\.count) == [25])
        #expect(result.outcomes[0] == "failed STRING_TOO_LONG refused")
        #expect(result.outcomes[1...24].allSatisfy { $0 == "  failed PROCESSING_HALTED refused [retryable]" })
        #expect(
            result.outcomes[25...].allSatisfy {
                $0 == "  failed NOT_SENT not sent: its parent was not created [retryable]"
            })
    }

    @Test func goneParentsAndGoneRecordsAreToldApart() async throws {
        let server = CompositeServer { line, _ in
            if line.hasPrefix("PATCH Account") { return (404, "ENTITY_IS_DELETED") }
            return line.hasPrefix("POST Contact") ? (400, "ENTITY_IS_DELETED") : (404, "INVALID_CROSS_REFERENCE_KEY")
        }
        let children = [try child(.create, "local_c", of: "P"), try child(.update, "C", of: "P")]
        let result = try await push([try parent(.update, "P", children)], target(), server)
        #expect(
            result.outcomes == [
                "failed ENTITY_IS_DELETED refused [gone]", "  failed ENTITY_IS_DELETED refused [related gone]",
                "  failed INVALID_CROSS_REFERENCE_KEY refused [gone]",
            ])
    }

    @Test func externalIdsMakeUpserts() async throws {
        let target = try target(parentExternalId: "Ext__c", childExternalId: "Id")
        let family = try parent(
            .create, "local_p", [child(.create, "C9", of: "local_p"), child(.create, "local_c", of: "local_p")],
            extra: #","Ext__c":"a/b"}"#.dropLast().description)
        let result = try await push([family], target)
        #expect(
            result.sent == [
                [
                    #"PATCH Account/Ext__c/a%2Fb local_p {"Name":"N"}"#,
                    #"PATCH Contact/Id/C9 C9 {"LastName":"L","AccountId":"@{local_p.id}"}"#,
                    #"POST Contact local_c {"LastName":"L","AccountId":"@{local_p.id}"}"#,
                ]
            ])
        #expect(!target.isIdempotent(family))
        #expect(target.isIdempotent(family.children[0]))
        var whole = family
        whole.children.removeLast()
        #expect(target.isIdempotent(whole))
    }

    @Test func referenceIdsAreCleaned() async throws {
        let result = try await push(
            [try parent(.create, "local-p.1", [child(.create, "local-p 1", of: "local-p.1")])], target())
        #expect(
            result.sent == [
                [
                    #"POST Account local_p_1 {"Name":"N"}"#,
                    #"POST Contact local_p_1_2 {"LastName":"L","AccountId":"@{local_p_1.id}"}"#,
                ]
            ])
    }

    @Test func serverStatesOfParentsAndChildren() async throws {
        let transport = ScriptedTransport([
            .answer(
                to: #"POST /v/composite/sobjects/Account {"ids":["P","Q"],"fields":["LastModifiedDate"]}"#,
                #"[{"Id":"P","LastModifiedDate":"2024-01-15T12:00:00.000+0000"},null]"#),
            .answer(
                to: #"POST /v/composite/sobjects/Contact {"ids":["C"],"fields":["LastModifiedDate"]}"#,
                #"[{"Id":"C","LastModifiedDate":null}]"#),
        ])
        let changes = [
            try parent(.update, "P"), try child(.update, "C", of: "P"), try parent(.none, "Q"),
            try parent(.create, "local_1"),
        ]
        #expect(
            try await target().serverStates(of: changes, in: context(transport))
                == [.modified("2024-01-15T12:00:00.000+0000"), .unknown, .deleted, .unknown])
        #expect(transport.violations == [])
    }
}

@Suite struct ParentChildrenLookUpTests {
    @Test func lostCreationsAreFoundByTheirExternalIds() async throws {
        let transport = ScriptedTransport([
            .answer(
                to: "GET /v/query?q=select Id, Ext__c from Account where Ext__c in ('a', 'b')",
                #"{"totalSize":1,"done":true,"records":[{"Id":"P","Ext__c":"b"}]}"#),
            .answer(
                to: "GET /v/query?q=select Id, Key__c from Contact where Key__c in (7)",
                #"{"totalSize":1,"done":true,"records":[{"Id":"C","Key__c":7}]}"#),
        ])
        let target = try target(parentExternalId: "Ext__c", childExternalId: "Key__c")
        let parents = try ["a", "b"].map { try parent(.create, "local_\($0)", extra: #","Ext__c":"\#($0)""#) }
        let lost = try child(.create, "local_c", of: "P", extra: #","Key__c":7"#)
        let both = try await target.findCreated(parents, in: context(transport))
        #expect(both == [nil, "P"])
        #expect(try await target.findCreated([lost], in: context(transport)) == ["C"])
        #expect(transport.violations == [])
        let error = await #expect(throws: SoupError.self) {
            try await target.findCreated([try parent(.create, "local_x")], in: context(transport))
        }
        #expect(error?.code == .notSupported)
    }

    @Test func foundCreationsAreAskedForWithWhatACreationCouldSend() async throws {
        let transport = ScriptedTransport([
            .answer(
                to:
                    #"POST /v/composite/sobjects/Contact {"ids":["C"],"fields":["LastName","AccountId","LastModifiedDate"]}"#,
                #"[{"Id":"C"}]"#),
            .answer(
                to:
                    #"POST /v/composite/sobjects/Contact {"ids":["D"],"fields":["LastName","Code__c","AccountId","LastModifiedDate"]}"#,
                #"[{"Id":"D"}]"#),
        ])
        var found = try child(.create, "local_d", of: "P")
        found.serverId = "D"
        let records = try await ParentChildrenSyncUpTarget(
            configuration: .init(
                family: .accounts, createFieldlist: [], updateFieldlist: [],
                childrenCreateFieldlist: ["LastName", "Code__c"], childrenUpdateFieldlist: ["LastName"])
        ).serverRecords(of: [found, try child(.update, "C", of: "P")], in: context(transport))
        #expect(records.map { $0?.description } == [#"{"Id":"D"}"#, #"{"Id":"C"}"#])
        #expect(transport.violations == [])
    }

    @Test func recordsToMergeWithHaveWhatAPushCouldSend() async throws {
        let transport = ScriptedTransport([
            .answer(
                to:
                    #"POST /v/composite/sobjects/Account {"ids":["P"],"fields":["Name","Description","LastModifiedDate"]}"#,
                #"[{"Id":"P","Name":"theirs"}]"#),
            .answer(
                to:
                    #"POST /v/composite/sobjects/Contact {"ids":["C","D"],"fields":["LastName","AccountId","LastModifiedDate"]}"#,
                #"[null,{"Id":"D"}]"#),
        ])
        let changes = [
            try child(.update, "C", of: "P"), try parent(.update, "P"), try child(.update, "D", of: "P"),
        ]
        let records = try await target().serverRecords(of: changes, in: context(transport))
        #expect(records.map { $0?.description } == [nil, #"{"Id":"P","Name":"theirs"}"#, #"{"Id":"D"}"#])
        #expect(transport.violations == [])
    }
}

@Suite struct ParentChildrenUpConfigurationTests {
    @Test func publishedTargetIsTaken() throws {
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
        let made = registry.upTarget(TargetReference(try JSONValue(parsing: text)), problems: &problems)
        #expect(problems.map(\.description) == [])
        #expect(made is ParentChildrenSyncUpTarget)
        #expect(made?.layout?.parts.map(\.idField) == ["IdX", "IdY"])
    }

    @Test func keepsTheRulesOfTargets() async throws {
        let configuration = #"""
            {"parent":{"sobjectType":"Account","soupName":"accounts"},"createFieldlist":["Name"],"updateFieldlist":["Name"],
            "children":{"sobjectType":"Contact","sobjectTypePlural":"Contacts","soupName":"contacts",
            "parentIdFieldName":"AccountId"},"childrenCreateFieldlist":["LastName"],"childrenUpdateFieldlist":["LastName"]}
            """#
        func batch(_ kind: RecordChange.Kind, children: Int) throws -> [RecordChange] {
            try (1...3).map { number in
                let id = "\(kind == .create ? "local_" : "")p\(number)"
                var change = try parent(
                    kind, id, (0..<children).map { try child(.update, "c\(number)x\($0)", of: id) },
                    extra: #","Mark":\#(number)"#)
                change.entryId = Int64(number)
                return change
            }
        }
        try await SyncUpTargetSuite(
            ParentChildrenSyncUpTarget.self, configuration: configuration,
            badConfigurations: ["{}", #"{"parent":{}}"#],
            batches: [
                try batch(.create, children: 0), try batch(.create, children: 12), try batch(.update, children: 2),
                try batch(.delete, children: 0),
            ], withoutLookups: true,
            context: SyncContext(
                transport: ScriptedTransport([]), apiPath: "/v", clock: ManualClock(), soup: "accounts")
        ) { request, refused in
            if request.pathWithoutQuery.hasPrefix("/v/composite/sobjects/") {
                let ids = request.json?["ids"]?.arrayValue ?? []
                return HTTPAnswer("[\(ids.map { _ in "null" }.joined(separator: ","))]")
            }
            return CompositeServer { line, _ in
                refused.contains { change in
                    line.contains(" p\(change.entryId)") || line.contains(" local_p\(change.entryId) ")
                } ? (400, "STRING_TOO_LONG") : nil
            }.answer(request)
        }.check()
    }
}
