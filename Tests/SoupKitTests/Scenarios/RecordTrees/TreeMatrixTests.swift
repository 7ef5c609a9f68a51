// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Every combination of local changes and changes in the org, in a tree of a parent P with the children C and O.
///
/// The tree is pushed with LEAVE_IF_CHANGED first, then with OVERWRITE.
@Suite struct TreeMatrixTests {
    /// The change of a record.
    enum Change: String, Sendable { case none, update, delete }

    /// One row of the matrix.
    struct Row: Sendable, CustomTestStringConvertible {
        var id: String
        /// The changes of P locally and in the org, then of C locally and in the org.
        var changes: [Change]
        /// Whether LEAVE_IF_CHANGED skips the tree.
        var isBlocked: Bool
        var hasChildren = true
        /// The expected lines of both sides at the end.
        var end: [String]

        init(_ id: String, _ changes: [Change], blocked: Bool = false, children: Bool = true, end: String...) {
            self.id = id
            self.changes = changes
            isBlocked = blocked
            hasChildren = children
            self.end = end
        }

        var testDescription: String { "\(id) \(changes.map(\.rawValue).joined(separator: "/"))" }
    }

    static let syncs = """
        [{"syncName": "down", "syncType": "syncDown", "soupName": "accounts", "options": {"mergeMode": "OVERWRITE"},
          "target": {"type": "parent_children", \(relationships), "parentFieldlist": ["Name"],
            "childrenFieldlist": ["LastName", "AccountId"], "parentSoqlFilter": ""}},
         {"syncName": "upLeave", "syncType": "syncUp", "soupName": "accounts",
          "options": {"mergeMode": "LEAVE_IF_CHANGED"}, "target": \(up)},
         {"syncName": "upOverwrite", "syncType": "syncUp", "soupName": "accounts",
          "options": {"mergeMode": "OVERWRITE"}, "target": \(up)}]
        """
    private static let up = """
        {"iOSImpl": "SFParentChildrenSyncUpTarget", \(relationships), "createFieldlist": ["Name"],
         "updateFieldlist": ["Name"], "childrenCreateFieldlist": ["LastName"], "childrenUpdateFieldlist": ["LastName"]}
        """
    private static let relationships = """
        "parent": {"sobjectType": "Account", "soupName": "accounts"}, "relationshipType": "MASTER_DETAIL",
        "children": {"sobjectType": "Contact", "sobjectTypePlural": "Contacts", "soupName": "contacts",
          "parentIdFieldName": "AccountId"}
        """

    static let rows: [Row] = childRows + parentRows + bothRows + deletedRows + childless

    private static let other = "Contact O O under P"
    private static let mineC = "Contact C mine under P"
    private static let newC = "Contact * mine under P"
    private static let mineP = "Account P mine"

    private static let childRows = [
        Row("PC01", [.none, .none, .update, .none], end: "Account P P", mineC, other),
        Row("PC02", [.none, .none, .update, .update], blocked: true, end: "Account P P", mineC, other),
        Row("PC03", [.none, .none, .update, .delete], blocked: true, end: "Account P P", newC, other),
        Row("PC04", [.none, .none, .delete, .none], end: "Account P P", other),
        Row("PC05", [.none, .none, .delete, .update], blocked: true, end: "Account P P", other),
        Row("PC06", [.none, .none, .delete, .delete], end: "Account P P", other),
    ]
    private static let parentRows = [
        Row("PC07", [.update, .none, .none, .none], end: mineP, "Contact C C under P", other),
        Row("PC08", [.update, .update, .none, .none], blocked: true, end: mineP, "Contact C C under P", other),
        Row(
            "PC09", [.update, .delete, .none, .none], blocked: true, end: "Account * mine", "Contact * C under *",
            "Contact * O under *"),
    ]
    private static let bothRows = [
        Row("PC10", [.update, .none, .update, .none], end: mineP, mineC, other),
        Row("PC11", [.update, .none, .update, .update], blocked: true, end: mineP, mineC, other),
        Row("PC12", [.update, .none, .update, .delete], blocked: true, end: mineP, newC, other),
        Row("PC13", [.update, .update, .update, .none], blocked: true, end: mineP, mineC, other),
        Row("PC14", [.update, .update, .update, .update], blocked: true, end: mineP, mineC, other),
        Row("PC15", [.update, .update, .update, .delete], blocked: true, end: mineP, newC, other),
        Row(
            "PC16", [.update, .delete, .update, .none], blocked: true, end: "Account * mine", "Contact * O under *",
            "Contact * mine under *"),
        Row("PC17", [.update, .none, .delete, .none], end: mineP, other),
        Row("PC18", [.update, .none, .delete, .update], blocked: true, end: mineP, other),
        Row("PC19", [.update, .none, .delete, .delete], end: mineP, other),
        Row("PC20", [.update, .update, .delete, .none], blocked: true, end: mineP, other),
        Row("PC21", [.update, .update, .delete, .update], blocked: true, end: mineP, other),
        Row("PC22", [.update, .update, .delete, .delete], blocked: true, end: mineP, other),
        Row("PC23", [.update, .delete, .delete, .none], blocked: true, end: "Account * mine", "Contact * O under *"),
    ]
    private static let deletedRows = [
        Row("PC24", [.delete, .none, .none, .none]), Row("PC25", [.delete, .update, .none, .none], blocked: true),
        Row("PC26", [.delete, .delete, .none, .none]), Row("PC27", [.delete, .none, .update, .none]),
        Row("PC28", [.delete, .update, .update, .none], blocked: true),
        Row("PC29", [.delete, .delete, .update, .none]), Row("PC30", [.delete, .none, .delete, .none]),
        Row("PC31", [.delete, .update, .delete, .none], blocked: true),
        Row("PC32", [.delete, .delete, .delete, .none]),
    ]
    private static let childless = [
        Row("PC33", [.update, .none, .none, .none], children: false, end: mineP),
        Row("PC34", [.update, .update, .none, .none], blocked: true, children: false, end: mineP),
        Row("PC35", [.update, .delete, .none, .none], blocked: true, children: false, end: "Account * mine"),
        Row("PC36", [.delete, .none, .none, .none], children: false),
        Row("PC37", [.delete, .update, .none, .none], blocked: true, children: false),
        Row("PC38", [.delete, .delete, .none, .none], children: false),
    ]

    @Test func `The matrix has all rows`() {
        #expect(Self.rows.map(\.id) == (1...38).map { "PC" + ($0 < 10 ? "0" : "") + "\($0)" })
    }

    @Test(arguments: rows) func `Both sides are equal after both pushes`(row: Row) async throws {
        var world = try await TreeWorld(syncs: Self.syncs)
        try world.add("P", TreeWorld.accounts)
        if row.hasChildren {
            for name in ["C", "O"] { try world.add(name, TreeWorld.contacts, under: "P") }
        }
        try await world.run("down")
        world.clock.advance(by: .seconds(10))
        for (change, name, kind) in [(1, "P", TreeWorld.accounts), (3, "C", TreeWorld.contacts)] {
            try apply(row.changes[change], to: name, kind, in: world)
        }
        for (change, name, kind) in [(0, "P", TreeWorld.accounts), (2, "C", TreeWorld.contacts)] {
            switch row.changes[change] {
            case .none: break
            case .update: try await world.edit(name, kind)
            case .delete: try await world.delete(name, kind)
            }
        }

        let before = (
            org: try world.org.state(of: "Account") + world.org.state(of: "Contact"), try await world.contents()
        )
        let first = try await world.run("upLeave")
        #expect(first.state.totalSize == 1)
        if row.isBlocked {
            #expect(try world.org.state(of: "Account") + world.org.state(of: "Contact") == before.org)
            #expect(try await world.contents() == before.1)
            // The details of a master that will be deleted have no outcomes.
            let pushed = row.changes[0] == .delete ? [row.changes[0]] : [row.changes[0], row.changes[2]]
            #expect(first.skipped == pushed.count { $0 != .none })
        } else {
            try await expectEnd(row, world)
        }
        let second = try await world.run("upOverwrite")
        #expect(second.state.totalSize == (row.isBlocked ? 1 : 0))
        try await expectEnd(row, world)
        // A further sync down changes nothing.
        try await world.run("down")
        try await expectEnd(row, world)
    }

    /// Applies a change to a record in the org.
    private func apply(
        _ change: Change, to name: String, _ kind: TreeWorld.Kind, in world: TreeWorld
    ) throws {
        switch change {
        case .none: break
        case .update: try world.org.edit(kind.object, id: world.id(name), [kind.name: "theirs"])
        case .delete: try world.org.delete(kind.object, id: world.id(name))
        }
    }

    /// Checks that both sides have the expected lines and no local changes.
    private func expectEnd(_ row: Row, _ world: TreeWorld) async throws {
        #expect(try world.orgLines() == row.end.sorted())
        #expect(try await world.storeLines() == row.end.sorted())
        #expect(try await world.dirtyLines() == [])
    }
}
