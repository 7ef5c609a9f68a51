// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupLocalOrg
import SoupCore
import Testing

/// Tests the commands that sync, with an org that is served over HTTP.
@Suite struct SyncTests {
    static func folder() throws -> WorkFolder {
        try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
    }

    /// Returns the entry of a contact.
    static func entry(of id: String, in folder: WorkFolder, _ org: ServedOrg) async throws -> JSONValue {
        let query = "select {contacts:_soup} from {contacts} where {contacts:Id} = '\(id)'"
        return try #require(try await org.soup(folder, "query", query).json.first?[0])
    }

    @Test func `Every state is printed as a line`() async throws {
        try await ServedOrg.with { org in
            let folder = try Self.folder()
            let down = try await org.soup(folder, "sync", "down")
            #expect(down.status == 0)
            #expect(down.errors == [])
            let states = try down.json
            #expect(states.allSatisfy { $0["event"] == "state" && $0.objectValue?.keys == ["event", "sync"] })
            #expect(states.first?["sync"]?["status"] == "RUNNING")
            let last = try #require(states.last?["sync"])
            #expect(last["status"] == "DONE")
            #expect(last["progress"] == 100)
            #expect(last["totalSize"] == 1000)
            #expect(
                last.objectValue?.keys == [
                    "_soupEntryId", "type", "name", "target", "options", "soupName", "status", "progress", "totalSize",
                    "maxTimeStamp", "startTime", "endTime", "error",
                ])
            let status = try await org.soup(folder, "status")
            #expect(try status.json.map { $0["name"] } == ["down", "up"])
            #expect(try status.json.first == last, "the last line is the row of the soup")
            #expect(try await org.soup(folder, "status", "up").json.map { $0["status"] } == ["NEW"])
            #expect(
                try await org.soup(folder, "query", "select count(*) from {contacts}").output == ["[1000]"])
        }
    }

    @Test func `A sync of a soup in memory is noted`() async throws {
        try await ServedOrg.with { org in
            let folder = try Self.folder()
            let routes = #""default": {"type": "sqlite"}, "routes": {"contacts": {"type": "memory"}}"#
            let backend = #""backend": {"type": "routed", \#(routes)}"#
            try folder.write(
                WorkFolder.store.replacing("{\"soups\"", with: "{\(backend), \"soups\""), to: "userstore.json")
            let down = try await org.soup(folder, "sync", "down")
            let note = "the soup \"contacts\" is in memory, so its entries are gone when this command ends"
            #expect(try down.jsonWarnings.compactMap { $0["message"]?.stringValue } == [note])
            #expect(try down.json.last?["sync"]?["status"] == "DONE")
        }
    }

    @Test func `A bulk job is reported`() async throws {
        try await ServedOrg.with { org in
            let bulk = #"FROM Contact", "maxBatchSize": 200, "bulkThreshold": 5}"#
            let folder = try WorkFolder([
                "userstore.json": WorkFolder.store,
                "usersyncs.json": WorkFolder.syncs.replacing(#"FROM Contact"}"#, with: bulk),
            ])
            let first = try await org.soup(folder, "sync", "down")
            #expect(try first.json.last == ["event": "job", "name": "down", "job": "used"])
            #expect(try await org.soup(folder, "query", "select count(*) from {contacts}").output == ["[1000]"])
            #expect(try await org.soup(folder, "sync", "down").json.allSatisfy { $0["event"] == "state" })
            let read = try await SoupTool.run(
                ["sync", "down", "--renew", "--config", folder.path], environment: org.environment)
            #expect(read.output.last == "down: DONE, 1000 unchanged, read by a bulk job")
        }
    }

    @Test func `The org contains exactly the pushed changes`() async throws {
        try await ServedOrg.with { org in
            let folder = try Self.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            var rows = try org.rows("Contact")
            let cases = Set(try org.org.state(of: "Case").compactMap { $0["ContactId"]?.stringValue })
            let ids = rows.keys.filter { !cases.contains($0) }.sorted()
            let edited = try await Self.entry(of: ids[0], in: folder, org)
            let deleted = try await Self.entry(of: ids[1], in: folder, org)
            let editedId = String(edited["_soupEntryId"]?.intValue ?? 0)
            let deletedId = String(deleted["_soupEntryId"]?.intValue ?? 0)
            #expect(try await org.soup(folder, "edit", "contacts", editedId, "Title=Captain").status == 0)
            #expect(try await org.soup(folder, "delete", "contacts", deletedId).status == 0)
            let created = try await org.soup(folder, "create", "contacts", "FirstName=Grace", "LastName=Hopper")
            let createdId = try #require(try created.json.first?["_soupEntryId"]?.intValue)

            let up = try await org.soup(folder, "sync", "up")
            #expect(up.status == 0)
            let outcomes = try up.json.filter { $0["event"] == "outcome" }
            let newId = try #require(outcomes.first { $0["action"] == "create" }?["id"]?.stringValue)
            func outcome(of action: String, entry: Int64, id: String) -> JSONValue {
                [
                    "event": "outcome", "soup": "contacts", "entryId": .int(entry), "id": .string(id),
                    "action": .string(action), "result": "ok",
                ]
            }
            #expect(
                Set(outcomes)
                    == [
                        outcome(of: "update", entry: Int64(editedId) ?? 0, id: ids[0]),
                        outcome(of: "delete", entry: Int64(deletedId) ?? 0, id: ids[1]),
                        outcome(of: "create", entry: createdId, id: newId),
                    ])

            let after = try org.rows("Contact")
            #expect(after[ids[0]]?["Title"] == "Captain")
            #expect(after[newId]?["LastName"] == "Hopper" && after[newId]?["FirstName"] == "Grace")
            for id in [ids[0], ids[1]] { rows[id] = nil }
            #expect(after.filter { $0.key != ids[0] && $0.key != newId } == rows)
            #expect(try await org.soup(folder, "soups").json.allSatisfy { $0["dirty"] == 0 })
            #expect(try await org.soup(folder, "sync", "up").json.filter { $0["event"] == "outcome" } == [])
            #expect(try await org.soup(folder, "retrieve", "contacts", deletedId).output == [])
        }
    }

    @Test func `Conflicts are skipped and ghosts are cleaned`() async throws {
        try await ServedOrg.with(seed: .medium) { org in
            let folder = try Self.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            let cases = Set(try org.org.state(of: "Case").compactMap { $0["ContactId"]?.stringValue })
            let ids = try org.rows("Contact").keys.filter { !cases.contains($0) }.sorted()
            let entry = try await Self.entry(of: ids[0], in: folder, org)
            let entryId = String(entry["_soupEntryId"]?.intValue ?? 0)
            #expect(try await org.soup(folder, "edit", "contacts", entryId, "Title=Mine").status == 0)
            try org.org.edit("Contact", id: ids[0], ["Title": "Theirs"])
            let up = try await org.soup(folder, "sync", "up")
            #expect(up.status == 0, "a skipped change is not a failure")
            #expect(try up.json.filter { $0["event"] == "outcome" }.map { $0["result"] } == ["skipped"])
            #expect(try org.rows("Contact")[ids[0]]?["Title"] == "Theirs")
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            #expect(try await Self.entry(of: ids[0], in: folder, org)["Title"] == "Theirs")

            try org.org.delete("Contact", id: ids[1])
            let cleaned = try await org.soup(folder, "clean-ghosts", "down")
            #expect(cleaned.output == [#"{"sync":"down","removed":1,"soups":{"contacts":1}}"#])
            #expect(try await org.soup(folder, "query", "select count(*) from {contacts}").output == ["[999]"])
            let wrong = try await org.soup(folder, "clean-ghosts", "up")
            #expect(wrong.status == 1)
            #expect(try wrong.jsonErrors.map { $0["code"] } == ["notASyncDown"])
        }
    }

    @Test func `Cleaning most records requires a confirmation`() async throws {
        try await ServedOrg.with { org in
            let folder = try Self.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            // The org does not delete a contact that has cases.
            let withCases = Set(try org.org.state(of: "Case").compactMap { $0["ContactId"]?.stringValue })
            let free = try org.rows("Contact").keys.sorted().filter { !withCases.contains($0) }
            try #require(free.count >= 501)
            for id in free.prefix(501) { try org.org.delete("Contact", id: id) }
            let stopped = try await org.soup(folder, "clean-ghosts", "down")
            #expect(stopped.status == 1 && stopped.output == [])
            #expect(try stopped.jsonErrors.map { $0["code"] } == ["tooManyGhosts"])
            #expect(try await org.soup(folder, "query", "select count(*) from {contacts}").output == ["[1000]"])

            // The store keeps its definition of the sync, and the command reports the difference.
            let confirming = #""OVERWRITE", "removeAllGhosts": true"#
            try folder.write(WorkFolder.syncs.replacing(#""OVERWRITE""#, with: confirming), to: "usersyncs.json")
            let changed = try await org.soup(folder, "clean-ghosts", "down")
            #expect(changed.status == 1)
            #expect(try changed.jsonErrors.map { $0["code"] } == ["tooManyGhosts"])
            #expect(try changed.jsonErrors.first?["hint"]?.stringValue?.contains("soup sync down --renew") == true)
            #expect(try changed.jsonWarnings.map { $0["path"] } == ["syncs[0]"])
            let confirmed = try await org.soup(folder, "clean-ghosts", "down", "--all")
            #expect(confirmed.output == [#"{"sync":"down","removed":501,"soups":{"contacts":501}}"#])
            #expect(confirmed.status == 0)
        }
    }

    @Test func `A changed definition is reported, and --renew applies it`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try Self.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            try folder.write(
                WorkFolder.syncs.replacing("LastName, Title FROM", with: "LastName, Title, Email FROM"),
                to: "usersyncs.json")
            let query = "select count(*) from {contacts} where {contacts:Email} is not null"
            let old = try await org.soup(folder, "sync", "down")
            #expect(old.status == 0)
            #expect(old.errors.count == 1 && old.errors[0].contains("--renew") && old.errors[0].contains("syncs[0]"))
            #expect(try await org.soup(folder, "query", query).output == ["[0]"])

            let new = try await org.soup(folder, "sync", "down", "--renew")
            #expect(new.status == 0 && new.errors == [])
            let contacts = try org.rows("Contact").values.filter { $0["Email"]?.isNull == false }
            #expect(!contacts.isEmpty)
            #expect(try await org.soup(folder, "query", query).output == ["[\(contacts.count)]"])
            let unknown = try await org.soup(folder, "sync", "other", "--renew")
            #expect(unknown.status == 1 && unknown.errors.count == 1 && unknown.errors[0].contains("usersyncs.json"))
        }
    }

    @Test func `A narrower query removes entries and states the reason`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let all = WorkFolder.syncs.replacing(
                "Title FROM Contact\"", with: "Title FROM Contact\", \"deletes\": \"incremental\"")
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": all])
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            let before = try org.rows("Contact")
            let kept = before.values.filter { $0["LastName"] == "Ng" }.count
            #expect(kept > 0 && kept < before.count)
            try folder.write(
                all.replacing("FROM Contact\"", with: "FROM Contact WHERE LastName = 'Ng'\""), to: "usersyncs.json")
            let renewed = try await SoupTool.run(
                ["sync", "down", "--renew", "--config", folder.path], environment: org.environment)
            #expect(renewed.status == 0)
            let gone = "\(before.count - kept) removed locally because the server no longer returns them"
            #expect(renewed.output.last?.contains(gone) == true, "\(renewed.output)")
            #expect(try org.rows("Contact") == before, "nothing was changed on the server")
        }
    }
}

#endif
