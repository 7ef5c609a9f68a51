// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// Warnings about fields that a sync pushes and no sync fetches, and about trees with different parent fields.
@Suite struct PushedFieldCheckTests {
    private func warnings(_ syncs: String...) throws -> [String] {
        let text = "{\"syncs\": [\(syncs.joined(separator: ","))]}"
        let (_, problems) = SyncsConfig.read(
            Array(text.utf8), file: "f", registry: try TestTargets.registry(), soups: .unknown)
        #expect(problems.allSatisfy { $0.severity == .warning }, "\(problems)")
        return problems.map { "\($0.place.line ?? 0) \($0.place.path ?? ""): \($0.message). \($0.hint ?? "")" }
    }

    private func down(_ fields: String = #""FirstName", "LastName", "Account.Name""#, soup: String = "contacts")
        -> String
    {
        """
        {"syncName": "down", "syncType": "syncDown", "soupName": "\(soup)",
         "target": {"type": "mru", "sobjectType": "Contact", "fieldlist": [\(fields)]}, "options": {"mergeMode": "OVERWRITE"}}
        """
    }

    private func up(_ lists: String, options: String = "") -> String {
        """

        {"syncName": "up", "syncType": "syncUp", "soupName": "contacts",
         "target": {\(lists)},
         "options": {"mergeMode": "OVERWRITE"\(options)}}
        """
    }

    private let hint = "An edit of a field that is in no list is not sent, and the next sync down discards it."

    @Test func `A misspelled field is reported with its place`() throws {
        let found = try warnings(
            up(#""createFieldlist": ["LastName"], "updateFieldlist": ["LastName", "FristName"]"#), down())
        #expect(
            found == [
                #"3 syncs[0].target.updateFieldlist: the sync "up" pushes the field "FristName" of the soup "contacts", "#
                    + #"which no sync down fetches. Did you mean "FirstName"? \#(hint)"#
            ])
    }

    @Test func `A field in another case is reported`() throws {
        let found = try warnings(down(), up(#""createFieldlist": [], "updateFieldlist": ["lastname"]"#))
        #expect(
            found == [
                #"4 syncs[1].target.updateFieldlist: the sync "up" pushes the field "lastname" of the soup "contacts", "#
                    + #"which a sync down fetches as "LastName"; case is significant in records. "#
                    + "Use the server's spelling in both. \(hint)"
            ])
    }

    @Test func `The fieldlist of the options is for creates and updates`() throws {
        let found = try warnings(down(), up("", options: #", "fieldlist": ["LastName", "Title"]"#))
        #expect(
            found == [
                #"5 syncs[1].options.fieldlist: the sync "up" pushes the field "Title" of the soup "contacts", which "#
                    + "no sync down fetches. Add it to a sync down. \(hint)"
            ])
    }

    @Test func `A field only sent with creates is reported if misspelled`() throws {
        #expect(try warnings(down(), up(#""createFieldlist": ["Origin__c"], "updateFieldlist": ["LastName"]"#)) == [])
        let found = try warnings(down(), up(#""createFieldlist": ["LastNme"], "updateFieldlist": ["LastName"]"#))
        #expect(found.count == 1 && found[0].contains("syncs[1].target.createFieldlist"))
    }

    @Test func `Fields that are always fetched are not reported`() throws {
        let lists =
            #""createFieldlist": [], "updateFieldlist": ["Id", "LastModifiedDate", "Account.Name", "Account", "attributes"]"#
        #expect(try warnings(down(), up(lists)) == [])
    }

    @Test func `Nothing is reported if the fetched fields are unknown`() throws {
        let lists = up(#""createFieldlist": [], "updateFieldlist": ["Title"]"#)
        #expect(try warnings(lists) == [])
        #expect(try warnings(lists, down(soup: "accounts")) == [])
        let query = down().replacing("\"down\"", with: "\"query\"").replacing(
            #"{"type": "mru", "sobjectType": "Contact""#, with: #"{"type": "soql", "query": "SELECT Id FROM Contact""#
        )
        .replacing(#", "fieldlist": ["FirstName", "LastName", "Account.Name"]"#, with: "")
        #expect(try warnings(lists, down(), query) == [])
    }

    // MARK: - IDs

    @Test func `Different fields of the ID in both directions are reported`() throws {
        func sync(_ direction: String, _ field: String, soup: String = "contacts") -> String {
            let target =
                direction == "Down"
                ? #""type": "soql", "query": "SELECT Id FROM Contact""# : #""createFieldlist": []"#
            return #"""
                {"syncName": "\#(direction)\#(field)", "syncType": "sync\#(direction)", "soupName": "\#(soup)",
                 "target": {\#(target), "idFieldName": "\#(field)"}, "options": {"mergeMode": "OVERWRITE"}}
                """#
        }
        let found = try warnings(sync("Down", "Id"), sync("Up", "Key")).filter { $0.contains("have the IDs") }
        #expect(
            found == [
                #"3 syncs[1].target: the syncs "DownId" and "UpKey" of the soup "contacts" have the IDs of records in "#
                    + "different fields: Id and Key. Use the same field in both: the sync up does not find the IDs that the "
                    + "sync down saved, and the server may refuse its changes or create records twice."
            ])
        for other in [sync("Up", "Id"), sync("Down", "Key"), sync("Up", "Key", soup: "accounts")] {
            #expect(try !warnings(sync("Down", "Id"), other).contains { $0.contains("have the IDs") })
        }
    }

    // MARK: - Parent fields

    @Test func `Trees with different parent fields are reported`() throws {
        func tree(_ name: String, _ field: String, of soup: String = "contacts") -> String {
            #"""
            {"syncName": "\#(name)", "syncType": "syncDown", "soupName": "accounts",
             "target": {"type": "parent_children", "parent": {"soupName": "accounts", "sobjectType": "Account"},
               "children": {"soupName": "\#(soup)", "sobjectType": "Contact", "parentIdFieldName": "\#(field)"},
               "parentFieldlist": [], "relationshipType": "LOOKUP"}, "options": {"mergeMode": "OVERWRITE"}}
            """#
        }
        let found = try warnings(tree("a", "AccountId"), tree("b", "AccountId"), tree("c", "AcountId"))
        #expect(
            found == [
                #"8 syncs[2].target: the syncs "a" and "c" use different fields of "contacts" for the parents in "#
                    + #""accounts": AccountId and AcountId. Use the same field in both, unless these are two relationships."#
            ])
        #expect(try warnings(tree("a", "AccountId"), tree("b", "WhatId", of: "tasks")) == [])
        // The field is read from records, where case is significant.
        #expect(try warnings(tree("a", "AccountId"), tree("b", "accountid")).count == 1)
    }
}
