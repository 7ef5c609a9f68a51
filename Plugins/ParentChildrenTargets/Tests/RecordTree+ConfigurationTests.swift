// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParentChildrenTargets
import SoupCore
import Testing

/// Record trees with several kinds of children and several levels, from JSON and in code.
@Suite struct RecordTreeConfigurationTests {
    private let registry: PluginRegistry

    init() throws { registry = try PluginRegistry([ParentChildrenTargetsModule()]) }

    private static func child(_ type: String, _ more: String = "") -> String {
        """
        {"sobjectType": "\(type)", "sobjectTypePlural": "\(type)s", "soupName": "\(type)", "parentIdFieldName": "Up"\(more)}
        """
    }

    private static func target(_ children: String, _ more: String = "") -> String {
        """
        {"type": "parent_children", "parent": {"sobjectType": "P", "soupName": "p"}, "parentFieldlist": ["N"],
         "createFieldlist": ["N"], "updateFieldlist": ["N"], "children": \(children)\(more)}
        """
    }

    private func problems(_ text: String, down: Bool) throws -> [String] {
        var problems: [ConfigurationProblem] = []
        let reference = TargetReference(try JSONValue(parsing: text))
        if down {
            _ = registry.downTarget(reference, problems: &problems)
        } else {
            _ = registry.upTarget(reference, problems: &problems)
        }
        // The object is for both directions. Each direction reports the keys of the other one as a warning.
        return problems.filter { $0.severity == .error }.map { "\($0.place.path ?? "-"): \($0.message)" }
    }

    @Test(arguments: [true, false]) func `Several kinds of children and levels are accepted`(down: Bool) throws {
        let list = #", "fieldlist": ["N"]"#
        let deep = Self.child("B", list + #", "relationshipType": "LOOKUP", "children": [\#(Self.child("C", list))]"#)
        let text = Self.target(
            "[\(Self.child("A", list)), \(deep)]", #", "relationshipType": "MASTER_DETAIL""#)
        #expect(try problems(text, down: down) == [])
        var none: [ConfigurationProblem] = []
        let reference = TargetReference(try JSONValue(parsing: text))
        let layout =
            down
            ? registry.downTarget(reference, problems: &none)?.layout
            : registry.upTarget(reference, problems: &none)?.layout
        #expect(layout?.levels.map(\.soup.rawValue) == ["p", "A", "B", "C"])
        #expect(layout?.levels.map(\.parentLevel) == [0, 0, 0, 2])
        #expect(
            layout.map { layout in layout.levels.indices.map { layout.relationship(of: $0).rawValue } }
                == ["MASTER_DETAIL", "MASTER_DETAIL", "LOOKUP", "MASTER_DETAIL"])
    }

    @Test func `Problems are reported with their places`() throws {
        let list = #", "fieldlist": ["N"]"#
        func nested(_ levels: Int) -> String {
            (1...levels).reversed().reduce("") { inner, level in
                Self.child("L\(level)", list + (inner.isEmpty ? "" : #", "children": \#(inner)"#))
            }
        }
        let twice = Self.target(
            "[\(Self.child("A", list)), \(Self.child("B", list + #", "children": \#(Self.child("A", list))"#))]")
        for down in [true, false] {
            #expect(
                try problems(twice, down: down).first?.hasPrefix("children[1].children.soupName: two levels") == true)
            #expect(try problems(Self.target(nested(4)), down: down) == [])
            #expect(
                try problems(Self.target(nested(5)), down: down).first?
                    .hasPrefix("children.children.children.children.children: a record tree is at most 5 levels")
                    == true)
            #expect(
                try problems(Self.target("[]"), down: down).first?.hasPrefix("children: a record tree needs") == true)
        }
        let lists = Self.target(
            "[\(Self.child("A", list)), \(Self.child("B", list))]",
            #", "childrenFieldlist": ["N"], "childrenCreateFieldlist": ["N"]"#)
        #expect(
            try problems(lists, down: true).first?.hasPrefix("childrenFieldlist: childrenFieldlist is ambiguous")
                == true)
        #expect(
            try problems(lists, down: false).first?.hasPrefix("childrenCreateFieldlist: childrenCreateField") == true)
        let without = Self.target("[\(Self.child("A", list)), \(Self.child("B"))]")
        #expect(
            try problems(without, down: true).first?.hasPrefix(
                "children[1].fieldlist: there is no list of the fields to fetch") == true)
        #expect(
            try problems(without, down: false).first?.hasPrefix(
                "children[1].createFieldlist: there is no list of the fields to send") == true)
    }

    /// A configuration in code equals the configuration that is decoded from its target object.
    @Test func `Targets can be created in code`() throws {
        let children = [
            ChildrenInfo(
                ParentInfo(sobjectType: "Contact", soupName: "contacts", externalIdFieldName: "Key__c"),
                sobjectTypePlural: "Contacts", parentIdFieldName: "AccountId", fieldlist: ["LastName"],
                createFieldlist: ["LastName", "Key__c"], updateFieldlist: [], relationship: .lookup,
                isReparentable: false,
                children: [
                    ChildrenInfo(
                        ParentInfo(sobjectType: "Task", soupName: "tasks"), sobjectTypePlural: "Tasks",
                        parentIdFieldName: "WhoId", fieldlist: ["Subject"])
                ]),
            ChildrenInfo(
                ParentInfo(sobjectType: "Case", soupName: "cases", idFieldName: "CaseId"), sobjectTypePlural: "Cases",
                parentIdFieldName: "AccountId", fieldlist: []),
        ]
        let tree = RecordTreeInfo(
            parent: ParentInfo(sobjectType: "Account", soupName: "accounts"), children: children,
            relationship: .masterDetail)
        let down = ParentChildrenSyncDownTarget.Configuration(
            tree: tree, parentFieldlist: ["Name"], parentSoqlFilter: "Name != null", maxBatchSize: 500,
            changedChildrenOnly: true, childrenOfUnchangedParents: false)
        #expect(try decoded(down.target) == down)
        let up = ParentChildrenSyncUpTarget.Configuration(
            tree: tree, createFieldlist: ["Name"], updateFieldlist: ["Name"], allOrNone: true)
        #expect(try decoded(up.target) == up)
        var problems: [ConfigurationProblem] = []
        #expect(registry.downTarget(down.target, problems: &problems) != nil)
        #expect(registry.upTarget(up.target, problems: &problems) != nil)
        #expect(problems.map(\.description) == [])
    }

    private func decoded<T: Decodable>(_ target: TargetReference) throws -> T {
        try JSONDecoder().decode(T.self, from: Data(target.json.description.utf8))
    }

    /// A target reads the keys of the developer guide, and needs one of the two keys for each list.
    @Test func `The developer guide's keys for the lists are read`() throws {
        func up(_ lists: String) throws -> ParentChildrenSyncUpTarget.Configuration {
            let children = Self.child("A", #", "fieldlist": ["N"]"#)
            let text =
                #"{"type": "parent_children", "parent": {"sobjectType": "P", "soupName": "p"}, "children": \#(children)"#
            return try decoded(TargetReference(try JSONValue(parsing: text + lists + "}")))
        }
        let both = try up(#", "parentCreateFieldlist": ["A", "B"], "parentUpdateFieldlist": ["B"]"#)
        #expect([both.createFieldlist, both.updateFieldlist] == [["A", "B"], ["B"]])
        let mixed = try up(#", "createFieldlist": ["A"], "parentCreateFieldlist": ["A"], "parentUpdateFieldlist": []"#)
        #expect([mixed.createFieldlist, mixed.updateFieldlist] == [["A"], []])
        #expect(try up("").createFieldlist == nil)
        let different = Self.target(
            Self.child("A", #", "fieldlist": ["N"]"#), #", "parentUpdateFieldlist": ["N", "M"]"#)
        #expect(
            try problems(different, down: false) == [
                "parentUpdateFieldlist: parentUpdateFieldlist and updateFieldlist contain different fields"
            ])
    }

    @Test(arguments: ["__local__", "LastModifiedDate"])
    func `A field that is set otherwise cannot contain client keys`(name: String) throws {
        let text = Self.target(Self.child("A", #", "clientKeyFieldName": "\#(name)""#))
        #expect(try problems(text, down: false).first?.hasPrefix("children.clientKeyFieldName: ") == true)
    }

    /// A problem with a list has the place of the key that the configuration uses.
    @Test func `A problem of a list has the place of the key in use`() throws {
        let text =
            #"{"type": "parent_children", "parent": {"sobjectType": "P", "soupName": "p"}, "children": "#
            + Self.child("A", #", "fieldlist": ["N"]"#) + #", "parentCreateFieldlist": [], "updateFieldlist": ["N"]}"#
        var none: [ConfigurationProblem] = []
        let target = registry.upTarget(TargetReference(try JSONValue(parsing: text)), problems: &none)
        #expect(none == [])
        #expect(target?.problems(with: SyncOptions()).map { $0.place.path } == ["parentCreateFieldlist"])
        let sent = target?.pushedFields(level: 0, with: SyncOptions()).map { "\($0)" }.joined() ?? ""
        #expect(sent.contains("parentCreateFieldlist") || sent.isEmpty)
    }
}
