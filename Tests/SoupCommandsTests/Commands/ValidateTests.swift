// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

/// Tests `soup validate` without a server.
@Suite struct ValidateTests {
    static let good = """
        { "soups": [ { "soupName": "contacts", "indexes": [
            { "path": "Id", "type": "string" }, { "path": "__local__", "type": "string" } ] } ] }
        """

    static func sync(_ text: String) -> [String: String] {
        ["userstore.json": good, "usersyncs.json": "{ \"syncs\": [\n\(text)\n] }"]
    }

    static let down = #""syncType": "syncDown", "soupName": "contacts", "options": {"mergeMode": "OVERWRITE"}"#
    static let query = #""target": {"type": "soql", "query": "SELECT Id FROM Contact"}"#

    /// One error each: the files, and the expected file and path, and parts of the expected message and hint.
    static let errors: [(files: [String: String], file: String, path: String?, message: String, hint: String)] = [
        (sync("{\(down), \(query)}"), "usersyncs.json", "syncs[0].syncName", "missing", "Add \"syncName\""),
        (
            sync("{\"syncName\": \"a\", \(down), \"target\": {\"type\": \"sql\", \"query\": \"x\"}}"), "usersyncs.json",
            "syncs[0].target.type", "\"sql\"", "Did you mean \"soql\"?"
        ),
        (
            sync(
                "{\"syncName\": \"a\", \(down), \"target\": {\"androidImpl\": \"com.example.Mine\", \"type\": \"soql\"}}"
            ),
            "usersyncs.json", "syncs[0].target.androidImpl", "com.example.Mine", "Known: "
        ),
        (
            sync("{\"syncName\": \"a\", \(down), \"target\": {\"type\": \"custom\"}}"), "usersyncs.json",
            "syncs[0].target.type", "must name its class", "swiftImpl"
        ),
        (
            sync("{\"syncName\": \"a\", \(down), \"target\": {\"type\": \"soql\"}}"), "usersyncs.json",
            "syncs[0].target.query", "missing", "Add \"query\""
        ),
        (
            sync(
                "{\"syncName\": \"a\", \"syncType\": \"syncDown\", \"soupName\": \"contacts\", \(query), "
                    + "\"options\": {\"mergeMode\": \"overwrite\"}}"),
            "usersyncs.json", "syncs[0].options.mergeMode", "\"overwrite\"",
            "Known: OVERWRITE, LEAVE_IF_CHANGED, MERGE."
        ),
        (
            sync("{\"syncName\": \"a\", \(down), \(query)}, {\"syncName\": \"a\", \(down), \(query)}"),
            "usersyncs.json",
            "syncs[1].syncName", "already used", "Rename one"
        ),
        (
            ["userstore.json": #"{"soups": [{"soupName": "x", "indexes": []}]}"#], "userstore.json", "soups[0].indexes",
            "no indexes", "at least one"
        ),
        (
            ["userstore.json": #"{"soups": [{"soupName": "x", "indexes": [{"path": "a", "type": "number"}]}]}"#],
            "userstore.json", "soups[0].indexes[0].type", "\"number\"", "Known: string, integer"
        ),
        (["userstore.json": "{\"soups\": [\n],}"], "userstore.json", nil, "not JSON", "Remove the comma"),
        (["userstore.json": #"{"soups": "none"}"#], "userstore.json", "soups", "expected an array", "Write an array"),
        (
            sync("{\"syncName\": \"a\", \(down), \(query)}".replacing("contacts", with: "kontakte")), "usersyncs.json",
            "syncs[0].soupName", "no soup \"kontakte\"", "Known: contacts."
        ),
    ]

    @Test(arguments: errors.indices) func `Every error has a file, a place and a hint`(index: Int) async throws {
        let (files, file, path, message, hint) = Self.errors[index]
        let folder = try WorkFolder(files)
        let result = try await SoupTool.run("validate", "--config", folder.path, "--json")
        #expect(result.status == 1)
        let errors = try result.jsonErrors
        #expect(errors.count == 1, "\(errors)")
        let error = try #require(errors.first)
        #expect(error["file"] == .string(file))
        #expect(error["path"] == path.map { .string($0) })
        #expect(error["line"]?.intValue ?? 0 > 0 && error["column"]?.intValue ?? 0 > 0)
        #expect(error["message"]?.stringValue?.contains(message) == true, "\(error)")
        #expect(error["hint"]?.stringValue?.contains(hint) == true, "\(error)")
        #expect(try folder.files == files.keys.sorted(), "nothing is created")

        let text = try await SoupTool.run("validate", "--config", folder.path)
        #expect(text.status == 1)
        let place = "\(folder.path)/\(file):\(error["line"] ?? 0):\(error["column"] ?? 0): error: "
        #expect(text.errors.first?.hasPrefix(place) == true, "\(text.errors)")

        for command in [["soups"], ["sync", "a"], ["create", "x", "a=1"]] where file == "userstore.json" {
            let running = try SoupTool.start(command + ["--config", folder.path, "--json"])
            try running.write("")
            #expect(await running.end() == 1)
        }
        #expect(try folder.files == files.keys.sorted(), "not by other commands either")
    }

    @Test func `Empty and missing field lists are warnings`() async throws {
        let syncs = #"""
            {"syncs": [
              {"syncName": "a", "syncType": "syncDown", "soupName": "contacts", "options": {"mergeMode": "OVERWRITE"},
               "target": {"type": "mru", "sobjectType": "Contact", "fieldlist": []}},
              {"syncName": "b", "syncType": "syncUp", "soupName": "contacts", "options": {"mergeMode": "OVERWRITE"},
               "target": {"createFieldlist": ["LastName"]}},
              {"syncName": "c", "syncType": "syncUp", "soupName": "contacts", "options": {"mergeMode": "OVERWRITE"}}]}
            """#
        let folder = try WorkFolder(["userstore.json": Self.good, "usersyncs.json": syncs])
        let result = try await SoupTool.run("validate", "--config", folder.path, "--json")
        #expect(result.status == 0)
        let warnings = try result.json.compactMap { $0["warning"] }
        #expect(warnings.map { $0["path"] } == ["syncs[0].target.fieldlist", "syncs[1].target", "syncs[2].target"])
        #expect(warnings.allSatisfy { $0["hint"] != nil })
        let messages = warnings.compactMap { $0["message"]?.stringValue }
        #expect(messages.dropFirst().first?.contains("records that were updated locally") == true)
        #expect(messages.last?.contains("only deletions can be sent") == true)
    }

    /// The target of a sync down "b" next to a sync down "a" of `SELECT LastName, Phone FROM Contact`, and the expected
    /// difference of their fields.
    static let secondTargets: [(target: String, differs: String?)] = [
        (#"{"type": "soql", "query": "SELECT Id, c.lastname, c.Phone FROM Contact c WHERE Email = null"}"#, nil),
        (#"{"type": "soql", "query": "SELECT FIELDS(ALL) FROM Contact LIMIT 200"}"#, nil),
        (#"{"type": "soql", "query": "SELECT Name FROM Account"}"#, nil),
        (
            #"{"type": "soql", "query": "SELECT LastName, Phone, Account.Name, (SELECT Id FROM Tasks) FROM Contact"}"#,
            #"only "b" has Account.Name, Tasks.Id"#
        ),
        (
            #"{"type": "sosl", "query": "FIND {Ng} RETURNING Contact(LastName, Email), Account(Name)"}"#,
            #"only "a" has Phone; only "b" has Email"#
        ),
        (#"{"type": "sosl", "query": "FIND {Ng}"}"#, nil),
        (#"{"type": "mru", "sobjectType": "Contact", "fieldlist": ["LastName"]}"#, #"only "a" has Phone"#),
        (
            #"{"type": "refresh", "soupName": "contacts", "sobjectType": "contact", "fieldlist": ["LastName"]}"#,
            #"only "a" has Phone"#
        ),
        (#"{"type": "layout", "sobjectType": "Contact"}"#, nil),
        (
            #"{"type": "briefcase", "infos": [{"soupName": "contacts", "sobjectType": "Contact", "fieldlist": []}]}"#,
            #"only "a" has LastName, Phone"#
        ),
        (
            #"{"type": "parent_children", "parent": {"soupName": "accounts", "sobjectType": "Account"}, "parentFieldlist": ["Name"], "children": {"soupName": "contacts", "sobjectType": "Contact", "sobjectTypePlural": "Contacts", "parentIdFieldName": "AccountId"}, "childrenFieldlist": ["LastName", "Phone"], "query": ""}"#,
            #"only "b" has AccountId"#
        ),
    ]

    @Test(arguments: secondTargets.indices) func `Syncs that fetch different fields into a soup are reported`(
        index: Int
    )
        async throws
    {
        let (target, differs) = Self.secondTargets[index]
        let soup = target.contains("accounts") ? "accounts" : "contacts"
        let first = #"{"type": "soql", "query": "SELECT LastName, Phone FROM Contact"}"#
        let syncs = [("a", "contacts", first), ("b", soup, target)].map { name, soup, target in
            #"{"syncName": "\#(name)", "syncType": "syncDown", "soupName": "\#(soup)", "target": \#(target), "#
                + #""options": {"mergeMode": "OVERWRITE"}}"#
        }
        let store = """
            {"soups": [\(["contacts", "accounts"].map { #"""
                {"soupName": "\#($0)", "indexes": [{"path": "Id", "type": "string"},
                    {"path": "__local__", "type": "string"}, {"path": "AccountId", "type": "string"}]}
                """# }.joined(separator: ", "))]}
            """
        let folder = try WorkFolder([
            "userstore.json": store, "usersyncs.json": "{\"syncs\": [\(syncs.joined(separator: ",\n"))]}",
        ])
        let result = try await SoupTool.run("validate", "--config", folder.path, "--json")
        #expect(result.status == 0 && result.errors == [])
        let messages = try result.json.compactMap { $0["warning"]?["message"]?.stringValue }
        let found = messages.filter { $0.contains("different fields of") }
        #expect(found.count == (differs == nil ? 0 : 1), "\(messages)")
        if let differs { #expect(found.first?.hasSuffix(differs) == true, "\(found)") }
    }

    /// Warnings do not make commands refuse the folder.
    @Test func `An unknown key does not prevent commands`() async throws {
        let folder = try WorkFolder([
            "userstore.json": WorkFolder.store,
            "usersyncs.json": WorkFolder.syncs.replacing(#""type": "soql","#, with: #""type": "soql", "filter": 1,"#),
        ])
        let checked = try await SoupTool.run("validate", "--config", folder.path, "--json")
        #expect(checked.status == 0)
        #expect(try checked.json.compactMap { $0["warning"]?["path"] } == ["syncs[0].target.filter"])
        let listed = try await SoupTool.run("status", "--config", folder.path, "--json")
        #expect(listed.status == 0 && listed.errors == [])
        #expect(try listed.json.map { $0["name"] } == ["down", "up"])
    }

    @Test func `All errors of all files are reported at once`() async throws {
        let folder = try WorkFolder([
            "userstore.json": #"{"soups": [{"indexes": []}]}"#, "usersyncs.json": #"{"syncs": [{}, 5]}"#,
            "globalstore.json": "{", "globalsyncs.json": "[]", "org.json": #"{"accessToken": "t"}"#,
        ])
        let result = try await SoupTool.run("validate", "--config", folder.path, "--json")
        #expect(result.status == 1)
        let counts = Dictionary(grouping: try result.jsonErrors) { $0["file"]?.stringValue ?? "" }.mapValues(\.count)
        #expect(
            counts == [
                "userstore.json": 2, "usersyncs.json": 5, "globalstore.json": 1, "globalsyncs.json": 1, "org.json": 1,
            ])
    }

    @Test func `Valid files have no problems`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
        let result = try await SoupTool.run("validate", "--config", folder.path, "--json")
        #expect(result.status == 0)
        let valid = #"{"valid":true,"errors":0,"warnings":0,"files":["userstore.json","usersyncs.json"]"#
        #expect(result.output.count == 1 && result.output.first?.hasPrefix(valid + ",") == true)
        #expect(result.errors == [])
        // A better choice is no problem.
        let advice = try JSONValue(parsing: Array((result.output.first ?? "").utf8))["recommendations"]?.arrayValue
        #expect(advice?.first?.stringValue?.hasPrefix("down: entries stay after their records were deleted") == true)
        try folder.write(#"{"deletes": "incremental"}"#, to: "org.json")
        let chosen = try await SoupTool.run("validate", "--config", folder.path, "--json")
        #expect(chosen.output == [valid + "}"])
    }

    @Test func `The sample files of the article are valid`() async throws {
        let sample = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Samples/Config")
        let result = try await SoupTool.run("validate", "--config", sample.standardizedFileURL.path, "--json")
        #expect(
            result.output.first?.hasPrefix(
                #"{"valid":true,"errors":0,"warnings":0,"files":["userstore.json","usersyncs.json"]"#) == true)
    }

    @Test func `A soup without a store configuration is a warning`() async throws {
        let folder = try WorkFolder(["usersyncs.json": WorkFolder.syncs])
        let result = try await SoupTool.run("validate", "--config", folder.path, "--json")
        #expect(result.status == 0)
        #expect(result.errors == [])
        #expect(try result.json.map { $0["warning"]?["code"] } == ["soupNotFound", nil])
    }

    @Test func `A missing folder is reported`() async throws {
        let result = try await SoupTool.run("validate", "--config", "/nowhere/at/all", "--json")
        #expect(result.status == 1)
        #expect(try result.jsonErrors.map { $0["message"] } == ["the folder does not exist"])
    }
}

#endif
