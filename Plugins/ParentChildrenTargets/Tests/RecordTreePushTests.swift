// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ParentChildrenTargets
import SoupCore
import SoupTesting
import Testing

private let now = "@2024-01-15T12:00:00.999+0000"

@Suite struct RecordTreePushTests {
    @Test func `A new record tree is sent in one request`() async throws {
        let children = try (1...2).map { try child(.create, "local_c\($0)", of: "local_p") }
        let result = try await push([try parent(.create, "local_p", children: children)], with: upTarget())
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
                "ok 001000000localp \(now)", "  ok 00100000localc1 \(now)", "  ok 00100000localc2 \(now)",
            ])
    }

    @Test func `An unchanged parent is skipped, its children are sent`() async throws {
        let children = [
            try child(.create, "local_c", of: "00100000000000P"),
            try child(.update, "00100000000000C", of: "00100000000000P"),
            try child(.delete, "00100000000000D", of: "00100000000000P"),
        ]
        let result = try await push([try parent(.none, "00100000000000P", children: children)], with: upTarget())
        #expect(
            result.sent == [
                [
                    #"POST Contact local_c {"LastName":"L","AccountId":"00100000000000P"}"#,
                    #"PATCH Contact/00100000000000C 00100000000000C {"LastName":"L","AccountId":"00100000000000P"}"#,
                    "DELETE Contact/00100000000000D 00100000000000D",
                ]
            ])
        #expect(
            result.outcomes == [
                "skipped", "  ok 001000000localc \(now)", "  ok 00100000000000CAAQ \(now)", "  ok 00100000000000DAAQ",
            ])
    }

    @Test func `An unchanged child is updated with a new parent's ID`() async throws {
        let result = try await push(
            [try parent(.create, "local_p", children: [child(.none, "00100000000000C", of: "local_p")])],
            with: upTarget()
        )
        #expect(
            result.sent == [
                [
                    #"POST Account local_p {"Name":"N"}"#,
                    #"PATCH Contact/00100000000000C 00100000000000C {"LastName":"L","AccountId":"@{local_p.id}"}"#,
                ]
            ])
        #expect(result.outcomes == ["ok 001000000localp \(now)", "  ok 00100000000000CAAQ \(now)"])
    }

    /// Under MERGE only changes are sent, and the parent may be the only change of a child.
    @Test(arguments: [
        (
            #"{"Id":"00100000000000C","LastName":"L","AccountId":"old"}"#, true,
            [#"PATCH Contact/00100000000000C 00100000000000C {"AccountId":"00100000000000P"}"#]
        ),
        (
            #"{"Id":"00100000000000C","LastName":"before","AccountId":"00100000000000P"}"#, true,
            [#"PATCH Contact/00100000000000C 00100000000000C {"LastName":"L"}"#]
        ),
        (
            #"{"Id":"00100000000000C","LastName":"before","AccountId":"old"}"#, true,
            [#"PATCH Contact/00100000000000C 00100000000000C {"LastName":"L","AccountId":"00100000000000P"}"#]
        ),
        (#"{"Id":"00100000000000C","LastName":"L","AccountId":"00100000000000P"}"#, true, []),
        (#"{"Id":"00100000000000C","LastName":"L","AccountId":"old"}"#, false, []),
    ])
    func `A moved child is moved under MERGE`(_ base: String, _ isReparentable: Bool, _ sent: [String])
        async throws
    {
        var tree = RecordTreeInfo.accounts
        tree.children[0].isReparentable = isReparentable
        let target = try ParentChildrenSyncUpTarget(
            configuration: .init(
                tree: tree, createFieldlist: ["Name"], updateFieldlist: ["Name"],
                childrenCreateFieldlist: ["LastName"], childrenUpdateFieldlist: ["LastName"]))
        var moved = try child(.update, "00100000000000C", of: "00100000000000P")
        moved.base = try JSONText(base)
        let result = try await push([try parent(.none, "00100000000000P", children: [moved])], with: target)
        #expect(result.sent.flatMap { $0 } == sent)
        #expect(result.outcomes == ["skipped", sent.isEmpty ? "  ok" : "  ok 00100000000000CAAQ \(now)"])
    }

    /// Servers refuse the parent's ID in updates of master-detail children, even the current one.
    @Test(arguments: [
        (RecordLayout.Relationship.masterDetail, Bool?.none, Bool?.some(false), false),
        (.masterDetail, nil, true, true),
        (.masterDetail, nil, nil, true), (.masterDetail, true, false, true), (.masterDetail, false, true, false),
        (.lookup, nil, false, true), (.lookup, false, true, false),
    ])
    func `An update sends the parent's ID if the server allows it`(
        _ relationship: RecordLayout.Relationship, _ isReparentable: Bool?, _ isMoved: Bool?, _ isSent: Bool
    ) async throws {
        var tree = RecordTreeInfo.accounts
        tree.relationship = relationship
        tree.children[0].isReparentable = isReparentable
        for list in [["LastName"], ["LastName", "AccountId"]] {
            let target = try ParentChildrenSyncUpTarget(
                configuration: .init(
                    tree: tree, createFieldlist: ["Name"], updateFieldlist: ["Name"],
                    childrenCreateFieldlist: list, childrenUpdateFieldlist: list))
            var update = try child(.update, "00100000000000C", of: "00100000000000P")
            update.isMoved = isMoved
            let result = try await push([try parent(.none, "00100000000000P", children: [update])], with: target)
            let body = isSent ? #"{"LastName":"L","AccountId":"00100000000000P"}"# : #"{"LastName":"L"}"#
            #expect(result.sent == [["PATCH Contact/00100000000000C 00100000000000C \(body)"]])
        }
    }

    @Test func `A lookup parent is deleted after its children`() async throws {
        let children = [
            try child(.update, "00100000000000C", of: "00100000000000P"),
            try child(.none, "00100000000000E", of: "00100000000000P"),
        ]
        let result = try await push(
            [try parent(.delete, "00100000000000P", children: children)], with: upTarget(.lookup))
        #expect(
            result.sent == [
                [
                    #"PATCH Contact/00100000000000C 00100000000000C {"LastName":"L","AccountId":"00100000000000P"}"#,
                    "DELETE Account/00100000000000P 00100000000000P",
                ]
            ])
        #expect(result.outcomes == ["ok 00100000000000PAAQ", "  ok 00100000000000CAAQ \(now)", "  skipped"])
    }

    @Test func `The server deletes master-detail children`() async throws {
        let children = [
            try child(.update, "00100000000000C", of: "00100000000000P"),
            try child(.delete, "00100000000000D", of: "00100000000000P"),
        ]
        let result = try await push([try parent(.delete, "00100000000000P", children: children)], with: upTarget())
        #expect(result.sent == [["DELETE Account/00100000000000P 00100000000000P"]])
        #expect(result.outcomes == ["ok 00100000000000PAAQ", "  ok", "  ok"])
        let refusing = CompositeServer { _, _ in (400, "DELETE_FAILED") }
        let refused = try await push(
            [try parent(.delete, "00100000000000P", children: children)], with: upTarget(), server: refusing)
        #expect(refused.outcomes == ["failed DELETE_FAILED refused", "  skipped", "  skipped"])
    }

    @Test func `Several trees share a request`() async throws {
        let trees = try (1...10).map { tree in
            try parent(
                .update, rowId("P\(tree)"),
                children: (1...2).map { try child(.update, rowId("C\(tree)\($0)"), of: rowId("P\(tree)")) })
        }
        let result = try await push(trees, with: upTarget())
        #expect(result.sent.map(\.count) == [24, 6])
        #expect(result.sent[1].first?.hasPrefix("PATCH Account/0010000000000P9") == true)
        #expect(result.outcomes.count == 30)
    }

    @Test func `A tree larger than a request is split`() async throws {
        let children = try (1...60).map { try child(.create, "local_c\($0)", of: "local_p") }
        let result = try await push([try parent(.create, "local_p", children: children)], with: upTarget())
        #expect(result.sent.map(\.count) == [25, 25, 11])
        #expect(result.sent[0][1] == #"POST Contact local_c1 {"LastName":"L","AccountId":"@{local_p.id}"}"#)
        #expect(result.sent[1][0] == #"POST Contact local_c25 {"LastName":"L","AccountId":"001000000localp"}"#)
        #expect(result.outcomes.count { $0.contains("ok 0010000") } == 61)
    }

    @Test func `Children of a parent that was not created are not sent`() async throws {
        let children = try (1...30).map { try child(.create, "local_c\($0)", of: "local_p") }
        let server = CompositeServer { line, _ in line.hasPrefix("POST Account") ? (400, "STRING_TOO_LONG") : nil }
        let result = try await push(
            [try parent(.create, "local_p", children: children)], with: upTarget(), server: server)
        #expect(result.sent.map(\.count) == [25])
        #expect(result.outcomes[0] == "failed STRING_TOO_LONG refused")
        #expect(result.outcomes[1...24].allSatisfy { $0 == "  failed PROCESSING_HALTED refused [retryable]" })
        #expect(
            result.outcomes[25...].allSatisfy {
                $0 == "  failed NOT_SENT not sent: its parent was not created [retryable]"
            })
    }

    @Test func `Deleted parents and deleted records are distinguished`() async throws {
        let server = CompositeServer { line, _ in
            if line.hasPrefix("PATCH Account") { return (404, "ENTITY_IS_DELETED") }
            return line.hasPrefix("POST Contact") ? (400, "ENTITY_IS_DELETED") : (404, "INVALID_CROSS_REFERENCE_KEY")
        }
        let children = [
            try child(.create, "local_c", of: "00100000000000P"),
            try child(.update, "00100000000000C", of: "00100000000000P"),
        ]
        let result = try await push(
            [try parent(.update, "00100000000000P", children: children)], with: upTarget(), server: server)
        #expect(
            result.outcomes == [
                "failed ENTITY_IS_DELETED refused [gone]", "  failed ENTITY_IS_DELETED refused [related gone]",
                "  failed INVALID_CROSS_REFERENCE_KEY refused [gone]",
            ])
    }

    @Test func `Creations with an external ID are sent as upserts`() async throws {
        let target = try upTarget(parentExternalId: "Ext__c", childExternalId: "Id")
        let root = try parent(
            .create, "local_p",
            children: [child(.create, "0010000000000C9", of: "local_p"), child(.create, "local_c", of: "local_p")],
            extra: #","Ext__c":"a/b"}"#.dropLast().description)
        let result = try await push([root], with: target)
        #expect(
            result.sent == [
                [
                    #"PATCH Account/Ext__c/a%2Fb local_p {"Name":"N"}"#,
                    #"PATCH Contact/Id/0010000000000C9 0010000000000C9 {"LastName":"L","AccountId":"@{local_p.id}"}"#,
                    #"POST Contact local_c {"LastName":"L","AccountId":"@{local_p.id}"}"#,
                ]
            ])
        #expect(!target.isIdempotent(root))
        #expect(target.isIdempotent(root.children[0]))
        var whole = root
        whole.children.removeLast()
        #expect(target.isIdempotent(whole))
    }

    @Test func `Reference IDs are well formed`() async throws {
        let result = try await push(
            [try parent(.create, "local-p.1", children: [child(.create, "local-p 1", of: "local-p.1")])],
            with: upTarget()
        )
        #expect(
            result.sent == [
                [
                    #"POST Account local_p_1 {"Name":"N"}"#,
                    #"POST Contact local_p_1_2 {"LastName":"L","AccountId":"@{local_p_1.id}"}"#,
                ]
            ])
    }
}
