// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupCore
import Testing

/// Tests that a list without rows is printed as a sentence, not as a table header.
@Suite struct EmptyListTests {
    @Test(
        arguments: [
            (["conflicts"], "no entry is in conflict"),
            (["conflicts", "notes"], "no entry of soup notes is in conflict"),
            (["conflicts", "notes", "7"], "no entry of soup notes with the ID 7 is in conflict"),
            (["failures"], "no change was refused"), (["failures", "notes"], "no change of soup notes was refused"),
            (["resolve"], "no create has an unknown outcome"),
            (["status"], "the store has no syncs; define them in usersyncs.json"),
        ])
    func `An empty list is a sentence`(_ command: [String], _ sentence: String) async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store])
        let unreachable = ["SOUP_INSTANCE_URL": "http://127.0.0.1:1", "SOUP_ACCESS_TOKEN": "x"]
        let text = try await SoupTool.run(command + ["--config", folder.path], environment: unreachable)
        #expect(text.status == 0)
        #expect(text.output == [sentence])
        let json = try await SoupTool.run(command + ["--config", folder.path, "--json"], environment: unreachable)
        #expect(json.output == [], "an empty list has no lines of JSON")
    }

    @Test func `Empty lists of soups and stores are sentences`() async throws {
        let folder = try WorkFolder(["userstore.json": #"{"soups": []}"#])
        for command in ["soups", "stats"] {
            let run = try await SoupTool.run([command, "--config", folder.path])
            #expect(run.output.first == "the store has no soups")
        }
        let empty = try WorkFolder()
        #expect(
            try await SoupTool.run(["stores", "--config", empty.path]).output == ["\(empty.path) has no stores"])
    }

    @Test func `A missing entry is reported and the others are printed`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store])
        _ = try await SoupTool.run("upsert", "notes", "--config", folder.path, input: #"{"key": "a"}"#)
        let found = try await SoupTool.run("retrieve", "notes", "1", "8", "9", "--config", folder.path)
        #expect(found.status == 0 && found.output.count == 1)
        #expect(found.errors == ["note: soup notes has no entry 8, 9"])
    }
}

#endif
