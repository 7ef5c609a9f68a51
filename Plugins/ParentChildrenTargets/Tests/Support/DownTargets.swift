// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ParentChildrenTargets
import SoupCore
import SoupTesting

extension RecordTreeInfo {
    /// Parents and children without default names.
    static let unusual = RecordTreeInfo(
        parent: ParentInfo(
            sobjectType: "Parent", soupName: "parentsSoup", idFieldName: "ParentId",
            modificationDateFieldName: "ParentModifiedDate"),
        children: ChildrenInfo(
            ParentInfo(
                sobjectType: "Child", soupName: "childrenSoup", idFieldName: "ChildId",
                modificationDateFieldName: "ChildLastModifiedDate"),
            sobjectTypePlural: "Children", parentIdFieldName: "ChildParentId"))

    static let accounts = RecordTreeInfo(
        parent: ParentInfo(sobjectType: "Account", soupName: "accounts"),
        children: ChildrenInfo(
            ParentInfo(sobjectType: "Contact", soupName: "contacts"), sobjectTypePlural: "Contacts",
            parentIdFieldName: "AccountId"),
        relationship: .masterDetail)
}

/// Returns a target for parents and children without default names.
func unusualTarget(filter: String, changedChildrenOnly: Bool = false) throws -> ParentChildrenSyncDownTarget {
    try ParentChildrenSyncDownTarget(
        configuration: .init(
            tree: .unusual, parentFieldlist: ["ParentName", "Title"], childrenFieldlist: ["ChildName", "School"],
            parentSoqlFilter: filter, changedChildrenOnly: changedChildrenOnly))
}

/// Returns a target for accounts and their contacts.
func accountsTarget() throws -> ParentChildrenSyncDownTarget {
    try ParentChildrenSyncDownTarget(
        configuration: .init(tree: .accounts, parentFieldlist: ["Name"], childrenFieldlist: ["LastName"]))
}

/// Returns the context of a sync down from two marks.
func downContext(
    _ transport: any HTTPTransport, from mark: HighWaterMark? = nil, children: HighWaterMark? = nil
) -> SyncContext {
    var context = SyncContext(
        transport: transport, basePath: "/v", clock: ManualClock(), soup: "x", highWaterMark: mark)
    context.levelMarks = [children]
    return context
}
