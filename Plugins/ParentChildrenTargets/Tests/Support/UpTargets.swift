// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ParentChildrenTargets
import SoupCore
import SoupTesting

/// Returns a target for accounts and their contacts.
func upTarget(
    _ relationship: RecordLayout.Relationship = .masterDetail, parentExternalId: String? = nil,
    childExternalId: String? = nil
) throws -> ParentChildrenSyncUpTarget {
    var tree = RecordTreeInfo.accounts
    tree.relationship = relationship
    tree.parent.externalIdFieldName = parentExternalId
    tree.children[0].info.externalIdFieldName = childExternalId
    return try ParentChildrenSyncUpTarget(
        configuration: .init(
            tree: tree, createFieldlist: ["Id", "Name", "Description"], updateFieldlist: ["Name", "Description"],
            childrenCreateFieldlist: ["LastName", "AccountId"], childrenUpdateFieldlist: ["LastName", "AccountId"]))
}

/// Returns the context of a sync up of accounts.
func upContext(_ transport: any HTTPTransport) -> SyncContext {
    SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "accounts")
}

/// Returns the subrequests of a push, and its outcomes.
func push(
    _ changes: [RecordChange], with target: ParentChildrenSyncUpTarget, server: CompositeServer = CompositeServer()
) async throws -> (sent: [[String]], outcomes: [String]) {
    let transport = ScriptedTransport { server.answer($0) }
    let outcomes = try await target.push(changes, in: upContext(transport))
    return (CompositeServer.lines(transport), outcomes.dump)
}
