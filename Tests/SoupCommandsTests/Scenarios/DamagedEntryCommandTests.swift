// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import GRDB
import SoupLocalOrg
import SoupCore
import Testing

/// Tests the commands with an entry whose stored text is damaged.
@Suite struct DamagedEntryCommandTests {
    /// Truncates the stored text of an entry directly in the database.
    private func damage(_ id: Int64, in folder: WorkFolder) async throws {
        let queue = try DatabaseQueue(path: folder.path + "/userstore.db")
        defer { try? queue.close() }
        try await queue.write { db in
            let table = try #require(
                try Int64.fetchOne(db, sql: "SELECT id FROM soup_attrs WHERE soupName = 'contacts'"))
            try db.execute(
                sql: "UPDATE TABLE_\(table) SET soup = substr(soup, 1, length(soup) - 5) WHERE id = ?",
                arguments: [id])
        }
    }

    @Test func `Each command names the entry, and prints its bytes`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
        try await ServedOrg.with(seed: .tiny) { org in
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            #expect(try await org.soup(folder, "edit", "contacts", "1", "Title=Mine").status == 0)
            #expect(try await org.soup(folder, "edit", "contacts", "2", "Title=Mine").status == 0)
            let raw = ["retrieve", "contacts", "1", "--raw", "--config", folder.path]
            let whole = try #require(try await SoupTool.run(raw).output.first)
            #expect(try await SoupTool.run(raw + ["--json"]).status == 2, "the bytes may not be JSON")
            try await damage(1, in: folder)
            let left = String(whole.dropLast(5))

            let up = try await org.soup(folder, "sync", "up")
            #expect(up.status == 1)
            let outcomes = try up.json.filter { $0["entryId"] == 1 || $0.outcome?.entryId == 1 }
            #expect(outcomes.count == 1, "\(up.output)")
            let failure = try #require(try await org.soup(folder, "failures").json.first)
            #expect(failure["entryId"] == 1 && failure["soup"] == "contacts")
            #expect(failure["error"]?["errorCode"] == "ENTRY_DAMAGED")

            let both = try await org.soup(folder, "retrieve", "contacts", "1", "2")
            #expect(both.status == 1)
            #expect(try both.json.map { $0["_soupEntryId"] } == [2])
            #expect(try both.jsonErrors.first?["code"] == "entryDamaged")
            let shown = try await SoupTool.run(["retrieve", "contacts", "1", "2", "--config", folder.path])
            #expect(shown.errors.last == "1 of 2 entries could not be read")
            let bytes = try await SoupTool.run(raw)
            #expect(bytes.status == 0 && bytes.output == [left])
            for command in [
                ["edit", "contacts", "1", "Title=Again"], ["discard", "contacts", "1"],
                ["delete", "contacts", "1", "2"],
            ] {
                let run = try await SoupTool.run(
                    command + ["--config", folder.path, "--json"], environment: org.environment)
                #expect(run.status == 1, "\(command)")
                #expect(run.errors.joined().contains("entry 1 of soup"), "\(command): \(run.errors)")
            }
            let kept = try await org.soup(folder, "retrieve", "contacts", "2").json
            #expect(kept.first?["__locally_deleted__"] != true, "no entry is deleted beside a damaged one")

            // The hints recommend to replace or to remove the entry.
            let corrected = whole.replacing("{", with: #"{"_soupEntryId": 1, "#, maxReplacements: 1)
            let written = try await SoupTool.run(["upsert", "contacts", "--config", folder.path], input: corrected)
            #expect(written.status == 0, "\(written.errors)")
            #expect(try await org.soup(folder, "retrieve", "contacts", "1").json.first?["Title"] == "Mine")
            #expect(try await org.soup(folder, "sync", "up").status == 0)
            try await damage(1, in: folder)
            #expect(try await org.soup(folder, "delete", "contacts", "1", "--now").status == 0)
            #expect(try await org.soup(folder, "sync", "up").status == 0)
        }
    }
}

#endif
