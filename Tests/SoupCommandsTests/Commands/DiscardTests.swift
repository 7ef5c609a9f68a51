// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupLocalOrg
import SoupCore
import Testing

/// Tests `soup discard --all`.
@Suite struct DiscardTests {
    private static func folder() throws -> WorkFolder {
        try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
    }

    @Test func `All changes of one soup are discarded`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try Self.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            let before = try await org.soup(folder, "query", "select {contacts:_soup} from {contacts}").output
            #expect(try await org.soup(folder, "edit", "contacts", "1", "Title=Mine").status == 0)
            #expect(try await org.soup(folder, "delete", "contacts", "2").status == 0)
            let created = try await org.soup(folder, "create", "contacts", "LastName=New")
            let new = try #require(try created.json.first?["_soupEntryId"])
            #expect(try await org.soup(folder, "create", "notes", "key=kept", "--type", "Note").status == 0)

            let discarded = try await org.soup(folder, "discard", "contacts", "--all")
            #expect(discarded.status == 0 && discarded.errors == [])
            #expect(
                try discarded.json == [
                    ["soup": "contacts", "entryId": new, "result": "removed"],
                    ["soup": "contacts", "entryId": 2, "result": "restored"],
                    ["soup": "contacts", "entryId": 1, "result": "restored"],
                ])
            let after = try await org.soup(folder, "query", "select {contacts:_soup} from {contacts}").output
            #expect(after.map(Self.withoutTime) == before.map(Self.withoutTime))
            #expect(try await org.soup(folder, "soups").json.map { $0["dirty"] }.prefix(2) == [0, 1])
            let none = try await SoupTool.run("discard", "contacts", "--all", "--config", folder.path)
            #expect(none.status == 0 && none.output == ["no entry of soup contacts has local changes"])
        }
    }

    /// Returns an entry without the time at which the store wrote it.
    private static func withoutTime(_ row: String) -> JSONValue? {
        var entry = (try? JSONValue(parsing: row))?[0]?.objectValue
        entry?["_soupLastModifiedDate"] = nil
        return entry.map { .object($0) }
    }

    /// A create whose response was lost may be on the server: the entry is kept and reported.
    @Test func `A change that cannot be discarded is reported`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try Self.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            let lost = try await org.soup(folder, "create", "contacts", "LastName=Lost")
            let id = try #require(try lost.json.first?["_soupEntryId"]?.intValue)
            org.org.add(OrgFault(.drop(.afterCommit), method: "POST", count: 1))
            #expect(try await org.soup(folder, "sync", "up").status == 1)
            #expect(try await org.soup(folder, "edit", "contacts", "1", "Title=Mine").status == 0)
            let discarded = try await org.soup(folder, "discard", "contacts", "--all")
            #expect(discarded.status == 1)
            #expect(try discarded.json == [["soup": "contacts", "entryId": 1, "result": "restored"]])
            #expect(try discarded.jsonErrors.map { $0["code"] } == ["outcomeUnknown"])
            let kept = try await org.soup(folder, "retrieve", "contacts", String(id))
            #expect(try kept.json.first?["__local__"] == true)
        }
    }

    @Test(arguments: [["contacts"], ["contacts", "1", "--all"], ["--all"], []])
    func `IDs and --all exclude each other, and one is required`(arguments: [String]) async throws {
        #expect(try await SoupTool.run(["discard"] + arguments + ["--json"]).status == 2)
    }
}

#endif
