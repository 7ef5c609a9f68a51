// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupKit
import SoupLocalOrg
import SoupCore
import SoupSQLite
import Testing

/// Tests `soup resolve` with creates that have an unknown outcome.
@Suite struct ResolveTests {
    /// Creates a folder with two new contacts that the org has created, but whose response was lost; and their entries.
    private static func lost(_ org: ServedOrg) async throws -> (folder: WorkFolder, entries: [String]) {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
        var entries: [String] = []
        for name in ["Ada", "Grace"] {
            let created = try await org.soup(folder, "create", "contacts", "LastName=\(name) Lost")
            entries.append(String(try #require(try created.json.first?["_soupEntryId"]?.intValue)))
        }
        org.org.add(OrgFault(.drop(.afterCommit), method: "POST", count: 1))
        let up = try await org.soup(folder, "sync", "up")
        #expect(up.status == 1)
        #expect(try up.json.filter { $0["event"] == "outcome" }.map { $0["result"] } == ["unknown", "unknown"])
        #expect(try up.jsonErrors.first?["hint"]?.stringValue?.contains("soup resolve") == true)
        return (folder, entries)
    }

    /// Returns the IDs of these contacts in the org by name.
    private static func inOrg(_ org: ServedOrg) throws -> [String: String] {
        let rows = try org.rows("Contact").filter { $0.value["LastName"]?.stringValue?.hasSuffix("Lost") == true }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.value["LastName"]?.stringValue ?? "", $0.key) })
    }

    @Test func `The ID of another record is refused`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let (folder, entries) = try await Self.lost(org)
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            let before = try await org.soup(folder, "query", "select {contacts:_soup} from {contacts}").output
            let other = try #require(try org.rows("Contact").first { $0.value["LastName"] == "Ng" }?.key)
            let refused = try await org.soup(folder, "resolve", "contacts", entries[0], "--created", other)
            #expect(refused.status == 1)
            #expect(try refused.jsonErrors.map { $0["code"] } == ["differentRecord"])
            #expect(try await org.soup(folder, "query", "select {contacts:_soup} from {contacts}").output == before)
            // The copy that the sync down fetched is the same record.
            let own = try #require(try Self.inOrg(org)["Ada Lost"])
            #expect(try await org.soup(folder, "resolve", "contacts", entries[0], "--created", own).status == 0)
            let rows = try await org.soup(folder, "query", "select {contacts:Id} from {contacts}").output
            #expect(rows.filter { $0.contains(own) }.count == 1)
        }
    }

    @Test func `The server is asked for the record`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let (folder, entries) = try await Self.lost(org)
            let before = try await org.soup(folder, "query", "select {contacts:_soup} from {contacts}").output
            // No entry of the store has this ID, so only the server can report that it is a different record.
            let other = try #require(try org.rows("Contact").first { $0.value["LastName"] == "Ng" }?.key)
            let missing = "\(other.prefix(12))zzzAAA"
            let arguments = ["resolve", "contacts", entries[0], "--created"]
            for (id, text) in [(other, "has other values"), (missing, "no record with the ID")] {
                let refused = try await SoupTool.run(
                    arguments + [id, "--json", "--config", folder.path], environment: org.environment)
                #expect(refused.status == 1)
                #expect(try refused.jsonErrors.map { $0["code"] } == ["differentRecord"])
                #expect(try refused.jsonErrors.first?["message"]?.stringValue?.contains(text) == true)
            }
            #expect(try await org.soup(folder, "query", "select {contacts:_soup} from {contacts}").output == before)
            let own = try #require(try Self.inOrg(org)["Ada Lost"])
            #expect(try await org.soup(folder, "resolve", "contacts", entries[0], "--created", own).status == 0)
            // Without the question, the caller is responsible.
            let unasked = try await SoupTool.run(
                ["resolve", "contacts", entries[1], "--created", other, "--unverified", "--config", folder.path],
                environment: org.environment)
            #expect(unasked.status == 0)
        }
    }

    /// The creations of the row are unknown, so no sync up may send any.
    @Test func `A damaged row of creations is removed on demand`() async throws {
        try await ServedOrg.with { org in
            let (folder, entries) = try await Self.lost(org)
            let before = try Self.inOrg(org)
            let ids = "select {syncs_in_flight:_soupEntryId} from {syncs_in_flight}"
            let row = try await org.soup(folder, "query", ids).output.joined().trimmingCharacters(in: ["[", "]"])
            let store = try await SQLiteStore.open(.init(path: folder.path + "/userstore.db"))
            let stamp = EntryStamp(id: Int64(row) ?? 0, stamp: RecordBatch.Stamp().setting("marks", .array([])))
            #expect(try await store.write { try $0.stamp([stamp], in: "syncs_in_flight") } == [true])
            try await store.close()
            let refused = try await org.soup(folder, "sync", "up")
            #expect(refused.status == 1)
            #expect(try refused.jsonErrors.map { $0["code"] } == ["entryDamaged"])
            let command = "soup delete syncs_in_flight \(row) --now"
            #expect(try refused.jsonErrors.first?["hint"]?.stringValue?.hasSuffix(command) == true)
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            for entry in entries {
                #expect(try await org.soup(folder, "delete", "contacts", entry, "--now").status == 0)
            }
            #expect(try await org.soup(folder, "delete", "syncs_in_flight", row).status == 1)
            #expect(try await org.soup(folder, "delete", "syncs_in_flight", row, "--now").status == 0)
            for sync in ["up", "down"] { #expect(try await org.soup(folder, "sync", sync).status == 0) }
            #expect(try Self.inOrg(org) == before)
            let rows = try await org.soup(folder, "query", "select {contacts:LastName} from {contacts}").output
            #expect(rows.filter { $0.contains("Lost") }.count == 2)
        }
    }

    @Test func `A condition selects the entries`() async throws {
        try await ServedOrg.with { org in
            let (folder, entries) = try await Self.lost(org)
            let resolved = try await org.soup(
                folder, "resolve", "contacts", "--where", "{contacts:LastName} like 'Grace%'", "--resend")
            #expect(resolved.status == 0)
            #expect(try resolved.json.map { $0["entryId"]?.intValue.map(String.init) } == [entries[1]])
            let left = try await org.soup(folder, "resolve")
            #expect(try left.json.map { $0["entryId"]?.intValue.map(String.init) } == [entries[0]])
            let wrong = try await org.soup(folder, "resolve", "contacts", "--where", "nonsense (", "--resend")
            #expect(wrong.status == 1)
            #expect(try await org.soup(folder, "resolve").output == left.output)
        }
    }

    @Test func `A create that was deleted locally is removed by --resend`() async throws {
        try await ServedOrg.with { org in
            let (folder, entries) = try await Self.lost(org)
            #expect(try await org.soup(folder, "delete", "contacts", entries[0]).status == 0)
            let resolved = try await SoupTool.run(
                ["resolve", "contacts"] + entries + ["--resend", "--config", folder.path], environment: org.environment)
            #expect(
                resolved.output == [
                    "entry \(entries[0]) was deleted locally and is removed",
                    "entry \(entries[1]) is sent with the next sync up",
                ])
            #expect(try await org.soup(folder, "retrieve", "contacts", entries[0]).output == [])
        }
    }

    @Test func `A create that is on the server is not duplicated`() async throws {
        try await ServedOrg.with { org in
            let (folder, entries) = try await Self.lost(org)
            let waiting = try await org.soup(folder, "resolve")
            #expect(try waiting.json.compactMap { $0["entryId"]?.intValue.map { String($0) } } == entries)
            let unknown = try waiting.json.filter { $0["entryId"] != nil }
            #expect(unknown.allSatisfy { $0["error"]?["errorCode"] == "ANSWER_LOST" }, "\(unknown)")
            #expect(try await org.soup(folder, "sync", "up").status == 1, "an unknown create is not sent again")

            let ids = try Self.inOrg(org)
            #expect(ids.count == 2)
            for (entry, name) in zip(entries, ["Ada Lost", "Grace Lost"]) {
                let id = try #require(ids[name])
                let bad = try await org.soup(folder, "resolve", "contacts", entry, "--created", "hello world")
                #expect(
                    try bad.status == 1
                        && bad.jsonErrors.first?["message"]?.stringValue?.contains("not the ID of") == true)
                if name == "Grace Lost" {
                    // The store now has the ID of a contact, whose first characters identify the object.
                    let account = try await org.soup(
                        folder, "resolve", "contacts", entry, "--created", "001000000000001AAA")
                    #expect(try account.jsonErrors.map { $0["code"] } == ["badConfiguration"])
                }
                // An ID of 15 characters identifies the same record.
                let given = String(id.prefix(name == "Ada Lost" ? 15 : 18))
                #expect(try await org.soup(folder, "resolve", "contacts", entry, "--created", given).status == 0)
            }
            #expect(try await org.soup(folder, "sync", "up").status == 0)
            #expect(try await org.soup(folder, "resolve").output == [])
            #expect(try Self.inOrg(org) == ids)
            let kept = try await org.soup(folder, "retrieve", "contacts", entries[0])
            #expect(try kept.json.first?["Id"]?.stringValue == ids["Ada Lost"])
            #expect(try kept.json.first?["__local__"] == false)
        }
    }

    @Test func `A create that is not on the server is sent again`() async throws {
        try await ServedOrg.with { org in
            let (folder, entries) = try await Self.lost(org)
            for id in try Self.inOrg(org).values { try org.org.delete("Contact", id: id) }
            for entry in entries {
                #expect(try await org.soup(folder, "resolve", "contacts", entry, "--resend").status == 0)
            }
            #expect(try await org.soup(folder, "sync", "up").status == 0)
            #expect(try Self.inOrg(org).count == 2)
        }
    }

    @Test(arguments: [true, false]) func `Several creates are resolved together or not at all`(byAll: Bool) async throws
    {
        try await ServedOrg.with { org in
            let (folder, entries) = try await Self.lost(org)
            for id in try Self.inOrg(org).values { try org.org.delete("Contact", id: id) }
            let named = ["resolve", "contacts"]
            let one = try await SoupTool.run(
                named + entries + ["99", "--resend", "--config", folder.path, "--json"], environment: org.environment)
            #expect(one.status == 1 && one.output == [])
            #expect(try one.jsonErrors.map { $0["code"] } == ["notUnknown"])
            #expect(try await org.soup(folder, "resolve").output.count == 2, "and none was resolved")
            let all = try await SoupTool.run(
                named + (byAll ? ["--all"] : entries + entries) + ["--resend", "--config", folder.path, "--json"],
                environment: org.environment)
            #expect(all.status == 0)
            #expect(
                all.output == entries.map { #"{"soup":"contacts","entryId":\#($0),"resolved":"resend"}"# })
            #expect(try await org.soup(folder, "sync", "up").status == 0)
            #expect(try Self.inOrg(org).count == 2)
            #expect(try await org.soup(folder, "resolve", "contacts", "--all", "--resend").output == [])
        }
    }

    @Test(arguments: [
        ["contacts", "1", "--all", "--resend"], ["contacts", "1", "2", "--created", "003"],
        ["contacts", "--all", "--merged", "-"], ["--all"], ["contacts"], ["contacts", "1"], ["--resend"],
        ["contacts", "1", "--resend", "--created", "003"],
    ])
    func `Incomplete arguments are a usage error`(arguments: [String]) async throws {
        #expect(try await SoupTool.run(["resolve"] + arguments + ["--json"]).status == 2)
    }

    @Test func `An entry without an unknown outcome is refused`() async throws {
        try await ServedOrg.with { org in
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
            let refused = try await org.soup(folder, "resolve", "contacts", "7", "--resend")
            #expect(refused.status == 1)
            #expect(try refused.jsonErrors.map { $0["code"] } == ["notUnknown"])
        }
    }
}

#endif
