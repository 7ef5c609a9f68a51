// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

/// Tests the commands that list, migrate and remove soups and stores.
@Suite struct PlanTests {
    private static func store(_ soups: String...) -> String {
        let objects = soups.map { #"{"soupName": "\#($0)", "indexes": [{"path": "key", "type": "string"}]}"# }
        return #"{"soups": [\#(objects.joined(separator: ", "))]}"#
    }
    private static func new(_ soup: String) -> String {
        #"{"soupName":"\#(soup)","isNew":true,"added":[{"path":"key","type":"string"}],"dropped":[]}"#
    }

    private let folder: WorkFolder

    init() throws { folder = try WorkFolder(["userstore.json": Self.store("notes")]) }

    private func soup(_ arguments: String..., input: String = "") async throws -> FinishedSoup {
        try await SoupTool.run(arguments + ["--config", folder.path, "--json"], input: input)
    }

    @Test func `A plan creates neither a file nor a soup`() async throws {
        #expect(try await soup("plan").output == [Self.new("notes")])
        #expect(try folder.files == ["userstore.json"])
        #expect(try await soup("plan", "--store", folder.path + "/none/other.db").output == [Self.new("notes")])
        #expect(try folder.files == ["userstore.json"])
        #expect(try await soup("upsert", "notes", input: #"{"key": "a"}"#).status == 0)

        try folder.write(Self.store("notse", "more"), to: "userstore.json")
        for _ in 1...2 {
            let plan = try await soup("plan")
            #expect(plan.status == 0)
            #expect(plan.output == [Self.new("notse"), Self.new("more")])
            let warnings = try plan.errors.map { try JSONValue(parsing: $0)["warning"] }
            #expect(
                warnings.map { $0?["message"] } == [
                    .string(
                        #"the store contains soup "notes", which the file does not name; the most similar name in the "#
                            + #"file is "notse""#)
                ])
            #expect(warnings.map { $0?["path"] } == ["soups"])
        }
        #expect(try await soup("migrate").output == [Self.new("notse"), Self.new("more")])
        #expect(try await soup("plan").output == [])
    }

    @Test func `A soup is removed unless it has local changes`() async throws {
        try folder.write(Self.store("notes", "notse"), to: "userstore.json")
        #expect(try await soup("upsert", "notse", input: #"{"key": "a"}"#).status == 0)
        try folder.write(Self.store("notes"), to: "userstore.json")
        let removed = try await soup("soups", "--remove", "notse")
        #expect(try removed.json.map { [$0["soupName"], $0["count"]] } == [["notse", 1]])
        #expect(try await soup("soups").json.map { $0["soupName"] } == ["notes"])
        let gone = try await soup("soups", "--remove", "notse")
        #expect(gone.status == 1)
        #expect(try gone.jsonErrors.map { $0["code"] } == ["soupNotFound"])

        #expect(try await soup("create", "notes", "key=b").status == 0)
        let refused = try await soup("soups", "--remove", "notes")
        #expect(refused.status == 1)
        #expect(try refused.jsonErrors.map { $0["code"] } == ["localChanges"])
        #expect(try await soup("query", "select {notes:key} from {notes}").output == [#"["b"]"#])
        #expect(try await soup("soups", "--remove", "notes", "--force").status == 0)
        #expect(try await soup("query", "select count(*) from {notes}").output == ["[0]"])
        #expect(try await soup("soups", "--remove", "syncs_soup", "--force").status == 1)
        #expect(try await soup("soups", "--force").status == 2)
    }

    @Test func `Stores are listed with the configured one`() async throws {
        _ = try await soup("upsert", "notes", input: #"{"key": "a"}"#)
        _ = try await soup("upsert", "notes", "--store", folder.path + "/userstore-old.db", input: #"{"key": "a"}"#)
        let refused = try await soup("stores", "--remove", "defaultStore", "--store", folder.path + "/other.db")
        #expect(refused.status == 2)
        #expect(try await soup("stores", "--store", "x.db").status == 2)
        func listed() async throws -> [[JSONValue?]] {
            try await soup("stores").json.map { [$0["storeName"], $0["isConfigured"]] }
        }
        #expect(try await listed() == [["defaultStore", true], ["old", false]])
        try folder.write(
            Self.store("notes").replacing(
                "{\"soups\"", with: #"{"backend": {"type": "sqlite", "path": "mine.db"}, "soups""#),
            to: "userstore.json")
        #expect(try await listed() == [["defaultStore", false], ["old", false]])
        _ = try await soup("soups")
        #expect(try await listed() == [["defaultStore", false], ["old", false], [.null, true]])
    }

    @Test(arguments: ["syncs_soup", "syncs_in_flight"])
    func `The soups of the syncs are reserved`(name: String) async throws {
        try folder.write(Self.store("notes", name), to: "userstore.json")
        let validated = try await soup("validate")
        #expect(validated.status == 1)
        #expect(try validated.jsonErrors.map { $0["path"] } == ["soups[1].soupName"])
        #expect(try validated.jsonErrors.map { $0["code"] } == ["badSoupName"])
        #expect(try await soup("soups").status == 1)
        #expect(try folder.files == ["userstore.json"])
    }

    @Test func `The soup of a spec excludes another --soup`() async throws {
        _ = try await soup("upsert", "notes", input: #"{"key": "a"}"#)
        let spec = #"{"queryType": "range", "soupName": "notes"}"#
        #expect(try await soup("query", "--spec", "-", "--soup", "notes", input: spec).output.count == 1)
        #expect(try await soup("query", "--spec", "-", "--soup", "others", input: spec).status == 2)
    }

    @Test func `A wrong argument is named in the error`() async throws {
        let named = try await SoupTool.run("soups", "--config", folder.path + "/userstore.json", "--json")
        #expect(try named.jsonErrors.map { $0["message"] } == ["this is a file, not a folder"])
        let page = try await soup("query", "select 1", "--page", "-1")
        #expect(page.status == 2)
        #expect(try page.jsonErrors.map { $0["message"]?.stringValue?.contains("counted from 0") } == [true])
    }
}

#endif
