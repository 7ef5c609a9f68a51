// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

/// Tests the arguments, the output and the notes of `soup query`.
@Suite struct QueryTests {
    private let folder: WorkFolder

    init() throws { folder = try WorkFolder(["userstore.json": WorkFolder.store]) }

    private func soup(_ arguments: String..., input: String = "") async throws -> FinishedSoup {
        try await SoupTool.run(arguments + ["--config", folder.path, "--json"], input: input)
    }

    private func warnings(_ run: FinishedSoup) throws -> [JSONValue?] {
        try run.errors.map { try JSONValue(parsing: $0)["warning"] }
    }

    @Test func `Arguments are passed to Smart SQL and in specs`() async throws {
        _ = try await soup("upsert", "notes", input: #"[{"key": "a", "n": 1}, {"key": "5", "n": 2}]"#)
        let sql = "select {notes:n} from {notes} where {notes:key} = ?"
        #expect(try await soup("query", sql, "a").output == ["[1]"])
        #expect(try await soup("query", sql, #""5""#).output == ["[2]"])
        let spec = #"{"queryType": "smart", "smartSql": "\#(sql)", "args": ["a"]}"#
        #expect(try await soup("query", "--spec", "-", input: spec).output == ["[1]"])
        #expect(try await soup("query", "--spec", "-", input: spec.replacing(#"["a"]"#, with: "5")).status == 1)
        let all = #"{"queryType": "all", "soupName": "notes", "orderPath": "key", "selectPaths": ["key"]}"#
        #expect(try await soup("query", "--spec", "-", input: all).output == [#"["5"]"#, #"["a"]"#])
    }

    @Test func `Missing files and arguments are reported`() async throws {
        let file = try await soup("query", "--spec", folder.path + "/nope.json")
        #expect(file.status == 1)
        #expect(try file.jsonErrors.map { $0["message"] } == [.string("there is no file \(folder.path)/nope.json")])
        let one = try await soup("query", "select {notes:key} from {notes} where {notes:key} = ?")
        #expect(
            try one.jsonErrors.map { $0["message"] } == ["the query has 1 parameter, and 0 arguments were given"])
        #expect(try one.jsonErrors.first?["hint"]?.stringValue?.contains("one argument for each ?") == true)
        let two = try await soup("query", "select ? || ?", "a")
        #expect(
            try two.jsonErrors.map { $0["message"] } == ["the query has 2 parameters, and 1 argument was given"])
    }

    @Test func `Ignored keys of a spec are warnings`() async throws {
        let spec = """
            {"queryType": "range", "soupName": "notes", "indexPath": "key", "beginKey": "a",
             "orderPath": "kye", "order": "desc",
             "pageSize": 0, "selectPath": ["key"]}
            """
        let run = try await soup("query", "--spec", "-", input: spec)
        #expect(run.status == 0)
        let warnings = try warnings(run)
        #expect(warnings.map { $0?["path"] } == ["order", "pageSize", "selectPath", nil])
        #expect(warnings.map { $0?["line"] } == [2, 3, 3, nil])
        #expect(warnings.last??["message"]?.stringValue?.hasPrefix(#""kye" is not an index of notes"#) == true)
        #expect(warnings.last??["hint"] == #"Did you mean "key"?"#)
    }

    /// In the output to a pipe, texts are printed in full.
    @Test func `Texts are cut only on a terminal`() async throws {
        let long = String(repeating: "abcdefghij", count: 20)
        _ = try await soup("upsert", "notes", input: #"[{"key": "a", "n": "\#(long)"}, {"key": "b", "n": "short"}]"#)
        let command = [
            "query", "select {notes:key}, {notes:n}, {notes:key} from {notes} order by 1", "--config", folder.path,
        ]
        let piped = try await SoupTool.run(command)
        #expect(piped.output == ["a  \(long)  a", "b  short\(String(repeating: " ", count: 195))  b"])
        let shown = try await SoupOnTerminal.run(command, columns: 60)
        #expect(shown.map(\.count) == [60, 60], "\(shown)")
        #expect(shown.first == "a  \(long.prefix(53))…  a")
        #expect(try await SoupOnTerminal.run(command + ["--wide"], columns: 60) == piped.output)
        #expect(try await SoupOnTerminal.run(command, columns: 300) == piped.output)
        let entry = try await SoupTool.run(
            "query", "select {notes:_soup} from {notes} where {notes:key} = 'a'", "--config", folder.path)
        #expect(try JSONValue(parsing: entry.output.first ?? "")["n"] == .string(long))
    }

    @Test func `A note explains the cost of a path without an index`() async throws {
        func message(_ sql: String) async throws -> String? {
            try warnings(try await soup("query", sql)).first??["message"]?.stringValue
        }
        let found = try await message("select {notes:n} from {notes} where {notes:key} = 'a'")
        #expect(found == #""n" is not an index of notes, so it is read from the text of the matching entries"#)
        let all = try await message("select {notes:key} from {notes} where {notes:n} = 1")
        #expect(all == #""n" is not an index of notes, so every entry is read"#)
        #expect(try await message("select {notes:key} from {notes}") == nil)
    }
}

#endif
