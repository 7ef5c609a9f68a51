// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupLocalOrg
import SoupCore
import Testing

/// Conflicts of trees: records that wait for their parent or their children.
@Suite struct ConflictsTreesTests {
    static let treeStore = #"""
        {"soups": [
          {"soupName": "accounts", "indexes": [{"path": "Id", "type": "string"}, {"path": "__local__", "type": "string"}]},
          {"soupName": "contacts", "indexes": [{"path": "Id", "type": "string"}, {"path": "AccountId", "type": "string"},
            {"path": "__local__", "type": "string"}]}]}
        """#
    static let treeSyncs = #"""
        {"syncs": [
          {"syncName": "accounts", "syncType": "syncDown", "soupName": "accounts",
            "target": {"type": "soql", "query": "SELECT Name, Rating FROM Account ORDER BY Name"},
            "options": {"mergeMode": "LEAVE_IF_CHANGED"}},
          {"syncName": "contacts", "syncType": "syncDown", "soupName": "contacts",
            "target": {"type": "soql", "query": "SELECT LastName, Title, AccountId FROM Contact ORDER BY LastName"},
            "options": {"mergeMode": "LEAVE_IF_CHANGED"}},
          {"syncName": "up", "syncType": "syncUp", "soupName": "accounts",
            "target": {"type": "parent_children", "parent": {"sobjectType": "Account", "soupName": "accounts"},
              "createFieldlist": ["Name", "Rating"], "updateFieldlist": ["Name", "Rating"],
              "children": {"sobjectType": "Contact", "sobjectTypePlural": "Contacts", "soupName": "contacts",
                "parentIdFieldName": "AccountId"},
              "childrenCreateFieldlist": ["LastName", "Title"], "childrenUpdateFieldlist": ["LastName", "Title"],
              "relationshipType": "LOOKUP"},
            "options": {"mergeMode": "LEAVE_IF_CHANGED"}}]}
        """#

    /// Children that only wait for their tree are resolved in the same way as a child that is newer on the server.
    @Test func `Children that wait for their tree are resolved too`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            func id(of object: String, where field: String, is value: JSONValue) throws -> String {
                try #require(try org.rows(object).first { $0.value[field] == value }?.key)
            }
            let acme = try id(of: "Account", where: "Name", is: "Acme")
            let globex = try id(of: "Account", where: "Name", is: "Globex")
            let orphan = try id(of: "Contact", where: "LastName", is: "Orphan")
            try org.org.edit("Contact", id: orphan, ["AccountId": .string(globex)])
            let folder = try WorkFolder(["userstore.json": Self.treeStore, "usersyncs.json": Self.treeSyncs])
            for sync in ["accounts", "contacts"] {
                let down = try await org.soup(folder, "sync", sync)
                #expect(down.status == 0, "\(down)")
            }
            #expect(try await org.soup(folder, "edit", "accounts", "1", "Rating=Cold").status == 0)
            // Entries 1 and 3, Ng and Smith, are children of Acme; entry 2 is Orphan.
            for entry in ["1", "2", "3"] {
                #expect(try await org.soup(folder, "edit", "contacts", entry, "Title=Mine").status == 0)
            }
            org.org.advanceClock(by: .milliseconds(60_000))
            try org.org.edit("Account", id: acme, ["Rating": "Warm"])
            try org.org.edit("Contact", id: orphan, ["Title": "Theirs"])
            let up = try await org.soup(folder, "sync", "up")
            #expect(up.status == 0, "\(up)")
            #expect(try await org.soup(folder, "conflicts", "contacts").output.count == 3)

            let all = try await org.soup(folder, "resolve", "contacts", "--all", "--keep", "local")
            #expect(all.status == 0)
            #expect(try Set(all.json.map { $0["entryId"]?.intValue }) == [1, 2, 3])
            let again = try await SoupTool.run(
                "resolve", "contacts", "1", "3", "--keep", "local", "--config", folder.path,
                environment: org.environment)
            #expect(again.status == 1 && again.output == [])
            #expect(again.errors.last == "2 of 2 entries could not be resolved")
            #expect(try await org.soup(folder, "conflicts", "contacts").output == [])

            #expect(try await org.soup(folder, "resolve", "accounts", "--all", "--keep", "local").status == 0)
            #expect(try await org.soup(folder, "sync", "up").status == 0)
            #expect(try await org.soup(folder, "conflicts").output == [])
            #expect(try org.rows("Account")[acme]?["Rating"] == "Cold")
            let titles = try org.rows("Contact").values.map { $0["Title"] }
            #expect(titles == ["Mine", "Mine", "Mine"])
        }
    }

    /// A deletion waits for an account that is newer on the server, and the parent of a new record was deleted there.
    @Test func `A record unchanged on the server is not shown as changed`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try WorkFolder(["userstore.json": Self.treeStore, "usersyncs.json": Self.treeSyncs])
            for sync in ["accounts", "contacts"] { #expect(try await org.soup(folder, "sync", sync).status == 0) }
            let accounts = try org.rows("Account").mapValues { $0["Name"]?.stringValue ?? "" }
            let ids = Dictionary(uniqueKeysWithValues: accounts.map { ($1, $0) })
            let (acme, gone) = (try #require(ids["Acme"]), try #require(ids["O'Neil 100%_x"]))
            #expect(try await org.soup(folder, "delete", "contacts", "1").status == 0)
            #expect(try await org.soup(folder, "create", "contacts", "LastName=New", "AccountId=\(gone)").status == 0)
            org.org.advanceClock(by: .milliseconds(60_000))
            try org.org.edit("Account", id: acme, ["Rating": "Warm"])
            try org.org.delete("Account", id: gone)
            _ = try await org.soup(folder, "sync", "up")
            let table = try await SoupTool.run("conflicts", "--config", folder.path).output
            let rows = table.filter { $0.contains("(the record)") }.map { row in
                row.split(separator: " ").drop { $0 != "record)" }.dropFirst().joined(separator: " ")
            }
            #expect(Set(rows) == ["deleted unchanged", "created no parent"], "\(table)")
        }
    }
}

#endif
