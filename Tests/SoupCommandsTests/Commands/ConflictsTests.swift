// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupLocalOrg
import SoupCore
import Testing

/// Tests `soup conflicts` and `soup resolve` with records that were changed locally and on the server.
@Suite struct ConflictsTests {
    static let syncs = #"""
        {"syncs": [
          {"syncName": "down", "syncType": "syncDown", "soupName": "contacts",
            "target": {"type": "soql", "query": "SELECT FirstName, LastName, Title FROM Contact WHERE LastName = 'Ng'"},
            "options": {"mergeMode": "MERGE"}},
          {"syncName": "up", "syncType": "syncUp", "soupName": "contacts", "target": {"sobjectType": "Contact"},
            "options": {"mergeMode": "MERGE", "fieldlist": ["FirstName", "LastName", "Title"]}}]}
        """#

    /// Creates a folder with one contact, entry 1, whose values in the store and in the org differ.
    static func conflict(
        _ org: ServedOrg, up mode: String = "MERGE"
    ) async throws -> (folder: WorkFolder, id: String) {
        let folder = try WorkFolder([
            "userstore.json": WorkFolder.store,
            "usersyncs.json": syncs.replacing("MERGE", with: mode),
        ])
        #expect(try await org.soup(folder, "sync", "down").status == 0)
        let edited = try await org.soup(folder, "edit", "contacts", "1", "Title=Mine", "FirstName=Anna")
        #expect(edited.status == 0)
        let id = try #require(try org.rows("Contact").first { $0.value["LastName"] == "Ng" }?.key)
        // A later second than the one of the sync down.
        org.org.advanceClock(by: .milliseconds(60_000))
        try org.org.edit("Contact", id: id, ["Title": "Theirs"])
        let down = try await org.soup(folder, "sync", "down")
        #expect(down.status == (mode == "MERGE" ? 1 : 0))
        guard mode == "MERGE" else { return (folder, id) }
        #expect(try down.jsonErrors.first?["hint"]?.stringValue?.contains("soup conflicts") == true)
        return (folder, id)
    }

    @Test func `A conflict is listed with its base, local and remote version`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let (folder, id) = try await Self.conflict(org)
            let shown = try await org.soup(folder, "conflicts")
            #expect(shown.status == 0)
            let conflict = try #require(try shown.json.first)
            #expect(conflict["soup"] == "contacts" && conflict["entryId"] == 1 && conflict["fields"] == ["Title"])
            #expect(conflict["id"] == .string(id))
            let titles = ["base", "local", "remote"].map { conflict[$0]?["Title"] }
            #expect(titles == [.null, "Mine", "Theirs"])
            #expect(try await org.soup(folder, "conflicts", "notes").output == [])
            #expect(try await org.soup(folder, "conflicts", "nots").status == 1)
            let table = try await SoupTool.run(
                ["conflicts", "--config", folder.path], environment: org.environment)
            #expect(table.output.contains { $0.contains("Title") && $0.contains("Mine") && $0.contains("Theirs") })

            let up = try await org.soup(folder, "sync", "up")
            #expect(up.status == 1)
            #expect(try up.json.filter { $0["event"] == "outcome" }.map { $0["result"] } == ["conflicted"])
            #expect(try org.rows("Contact")[id]?["Title"] == "Theirs")
        }
    }

    @Test(arguments: [
        (["--keep", "local"], "", "Mine"), (["--keep", "remote"], "", "Theirs"),
        (["--merged", "-"], #"{"Title": "Both"}"#, "Both"),
    ])
    func `A resolved conflict is pushed`(_ answer: [String], _ input: String, _ title: String) async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let (folder, id) = try await Self.conflict(org)
            let resolved = try await SoupTool.run(
                ["resolve", "contacts", "1"] + answer + ["--config", folder.path, "--json"], input: input,
                environment: org.environment)
            #expect(resolved.status == 0, "\(resolved)")
            #expect(try await org.soup(folder, "conflicts").output == [])
            #expect(try await org.soup(folder, "sync", "up").status == 0)
            let row = try #require(try org.rows("Contact")[id])
            #expect(row["Title"] == .string(title) && row["FirstName"] == "Anna" && row["LastName"] == "Ng")
            let entry = try #require(try await org.soup(folder, "retrieve", "contacts", "1").json.first)
            #expect(entry["Title"] == .string(title) && entry["__local__"] == false)
        }
    }

    @Test(arguments: [
        ("MERGE", "remote", "the next sync up sends its local changes"),
        ("LEAVE_IF_CHANGED", "local", "the next sync up sends its local changes"),
        ("LEAVE_IF_CHANGED", "remote", "the entry equals the server's version, and nothing is sent"),
    ])
    func `Resolving a conflict prints whether a push follows`(_ mode: String, _ side: String, _ result: String)
        async throws
    {
        try await ServedOrg.with(seed: .tiny) { org in
            let (folder, id) = try await Self.conflict(org, up: mode)
            _ = try await org.soup(folder, "sync", "up")
            let resolved = try await SoupTool.run(
                "resolve", "contacts", "1", "--keep", side, "--config", folder.path, environment: org.environment)
            #expect(resolved.output == ["the conflict of entry 1 is resolved; \(result)"])
            let up = try await org.soup(folder, "sync", "up")
            #expect(try up.json.contains { $0["event"] == "outcome" } == result.hasPrefix("the next sync up"))
            #expect(try org.rows("Contact")[id] != nil)
        }
    }

    /// Returns the last word of the row of `soup conflicts` that contains a word.
    static func lastWord(inRowWith word: String, _ folder: WorkFolder) async throws -> String? {
        let rows = try await SoupTool.run("conflicts", "--config", folder.path).output
        return rows.first { $0.contains(word) }?.split(separator: " ").last.map(String.init)
    }

    @Test func `Keeping a deletion of the server removes the entry`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
            let cases = Set(try org.org.state(of: "Case").compactMap { $0["ContactId"]?.stringValue })
            let contact = try #require(try org.rows("Contact").keys.filter { !cases.contains($0) }.min())
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            let query = "select {contacts:_soupEntryId} from {contacts} where {contacts:Id} = '\(contact)'"
            let entry = try #require(try await org.soup(folder, "query", query).json.first?[0]?.intValue)
            #expect(try await org.soup(folder, "edit", "contacts", String(entry), "Title=Mine").status == 0)
            try org.org.delete("Contact", id: contact)
            #expect(try await org.soup(folder, "sync", "up").status == 0)
            #expect(try await org.soup(folder, "conflicts").json.map { $0["code"] } == ["DELETED_ON_SERVER"])
            // The local changes are listed below the record.
            #expect(try await Self.lastWord(inRowWith: "Title", folder) == #""Mine""#)
            let resolved = try await SoupTool.run(
                "resolve", "contacts", String(entry), "--keep", "remote", "--config", folder.path,
                environment: org.environment)
            let line =
                "the conflict of entry \(entry) is resolved; the entry is removed, because the record was deleted"
            #expect(resolved.output == ["\(line) on the server"])
            #expect(try await org.soup(folder, "retrieve", "contacts", String(entry)).output == [])
        }
    }

    /// Creates a folder with two contacts in conflict, in two fields each.
    static func conflicts(_ org: ServedOrg) async throws -> (folder: WorkFolder, ids: [String]) {
        let folder = try WorkFolder([
            "userstore.json": WorkFolder.store, "usersyncs.json": syncs.replacing(" WHERE LastName = 'Ng'", with: ""),
        ])
        #expect(try await org.soup(folder, "sync", "down").status == 0)
        var ids: [String] = []
        org.org.advanceClock(by: .milliseconds(60_000))
        for entry in ["1", "2"] {
            let edited = try await org.soup(folder, "edit", "contacts", entry, "Title=Mine", "FirstName=Local")
            let id = try #require(try edited.json.first?["Id"]?.stringValue)
            try org.org.edit("Contact", id: id, ["Title": "Theirs", "FirstName": "Remote"])
            ids.append(id)
        }
        #expect(try await org.soup(folder, "sync", "down").status == 1)
        #expect(try await org.soup(folder, "conflicts").output.count == 2)
        return (folder, ids)
    }

    @Test(arguments: [["1", "2", "1"], ["--all"], ["--where", "{contacts:_soupEntryId} < 3"]])
    func `Several conflicts are resolved together or not at all`(
        _ which: [String]
    )
        async throws
    {
        try await ServedOrg.with(seed: .tiny) { org in
            let (folder, ids) = try await Self.conflicts(org)
            func resolve(_ arguments: [String]) async throws -> FinishedSoup {
                try await SoupTool.run(
                    ["resolve", "contacts"] + arguments + ["--config", folder.path, "--json"],
                    environment: org.environment)
            }
            let one = try await resolve(["1", "3", "4", "--keep", "remote"])
            #expect(one.status == 1 && one.output == [])
            #expect(try one.jsonErrors.map { $0["code"] } == ["notInConflict", "notInConflict"])
            #expect(try Self.entries(in: one) == ["entry 3 of", "entry 4 of"])
            #expect(try await org.soup(folder, "conflicts").output.count == 2)
            let all = try await resolve(which + ["--keep", "remote"])
            #expect(all.status == 0)
            #expect(
                all.output == ["1", "2"].map { #"{"soup":"contacts","entryId":\#($0),"resolved":"remote"}"# })
            #expect(try await org.soup(folder, "conflicts").output == [])
            #expect(try await org.soup(folder, "sync", "up").status == 0)
            for id in ids { #expect(try org.rows("Contact")[id]?["Title"] == "Theirs") }
        }
    }

    /// Returns the entries that the errors of a run name, and expects a hint in each error.
    static func entries(in run: FinishedSoup) throws -> [String] {
        try run.jsonErrors.map { error in
            #expect(error["hint"] != nil)
            let words = error["message"]?.stringValue?.split(separator: " ") ?? []
            return (words.firstIndex(of: "entry").map { words[$0...].prefix(3) } ?? []).joined(separator: " ")
        }
    }

    @Test func `Fields missing from the merged record keep local values`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let (folder, ids) = try await Self.conflicts(org)
            func resolve(_ entry: String, with merged: String, _ options: String...) async throws -> FinishedSoup {
                try await SoupTool.run(
                    ["resolve", "contacts", entry, "--merged", "-", "--config", folder.path] + options, input: merged,
                    environment: org.environment)
            }
            let partial = try await resolve("1", with: #"{"Title": "Both"}"#, "--json")
            #expect(partial.status == 0)
            #expect(
                partial.output == [
                    #"{"soup":"contacts","entryId":1,"resolved":"merged","keptLocal":["FirstName"]}"#
                ])
            let empty = try await resolve("2", with: "{}")
            #expect(empty.status == 0)
            #expect(
                empty.output.last == "  not in standard input, so the local values are kept: Title, FirstName")
            #expect(try await org.soup(folder, "sync", "up").status == 0)
            let rows = try org.rows("Contact")
            #expect(ids.map { rows[$0]?["Title"] } == ["Both", "Mine"])
            #expect(ids.map { rows[$0]?["FirstName"] } == ["Local", "Local"])
        }
    }

    @Test func `An invalid merged record is refused with the places`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let (folder, ids) = try await Self.conflicts(org)
            let merged = "{\"Titel\": \"Both\",\n \"Id\": \"\(ids[1])\", \"LastName\": \"New\"}"
            let refused = try await SoupTool.run(
                ["resolve", "contacts", "1", "--merged", "-", "--config", folder.path, "--json"], input: merged,
                environment: org.environment)
            #expect(refused.status == 1 && refused.output == [])
            let errors = try refused.jsonErrors
            #expect(errors.map { $0["path"] } == ["Titel", "Id"])
            #expect(errors.map { $0["line"] } == [1, 2])
            #expect(errors.first?["hint"]?.stringValue?.contains(#"Did you mean "Title"?"#) == true)
            #expect(errors.last?["message"]?.stringValue?.contains(ids[0]) == true)
            #expect(try await org.soup(folder, "conflicts").output.count == 2)
        }
    }

    /// With LEAVE_IF_CHANGED.
    @Test func `A skipped change is listed and can be discarded`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let (folder, _) = try await Self.conflict(org, up: "LEAVE_IF_CHANGED")
            let up = try await org.soup(folder, "sync", "up")
            #expect(up.status == 0)
            #expect(try up.json.filter { $0["event"] == "outcome" }.map { $0["result"] } == ["skipped"])
            let shown = try #require(try await org.soup(folder, "conflicts").json.first)
            #expect(shown["code"] == "NEWER_ON_SERVER" && shown["entryId"] == 1)
            // All fields that would be undone, not only the field that was changed on both sides.
            #expect(Set(shown["fields"]?.arrayValue ?? []) == ["Title", "FirstName"])
            #expect(["base", "local", "remote"].map { shown[$0]?["Title"] } == [.null, "Mine", "Theirs"])

            let none = try await org.soup(folder, "discard", "contacts", "1", "99")
            #expect(none.status == 1)
            #expect(try none.jsonErrors.first?["code"] == "entryNotFound")
            let discarded = try await org.soup(folder, "discard", "contacts", "1")
            #expect(discarded.status == 0)
            #expect(try discarded.json == [["soup": "contacts", "entryId": 1, "result": "restored"]])
            #expect(try await org.soup(folder, "conflicts").output == [])
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            let entry = try #require(try await org.soup(folder, "retrieve", "contacts", "1").json.first)
            #expect(entry["Title"] == "Theirs" && entry["FirstName"] != "Anna" && entry["__local__"] == false)
        }
    }

    @Test func `Invalid arguments are refused`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let (folder, _) = try await Self.conflict(org)
            for arguments in [
                ["resolve", "contacts", "1"], ["resolve", "contacts", "1", "--keep", "both"],
                ["resolve", "contacts", "1", "--keep", "local", "--resend"], ["resolve", "--keep", "local"],
            ] {
                let refused = try await SoupTool.run(
                    arguments + ["--config", folder.path], environment: org.environment)
                #expect(refused.status == 2, "\(arguments)")
            }
            let noConflict = try await org.soup(folder, "resolve", "contacts", "9", "--keep", "local")
            #expect(noConflict.status == 1)
            #expect(try noConflict.jsonErrors.first?["code"] == "notInConflict")
            let noObject = try await SoupTool.run(
                ["resolve", "contacts", "1", "--merged", "-", "--config", folder.path, "--json"], input: "[1]",
                environment: org.environment)
            #expect(noObject.status == 1)
            #expect(try await org.soup(folder, "conflicts").output.count == 1)
        }
    }
}

#endif
