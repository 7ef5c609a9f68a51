// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import SoupKit
import Testing

/// Help, wrong arguments and invalid input.
@Suite struct StoreCommandUsageTests {
    private let folder: WorkFolder

    init() throws { folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs]) }

    private func soup(_ arguments: String..., input: String = "") async throws -> FinishedSoup {
        try await SoupTool.run(arguments + ["--config", folder.path, "--json"], input: input)
    }

    @Test func `Invalid input is refused with its place`() async throws {
        let cases: [(String, String, Int64)] = [
            ("{\"key\": \"a\"}\n{\"key\":}\n", "json", 2), ("[1]", "json", 1), ("5", "json", 1), ("", "json", 1),
        ]
        for (input, code, line) in cases {
            let result = try await soup("upsert", "notes", input: input)
            #expect(result.status == 1, "\(input)")
            #expect(result.output == [])
            let errors = try result.jsonErrors
            #expect(errors.map { $0["code"] } == [.string(code)], "\(input)")
            #expect(errors.map { $0["line"] ?? 1 } == [.int(line)], "\(input)")
        }
        #expect(try await soup("query", "select count(*) from {notes}").output == ["[0]"])
        #expect(try await soup("query", "delete from {notes}").jsonErrors.map { $0["code"] } == ["onlySelect"])
        #expect(try await soup("edit", "notes", "7", "a=1").status == 1)
        #expect(try await soup("upsert", "nowhere", input: "{}").status == 1)
    }

    @Test(arguments: [
        ["nonsense"], ["sync"], ["edit", "notes", "x", "a=1"], ["create", "notes", "noequals"], ["query"],
        ["query", "x", "--spec", "y"], ["query", "x", "--page", "-1"], ["retrieve", "notes"], ["soups", "--nonsense"],
    ])
    func `Usage errors exit 2`(arguments: [String]) async throws {
        let running = try SoupTool.start(arguments + ["--json", "--config", folder.path])
        try running.write("")
        var errors: [String] = []
        for await line in running.errors { errors.append(line) }
        #expect(await running.end() == 2)
        #expect(errors.count == 1)
        #expect(try JSONValue(parsing: errors.first ?? "")["error"]?["code"] == "usage")
    }

    @Test func `Help exits 0`() async throws {
        for arguments in [["--help"], ["sync", "--help"], ["help", "query"], ["--version"]] {
            let running = try SoupTool.start(arguments)
            try running.write("")
            var output: [String] = []
            for await line in running.output { output.append(line) }
            #expect(await running.end() == 0)
            #expect(!output.isEmpty)
        }
    }
}

#endif
