// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import SoupKit
import Testing

@Suite struct SchemaTests {
    @Test(arguments: ["usersyncs.json", "globalsyncs.json", "Config/usersyncs.json"])
    func `The schema of a file is printed`(file: String) async throws {
        let run = try await SoupTool.run("schema", file)
        #expect(run.status == 0 && run.output.count == 1 && run.errors == [])
        #expect(try run.json.first == ConfigurationSchema.syncs.schema())
        #expect(try run.json.first?["$defs"]?["down.soql"]?["required"] == ["query"])
    }

    @Test func `The schemas of all files are written into a folder`() async throws {
        let folder = try WorkFolder()
        let run = try await SoupTool.run("schema", "--output", "\(folder.path)/schemas")
        #expect(run.status == 0 && run.output.count == 3)
        for schema in ConfigurationSchema.allCases {
            let name = schema.rawValue.replacing(".json", with: ".schema.json")
            let text = try String(contentsOfFile: "\(folder.path)/schemas/\(name)", encoding: .utf8)
            #expect(try JSONValue(parsing: text) == schema.schema())
        }
    }

    @Test(arguments: [[], ["usersync.json"], ["org.json", "--output", "x"]])
    func `Wrong arguments are refused`(arguments: [String]) async throws {
        let run = try await SoupTool.run(["schema"] + arguments)
        #expect(run.status == 2 && run.output == [], "\(run)")
    }
}

#endif
