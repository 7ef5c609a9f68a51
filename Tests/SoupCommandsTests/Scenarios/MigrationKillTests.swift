// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

/// Tests a migration of several soups whose process is killed.
@Suite struct MigrationKillTests {
    static let soups = ["a", "b", "c"]

    static func store(_ indexes: String) -> String {
        let list = soups.map { #"{"soupName": "\#($0)", "indexes": [\#(indexes)]}"# }
        return #"{"soups": [\#(list.joined(separator: ", "))]}"#
    }

    static let old = store(#"{"path": "k", "type": "string"}, {"path": "n", "type": "string"}"#)
    static let new = store(
        #"""
        {"path": "text", "type": "full_text"}, {"path": "n", "type": "integer"}, {"path": "m", "type": "json1"},
        {"path": "k", "type": "string"}
        """#)

    static func soup(_ folder: WorkFolder, _ arguments: String..., input: String = "") async throws -> FinishedSoup {
        try await SoupTool.run(arguments + ["--config", folder.path, "--json"], input: input)
    }

    /// Returns the contents of the store, read through every index.
    static func state(_ folder: WorkFolder) async throws -> [String] {
        var lines: [String] = []
        for name in soups {
            lines += try await soup(
                folder, "query",
                "select {\(name):_soupEntryId}, {\(name):_soup}, {\(name):k}, {\(name):n}, {\(name):m}, {\(name):text} "
                    + "from {\(name)} order by 1", "--page-size", "10000"
            ).output
            let match =
                #"{"queryType":"match","soupName":"\#(name)","indexPath":"text","matchKey":"three","pageSize":10000}"#
            lines.append("\(try await soup(folder, "query", "--spec", "-", input: match).output.count) match")
            lines += try await soup(folder, "query", "select count(*) from {\(name)} where {\(name):n} > 100").output
        }
        return lines
    }

    @Test(arguments: [0, 1, 2]) func `The next migration completes a killed one`(line: Int) async throws {
        let folder = try WorkFolder(["userstore.json": Self.old])
        let words = ["one", "two", "three"]
        for name in Self.soups {
            let records = (0..<400).map {
                #"{"k":"\#($0)","n":"\#($0)","m":{"x":\#($0)},"text":"\#(words[$0 % 3]) \#(words[$0 % 2])"}"#
            }
            #expect(try await Self.soup(folder, "upsert", name, input: records.joined(separator: "\n")).status == 0)
        }
        try folder.write(Self.new, to: "userstore.json")

        let running = try SoupTool.start(["migrate", "--config", folder.path, "--json"])
        try running.write("")
        var migrated: [String] = []
        if line == 0 { running.kill(SIGKILL) }
        for await text in running.output {
            if let step = try? JSONValue(parsing: text) { migrated.append(step["soupName"]?.stringValue ?? "") }
            if migrated.count == line { running.kill(SIGKILL) }
        }
        _ = await running.end()
        #expect(migrated == Array(Self.soups.prefix(migrated.count)))

        let rest = try await Self.soup(folder, "migrate")
        #expect(rest.status == 0)
        let names = try rest.json.compactMap { $0["soupName"]?.stringValue }
        // Opening the store may complete the soup whose migration was interrupted.
        #expect(names == Array(Self.soups.suffix(names.count)) && migrated.count + names.count <= Self.soups.count)
        #expect(try await Self.soup(folder, "plan").output == [])

        let state = try await Self.state(folder)
        #expect(state.count == 3 * 402)
        let matches = (0..<400).count { words[$0 % 3] == "three" || words[$0 % 2] == "three" }
        #expect(state.filter { $0 == "\(matches) match" }.count == 3)
        #expect(state.filter { $0 == "[299]" }.count == 3)
    }
}

#endif
