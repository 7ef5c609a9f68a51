// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupCore
import Testing

/// Tests `soup edit`, and the meaning of `key=value`.
@Suite struct EditTests {
    private let folder: WorkFolder

    init() throws { folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs]) }

    private func soup(_ arguments: String..., input: String = "") async throws -> FinishedSoup {
        try await SoupTool.run(arguments + ["--config", folder.path, "--json"], input: input)
    }

    /// The current value of a field, the assignment, and the new value.
    @Test(
        arguments: [
            (#""555""#, "F=20", "20"), (#""555""#, "F=2.0", "2.0"), (#""555""#, "F=true", "true"),
            (#""555""#, "F=[1]", "[1]"), (#""555""#, "F=null", .null), (#""555""#, #"F="30""#, "30"),
            (#""555""#, "F:=20", 20), (#""555""#, "F:=true", true), (#""555""#, #"F:="7""#, "7"),
            (#""555""#, "F=a=b", "a=b"), ("5", "F=20", 20), ("5", #"F="20""#, "20"), ("5", "F=Bo", "Bo"),
            ("true", "F=false", false), ("null", "F=20", 20), (#""""#, "F=20", "20"),
        ] as [(String, String, JSONValue)])
    func `A string stays a string`(_ current: String, _ assignment: String, _ new: JSONValue) async throws {
        _ = try await soup("upsert", "notes", input: #"{"key": "a", "F": \#(current)}"#)
        let edited = try await soup("edit", "notes", "1", assignment)
        #expect(try edited.json.first?["F"] == new)
    }

    @Test func `The type of an empty field is taken from other entries`() async throws {
        let entries = #"[{"key": "a"}, {"key": "b", "Phone": null}, {"key": "c", "Phone": "555", "Age": 7}]"#
        _ = try await soup("upsert", "notes", input: entries)
        for id in ["1", "2"] {
            let edited = try await soup("edit", "notes", id, "Phone=20", "Age=20", "New=20")
            #expect(try edited.json.map { [$0["Phone"], $0["Age"], $0["New"]] } == [["20", 20, 20]])
        }
        let created = try await soup("create", "notes", "key=5", "Phone=20", "Age=20", "Fax:=20", "--type", "Note")
        #expect(
            try created.json.map { [$0["key"], $0["Phone"], $0["Age"], $0["Fax"]] } == [["5", "20", 20, 20]])
    }

    /// The field lists of a sync up have the server's names.
    @Test func `A renamed field is noted by its name in the store`() async throws {
        let rename = #"{"mergeMode": "OVERWRITE", "transforms": [{"type": "rename", "fields": {"Name": "fullName"}}]}"#
        let folder = try WorkFolder([
            "userstore.json": WorkFolder.store,
            "usersyncs.json": #"""
            {"syncs": [{"syncName": "up", "syncType": "syncUp", "soupName": "notes", "options": \#(rename),
              "target": {"createFieldlist": ["Name"], "updateFieldlist": ["Name"]}}]}
            """#,
        ])
        for (field, isNoted) in [("fullName", false), ("Name", true)] {
            let created = try await SoupTool.run(
                "create", "notes", "\(field)=x", "--type", "T", "--config", folder.path, "--json")
            let notes = try created.jsonWarnings.compactMap { $0["message"]?.stringValue }
            #expect(notes.contains("no sync up sends \(field) of notes") == isNoted, "\(notes)")
        }
    }

    @Test func `A soup in memory is noted`() async throws {
        let index = #"[{"path": "key", "type": "string"}]"#
        let folder = try WorkFolder([
            "userstore.json": #"""
            {"soups": [{"soupName": "a", "indexes": \#(index)}, {"soupName": "b", "indexes": \#(index)}],
             "backend": {"type": "routed", "default": {"type": "sqlite"}, "routes": {"b": {"type": "memory"}}}}
            """#
        ])
        let note = "the soup \"b\" is in memory, so its entries are gone when this command ends"
        for (soup, notes) in [("a", []), ("b", [note])] {
            let created = try await SoupTool.run(
                "create", soup, "key=x", "--type", "T", "--config", folder.path, "--json")
            #expect(try created.jsonWarnings.compactMap { $0["message"]?.stringValue } == notes)
            let input = #"{"key": "y"}"#
            let written = try await SoupTool.run("upsert", soup, "--config", folder.path, "--json", input: input)
            #expect(try written.jsonWarnings.compactMap { $0["message"]?.stringValue } == notes)
        }
    }

    @Test func `An ambiguous value is noted`() async throws {
        _ = try await soup("upsert", "notes", input: #"{"key": "a", "Age": 7}"#)
        let edited = try await SoupTool.run(
            "edit", "notes", "1", "Title=5", "Age=8", "Fax:=9", "Note=x", "Old=null", "--config", folder.path)
        #expect(
            edited.errors == [
                "note: Title is stored as 5, and no entry shows whether the field contains text. "
                    + #"Write Title='"5"' to store text, or Title:=5 to omit this note."#
            ])
    }

    @Test(arguments: ["F:=", "F:=abc", "=1", ":=1", "F"]) func `An incomplete assignment is a usage error`(
        _ text: String
    )
        async throws
    {
        #expect(try await soup("edit", "notes", "1", text).status == 2)
    }

    @Test func `The help explains how to choose the type`() async throws {
        for command in ["edit", "create"] {
            let lines = try await SoupTool.run(command, "--help").output.joined(separator: " ")
            let help = lines.split(separator: " ").joined(separator: " ")
            #expect(help.contains("Phone=20 is stored as the text 20"))
            #expect(help.contains(#"Phone='"20"' is always a string, Age:=20 is always JSON"#), "\(help)")
        }
    }

    /// `Title` is not in the list for creates, which applies to an entry that is not on the server yet; `Notes` is not
    /// in the list for updates.
    @Test func `Fields that no sync up sends are noted`() async throws {
        let syncs = WorkFolder.syncs.replacing(
            #""target": {"createFieldlist": ["FirstName", "LastName", "Title"]}"#,
            with: #""target": {"type": "rest", "createFieldlist": ["LastName", "Notes", "Origin"], "#
                + #""externalIdFieldName": "Ext__c"}"#)
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": syncs])
        func notes(_ arguments: String...) async throws -> [String] {
            let run = try await SoupTool.run(arguments + ["--config", folder.path])
            #expect(run.status == 0, "\(run)")
            return run.errors.map { $0.split(separator: ". ").first.map(String.init) ?? "" }
        }
        func expected(_ fields: String) -> [String] { ["note: no sync up sends \(fields) of contacts"] }
        #expect(try await notes("create", "contacts", "LastName=Ada", "Notes=x", "Ext__c=e") == [])
        #expect(try await notes("edit", "contacts", "1", "Title=x", "Notes=y") == expected("Title"))
        let upserted = try await SoupTool.run(
            ["upsert", "contacts", "--config", folder.path], input: #"{"Id": "003000000000001AAA", "LastName": "Bo"}"#)
        #expect(upserted.status == 0)
        #expect(try await notes("edit", "contacts", "2", "Title=x", "FirstName=x") == [])
        #expect(try await notes("edit", "contacts", "2", "Notes=x", "title=x") == expected("Notes, title"))
        let once = "no sync up sends Origin of contacts in an update"
        #expect(try await notes("edit", "contacts", "2", "Origin=x") == ["note: \(once)"])
        #expect(try await notes("create", "notes", "key=x", "--type", "Note") == [])
    }

    @Test func `An unknown soup is reported with the most similar name`() async throws {
        for command in [
            ["edit", "contact", "1", "a=b"], ["create", "contact", "a=b"], ["resolve", "contact", "--all", "--resend"],
            ["describe", "contact"], ["delete", "contact", "1"], ["discard", "contact", "1"],
            ["soups", "--remove", "contact"], ["retrieve", "contact", "1"], ["upsert", "contact"],
        ] {
            let refused = try await SoupTool.run(command + ["--config", folder.path, "--json"])
            #expect(try refused.jsonErrors.map { $0["code"] } == ["soupNotFound"])
            #expect(try refused.jsonErrors.first?["message"] == #"there is no soup named "contact""#)
            #expect(try refused.jsonErrors.first?["hint"] == #"Did you mean "contacts"?"#)
        }
    }

    @Test func `The soups of the syncs are read-only`() async throws {
        #expect(try await soup("status").status == 0)
        let before = try await soup("retrieve", "syncs_soup", "1", "2").output
        #expect(before.count == 2)
        for command in [
            ["edit", "syncs_soup", "1", "name=x"], ["create", "syncs_soup", "name=x"], ["upsert", "syncs_soup"],
            ["delete", "syncs_soup", "1"], ["delete", "syncs_soup", "1", "--now"], ["discard", "syncs_soup", "1"],
            ["discard", "syncs_conflicts", "--all"],
        ] {
            let refused = try await SoupTool.run(command + ["--config", folder.path, "--json"])
            #expect(refused.status == 1, "\(command)")
            #expect(try refused.jsonErrors.map { $0["code"] } == ["badSoupName"], "\(command)")
            #expect(try refused.jsonErrors.first?["hint"]?.stringValue?.contains("--renew") == true)
        }
        #expect(try await soup("retrieve", "syncs_soup", "1", "2").output == before)
    }

    @Test func `The ID of an entry is a whole number`() async throws {
        for command in [
            ["edit", "notes", "abc", "a=b"], ["delete", "notes", "1", "1.5"], ["discard", "notes", "abc"],
            ["retrieve", "notes", "abc"], ["resolve", "notes", "abc", "--resend"],
        ] {
            let refused = try await SoupTool.run(command + ["--config", folder.path, "--json"])
            #expect(refused.status == 2, "\(command)")
            let message = try #require(try refused.jsonErrors.first?["message"]?.stringValue)
            #expect(message.contains("a whole number"), "\(command): \(message)")
        }
    }
}

#endif
