// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupCore
import Testing

/// What `key=value` means.
@Suite struct EditCommandTests {
    private let folder: WorkFolder

    init() throws { folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs]) }

    private func soup(_ arguments: String..., input: String = "") async throws -> FinishedSoup {
        try await SoupTool.run(arguments + ["--config", folder.path, "--json"], input: input)
    }

    /// What a field that holds a value becomes, by what is written.
    @Test(
        arguments: [
            (#""555""#, "F=20", "20"), (#""555""#, "F=2.0", "2.0"), (#""555""#, "F=true", "true"),
            (#""555""#, "F=[1]", "[1]"), (#""555""#, "F=null", .null), (#""555""#, #"F="30""#, "30"),
            (#""555""#, "F:=20", 20), (#""555""#, "F:=true", true), (#""555""#, #"F:="7""#, "7"),
            (#""555""#, "F=a=b", "a=b"), ("5", "F=20", 20), ("5", #"F="20""#, "20"), ("5", "F=Bo", "Bo"),
            ("true", "F=false", false), ("null", "F=20", 20), (#""""#, "F=20", "20"),
        ] as [(String, String, JSONValue)])
    func `A string stays a string`(_ held: String, _ written: String, _ becomes: JSONValue) async throws {
        _ = try await soup("upsert", "notes", input: #"{"key": "a", "F": \#(held)}"#)
        let edited = try await soup("edit", "notes", "1", written)
        #expect(try edited.json.first?["F"] == becomes)
    }

    @Test func `Where a field is empty the others of the soup decide`() async throws {
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

    @Test func `A value of which nobody knows what it should be is told of`() async throws {
        _ = try await soup("upsert", "notes", input: #"{"key": "a", "Age": 7}"#)
        let edited = try await SoupTool.run(
            "edit", "notes", "1", "Title=5", "Age=8", "Fax:=9", "Note=x", "Old=null", "--config", folder.path)
        #expect(
            edited.errors == [
                "note: Title is stored as 5, and no entry tells whether it is a text; "
                    + #"as a text: Title='"5"', without this note: Title:=5"#
            ])
    }

    @Test(arguments: ["F:=", "F:=abc", "=1", ":=1", "F"]) func `Half an assignment is not understood`(_ text: String)
        async throws
    {
        #expect(try await soup("edit", "notes", "1", text).status == 2)
    }

    @Test func `The help says how either is forced`() async throws {
        for command in ["edit", "create"] {
            let lines = try await SoupTool.run(command, "--help").output.joined(separator: " ")
            let help = lines.split(separator: " ").joined(separator: " ")
            #expect(help.contains("Phone=20 stays the text 20"))
            #expect(help.contains(#"Phone='"20"' is a string everywhere, Age:=20 is JSON everywhere"#), "\(help)")
        }
    }

    /// `Notes` is in no list; an entry that was created here is created there, whose list is another one.
    @Test func `Fields that nobody sends are told of`() async throws {
        let syncs = WorkFolder.syncs.replacing(
            #""target": {"createFieldlist": ["FirstName", "LastName", "Title"]}"#,
            with: #""target": {"type": "rest", "createFieldlist": ["LastName", "Notes", "Origin"], "#
                + #""externalIdFieldName": "Ext__c"}"#)
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": syncs])
        func notes(_ arguments: String...) async throws -> [String] {
            let run = try await SoupTool.run(arguments + ["--config", folder.path])
            #expect(run.status == 0, "\(run)")
            return run.errors.map { $0.split(separator: ";").first.map(String.init) ?? "" }
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

    @Test func `A soup that is not there is told with the nearest`() async throws {
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

    @Test func `The soups of the syncs are not written to`() async throws {
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
