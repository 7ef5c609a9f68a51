// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// The soups and indexes that syncs need, compared with those of the store.
@Suite struct SoupCheckTests: SyncsFileReading {
    @Test func `The soups of a tree target are checked`() throws {
        let target = #"""
            "target": {"type": "parent_children", "parentFieldlist": [], "relationshipType": "LOOKUP",
             "parent": {"soupName": "accounts", "sobjectType": "Account"},
             "children": {"soupName": "kontakte", "sobjectType": "Contact"}}
            """#
        let (_, problems) = try read(sync(name, down, soup, target, options))
        #expect(
            problems == [
                #"1:66: syncs[0].soupName: warning: the sync names the soup "contacts", but its target saves "#
                    + #"parents in "accounts". Name the same soup in both places."#,
                #"2:25: syncs[0].target.parent.soupName: the soup "accounts" has no index on "Id", "#
                    + #"which the sync needs to match fetched records to entries. "#
                    + #"Add {"path": "Id", "type": "string"} to its indexes."#,
                #"2:25: syncs[0].target.parent.soupName: warning: the soup "accounts" has no index on "__local__", "#
                    + #"which the sync needs to find local changes. "#
                    + #"Add {"path": "__local__", "type": "string"} to its indexes."#,
                #"3:27: syncs[0].target.children.soupName: the store has no soup "kontakte". "#
                    + "Known: accounts, broken, contacts. Register it in the store's file.",
            ])
    }

    @Test func `The index on the target's own ID field is required`() throws {
        let target = #""target": {"idFieldName": "Key"}"#
        let (_, problems) = try read(sync(name, up, soup, target, options))
        #expect(problems.count == 1 && problems[0].contains(#"no index on "Key""#))
    }

    @Test func `Without a store file, soups are only warned about`() throws {
        let two =
            "{\"syncs\": [{\(name), \(down), \(soup), \(query), \(options)}, "
            + "{\"syncName\": \"t\", \(down), \(soup), \(query), \(options)}]}"
        let (config, problems) = try read(two, soups: .inCode(missing: "userstore.json"))
        #expect(
            problems == [
                #"1:66: syncs[0].soupName: warning: the soup "contacts" is not configured: there is no "#
                    + "userstore.json in the folder. "
                    + "Add it to a userstore.json, or register it in code before the sync runs."
            ])
        #expect(config.syncs.count == 2)
        #expect(try read(two, soups: .unknown).1 == [])
    }

    @Test func `A soup without indexes is not reported again`() throws {
        let (_, problems) = try read(sync(name, down, #""soupName": "broken""#, query, options))
        #expect(problems == [])
    }

    @Test func `Soups of a tree without a soup name are checked`() throws {
        let target = #"""
            "target": {"type": "parent_children", "parentFieldlist": [], "relationshipType": "LOOKUP",
             "parent": {"soupName": "contacts", "sobjectType": "Account"},
             "children": {"soupName": "kontakte", "sobjectType": "Contact"}}
            """#
        let (_, problems) = try read(sync(name, down, target, options))
        #expect(problems.count == 2 && problems[1].contains(#"the store has no soup "kontakte""#), "\(problems)")
    }

    @Test func `Index checks need the target's ID field`() throws {
        let (_, problems) = try read(
            sync(name, down, #""soupName": "accounts""#, #""target": {"type": "soql", "idFieldName": "Key"}"#, options))
        #expect(problems.filter { $0.contains("no index on") }.count == 1)
        #expect(problems.contains { $0.contains(#"no index on "__local__""#) })
    }
}
