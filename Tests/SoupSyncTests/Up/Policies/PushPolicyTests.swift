// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The decisions of the merge modes, as tables; ``PolicyRow`` explains the words.
@Suite struct PushPolicyTests {
    private static let layout = RecordLayout(levels: [
        RecordLayout.Level(soup: "s"), RecordLayout.Level(soup: "s", parentIdField: "Parent__c"),
    ])

    @Test(arguments: [
        PolicyRow("create ?", gives: "push"),
        PolicyRow("update ?", gives: "push"),
        PolicyRow("delete ?", gives: "push"),
        PolicyRow("unchanged ?", "- update ?", gives: "push"),
    ])
    func `OVERWRITE asks nothing`(_ row: PolicyRow) {
        #expect(row.decision(of: OverwritePolicy()) == row.decision)
    }

    @Test(arguments: [
        // A record that is to be recreated is looked up first, in every mode.
        PolicyRow("create ? onceSynced", gives: "ask for states: a"),
        PolicyRow("create silent onceSynced", gives: "hold SILENT"),
        PolicyRow("create ? onceSynced verified", gives: "push"),
        PolicyRow("create deleted onceSynced", gives: "push"),
        PolicyRow("create unknown onceSynced", gives: "push"),
        PolicyRow("create newer onceSynced", gives: "update: a"),
        PolicyRow("create newer onceSynced equal", gives: "keep on server: a"),
        // So are the updated records that would get its new ID.
        PolicyRow("create deleted onceSynced", "- update ?", gives: "ask for states: a b"),
        PolicyRow("create deleted onceSynced", "- update same", gives: "push"),
        PolicyRow("create deleted onceSynced", "- update deleted equal", gives: "recreate: b"),
        PolicyRow("create deleted onceSynced", "- update newer equal", gives: "keep on server: b"),
        PolicyRow("create deleted onceSynced", "- update newer", gives: "push"),
        // A new parent says nothing about its children.
        PolicyRow("create ?", "- update ?", gives: "push"),
    ])
    func `Records are checked before they are recreated`(_ row: PolicyRow) {
        #expect(row.decision(of: OverwritePolicy()) == row.decision)
    }

    /// The server itself compares the versions of conditional changes; one that it refused is decided by its version.
    @Test(arguments: [
        PolicyRow("update ? conditional", gives: "push"),
        PolicyRow("delete ? conditional", gives: "push"),
        PolicyRow("update ? conditional", "- update ?", gives: "ask for states: b"),
        PolicyRow("update ? refused versioned", gives: "ask for states: a"),
        PolicyRow("update same refused versioned", gives: "ask for records: a"),
        PolicyRow("update unknown refused versioned", gives: "ask for records: a"),
        PolicyRow("update unknown refused versioned unfetchable", gives: "hold NEWER_ON_SERVER"),
        PolicyRow("update deleted refused versioned", gives: "hold DELETED_ON_SERVER"),
        // Only a date can prove that the refusal was about another date; no date proves nothing.
        PolicyRow("update same refused", gives: "push"),
        PolicyRow("update unknown refused", gives: "ask for records: a"),
        PolicyRow("update unknown refused unfetchable", gives: "hold NEWER_ON_SERVER"),
        PolicyRow("delete deleted refused versioned", gives: "finish deletion: a"),
    ])
    func `Conditional changes are sent without a question`(_ row: PolicyRow) {
        #expect(row.decision(of: LeaveIfChangedPolicy(layout: Self.layout)) == row.decision)
        guard row.decision != "hold DELETED_ON_SERVER" else { return }
        #expect(row.decision(of: MergePolicy()) == row.decision)
    }

    /// A target that cannot report states leaves them unknown.
    @Test(arguments: [
        PolicyRow("create unknown onceSynced", gives: "push"),
        PolicyRow("create unknown onceSynced equal", gives: "push"),
        PolicyRow("create unknown onceSynced", "- update unknown", gives: "push"),
        PolicyRow("create unknown onceSynced", "- update unknown equal", gives: "push"),
    ])
    func `A target without states creates records again unchecked`(_ row: PolicyRow) {
        #expect(row.decision(of: OverwritePolicy()) == row.decision)
    }

    @Test(arguments: [
        PolicyRow("create ?", gives: "push"),
        PolicyRow("update ?", gives: "ask for states: a"),
        PolicyRow("update silent", gives: "hold SILENT"),
        PolicyRow("update unknown", gives: "push"),
        PolicyRow("update older", gives: "push"),
        PolicyRow("update same", gives: "push"),
        PolicyRow("update newer", gives: "ask for records: a"),
        PolicyRow("update newer has=Remote", gives: "hold NEWER_ON_SERVER"),
        PolicyRow("update newer has=Local", gives: "mark clean: a"),
        PolicyRow("update newer missing", gives: "hold NEWER_ON_SERVER"),
        PolicyRow("update newer unfetchable", gives: "hold NEWER_ON_SERVER"),
        PolicyRow("update deleted", gives: "hold DELETED_ON_SERVER"),
        PolicyRow("delete same", gives: "push"),
        PolicyRow("delete newer has=Remote", gives: "hold NEWER_ON_SERVER"),
        PolicyRow("delete deleted", gives: "finish deletion: a"),
        // A tree is pushed as a whole or not at all.
        PolicyRow("update same", "- unchanged ?", gives: "ask for states: a b"),
        PolicyRow("update same", "- unchanged newer", gives: "hold NEWER_ON_SERVER"),
        PolicyRow("update same decided", "- unchanged newer", gives: "push"),
        PolicyRow("update same", "- unchanged deleted", gives: "hold NEWER_ON_SERVER"),
        PolicyRow("update same", "- delete deleted", gives: "push"),
        PolicyRow("unchanged same", "- delete deleted", gives: "finish deletion: b"),
        PolicyRow("unchanged deleted", "- update same", gives: "hold PARENT_DELETED_ON_SERVER"),
        PolicyRow("unchanged deleted", "- update same decided", gives: "hold PARENT_DELETED_ON_SERVER"),
        PolicyRow("unchanged deleted", "- delete same", gives: "push"),
        PolicyRow("unchanged newer", "- update same", gives: "hold NEWER_ON_SERVER"),
        PolicyRow("create ?", "- unchanged ?", gives: "push"),
    ])
    func `LEAVE_IF_CHANGED pushes only what the server has not changed`(_ row: PolicyRow) {
        #expect(row.decision(of: LeaveIfChangedPolicy(layout: Self.layout)) == row.decision)
    }

    @Test(arguments: [
        PolicyRow("create ?", gives: "push"),
        PolicyRow("update ?", gives: "ask for states: a"),
        PolicyRow("update silent", gives: "hold SILENT"),
        PolicyRow("update same", gives: "push"),
        PolicyRow("update same inConflict", gives: "hold CONFLICT"),
        PolicyRow("update newer", gives: "ask for records: a"),
        PolicyRow("update newer has=Remote", gives: #"merge: a with {"Name":"Remote"}"#),
        PolicyRow("update newer missing", gives: "merge: a with a deletion"),
        PolicyRow("update newer unfetchable", gives: "hold NEWER_ON_SERVER"),
        PolicyRow("update newer has=Remote merged", gives: "hold NEWER_ON_SERVER"),
        PolicyRow("update deleted", gives: "merge: a with a deletion"),
        PolicyRow("delete deleted", gives: "finish deletion: a"),
        PolicyRow("unchanged newer", "- update same", gives: "push"),
        PolicyRow("unchanged deleted", "- update same", gives: "hold PARENT_DELETED_ON_SERVER"),
        PolicyRow("unchanged deleted", "- create ?", gives: "merge: b with a deletion"),
        PolicyRow("unchanged deleted", "- create ? merged", gives: "push"),
        PolicyRow("unchanged deleted", "- delete same", gives: "push"),
        PolicyRow("delete deleted", "- update same", gives: "push"),
    ])
    func `MERGE merges what both sides have changed`(_ row: PolicyRow) {
        #expect(row.decision(of: MergePolicy()) == row.decision)
    }

    @Test(arguments: MergeMode.allCases)
    func `The properties of a policy fit together`(mode: MergeMode) {
        let policy = mode.policy(for: Self.layout)
        #expect(policy.detectsConflicts == mode.detectsConflicts)
        #expect(policy.readsUnchangedChildren == mode.comparesUnchangedRecords)
        #expect(!policy.readsBases || mode.requiresSyncedCopies, "the store must keep the bases that are read")
        #expect(!policy.treatsDeletionsAsConflicts || policy.detectsConflicts, "a deletion is found by comparing")
        #expect(!policy.readsUnchangedChildren || policy.detectsConflicts, "unchanged children are only compared")
    }
}
