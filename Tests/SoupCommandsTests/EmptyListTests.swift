// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupCore
import Testing

/// A list without rows is a sentence, not a header over nothing.
@Suite struct EmptyListTests {
    @Test(
        arguments: [
            (["conflicts"], "no entry is in conflict"),
            (["conflicts", "notes"], "no entry of soup notes is in conflict"),
            (["conflicts", "notes", "7"], "no entry of soup notes with the id 7 is in conflict"),
            (["failures"], "no change was refused"), (["failures", "notes"], "no change of soup notes was refused"),
            (["resolve"], "no creation waits for an answer"),
            (["status"], "there are no syncs; usersyncs.json is where they are made"),
        ])
    func `Nothing is told in a sentence`(_ command: [String], _ sentence: String) async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store])
        let nobody = ["SOUP_INSTANCE_URL": "http://127.0.0.1:1", "SOUP_ACCESS_TOKEN": "x"]
        let people = try await SoupTool.run(command + ["--config", folder.path], environment: nobody)
        #expect(people.status == 0)
        #expect(people.output == [sentence])
        let scripts = try await SoupTool.run(command + ["--config", folder.path, "--json"], environment: nobody)
        #expect(scripts.output == [], "scripts count lines")
    }

    @Test func `Soups and stores too`() async throws {
        let folder = try WorkFolder(["userstore.json": #"{"soups": []}"#])
        for command in ["soups", "stats"] {
            let told = try await SoupTool.run([command, "--config", folder.path])
            #expect(told.output.first == "the store has no soups")
        }
        let empty = try WorkFolder()
        #expect(
            try await SoupTool.run(["stores", "--config", empty.path]).output == ["\(empty.path) has no stores yet"])
    }

    @Test func `An entry that is not there is told beside those that are`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store])
        _ = try await SoupTool.run("upsert", "notes", "--config", folder.path, input: #"{"key": "a"}"#)
        let found = try await SoupTool.run("retrieve", "notes", "1", "8", "9", "--config", folder.path)
        #expect(found.status == 0 && found.output.count == 1)
        #expect(found.errors == ["note: soup notes has no entry 8, 9"])
    }
}

#endif
