// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import SoupLocalOrg
import Testing

/// Tests `soup doctor`: its findings, and that it changes nothing.
@Suite struct DoctorTests {
    private func lines(_ run: FinishedSoup) throws -> [String] {
        try run.json.map { event in
            guard event["event"] == "finding" else {
                return [event["ok"], event["warnings"], event["failures"]].compactMap { $0?.description }
                    .joined(separator: " ")
            }
            return [event["status"], event["subject"], event["path"], event["message"]]
                .compactMap { $0?.stringValue }.joined(separator: " | ")
        }
    }

    /// Everything that a run could change: the entries, the states of the syncs, and the rows of the org.
    private func state(of folder: WorkFolder, _ org: ServedOrg) async throws -> [String] {
        let entries = try await org.soup(folder, "query", "select {contacts:_soup} from {contacts}").output
        let rows = try org.rows("Contact").values.map { "\($0)" }.sorted()
        return try await entries + org.soup(folder, "status").output + rows
    }

    @Test func `A folder before its first sync is examined`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try SyncTests.folder()
            let files = try folder.files
            let run = try await org.soup(folder, "doctor")
            #expect(run.status == 0 && run.errors == [])
            let lines = try lines(run)
            #expect(
                lines.filter { !$0.contains("| server |") } == [
                    "ok | configuration | read userstore.json, usersyncs.json",
                    "ok | store | \(folder.path)/userstore.db will be created at the first use",
                    "ok | sync down | the server returned 3 records", "ok | sync up | no local changes", "5 1 0",
                ], "\(lines)")
            let server = try #require(lines.first { $0.contains("ok | server |") })
            #expect(server.hasPrefix("ok | server | \(org.url): the session is valid, "), "\(server)")
            #expect(
                lines.contains { $0.hasPrefix("warning | server | the clock of this machine is ") },
                "the time of the seed is in the past: \(lines)")
            #expect(try folder.files == files)
        }
    }

    @Test func `Changes that would be held are failures`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try SyncTests.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            for entry in ["1", "2"] {
                #expect(try await org.soup(folder, "edit", "contacts", entry, "Title=Local").status == 0)
            }
            let query = "select {contacts:Id} from {contacts} where {contacts:_soupEntryId} = 2"
            let id = try #require(try await org.soup(folder, "query", query).json.first?[0]?.stringValue)
            try org.org.edit("Contact", id: id, ["Title": "Remote"])
            let before = try await state(of: folder, org)
            let run = try await org.soup(folder, "doctor")
            #expect(run.status == 1)
            let lines = try lines(run)
            #expect(lines.contains("ok | store | 2 soups: 3 entries, 2 of them with local changes"), "\(lines)")
            #expect(
                lines.contains {
                    $0.hasPrefix("ok | sync down | the server returned 3 records, those changed since shortly before")
                },
                "\(lines)")
            #expect(lines.contains("ok | sync up | local changes: 1 to send"), "\(lines)")
            #expect(
                lines.contains { $0.hasPrefix("failure | sync up | contacts 2: the update would not be sent: NEWER_") },
                "\(lines)")
            #expect(try await state(of: folder, org) == before)
        }
    }

    @Test func `A refused token and a missing server are explained`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try SyncTests.folder()
            for (url, reason) in [
                (org.url, "the server does not accept the access token"),
                ("http://127.0.0.1:1", "the server cannot be reached"),
            ] {
                let run = try await SoupTool.run(
                    "doctor", "--config", folder.path,
                    environment: ["SOUP_INSTANCE_URL": url, "SOUP_ACCESS_TOKEN": "x"])
                #expect(run.status == 1)
                #expect(run.output.contains { $0.hasPrefix("failure  server: \(reason)") }, "\(run.output)")
                let consequence = "not examined, because the server cannot be used"
                #expect(
                    run.output.suffix(3) == [
                        "failure  sync down: \(consequence)", "failure  sync up: \(consequence)",
                        "2 ok, 0 warnings, 3 failures",
                    ], "\(run.output)")
            }
        }
    }

    @Test func `Errors in the files do not hide the other findings`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let syncs = WorkFolder.syncs.replacing("FirstName, LastName, Title FROM", with: "LastName, Titel FROM")
                .replacing(#""LEAVE_IF_CHANGED""#, with: #""LEAVE""#)
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": syncs])
            let lines = try lines(try await org.soup(folder, "doctor"))
            #expect(lines.contains { $0.hasPrefix("failure | configuration | syncs[1].options.mergeMode") }, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("ok | server") }, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("failure | sync down | ") && $0.contains("Titel") }, "\(lines)")
        }
    }

    @Test func `A field that the server does not have is a failure`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let syncs = WorkFolder.syncs.replacing(
                #""createFieldlist": ["FirstName","#, with: #""createFieldlist": ["Nickname","#)
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": syncs])
            let run = try await org.soup(folder, "doctor")
            #expect(run.status == 1)
            let lines = try lines(run)
            #expect(
                lines.contains {
                    $0.hasPrefix("failure | configuration | syncs[1].target.createFieldlist")
                        && $0.contains(#"Contact has no field "Nickname" on the server"#)
                }, "\(lines)")
        }
    }

    @Test func `A bulk job is not started`() async throws {
        try await ServedOrg.with { org in
            let syncs = WorkFolder.syncs.replacing(
                #"Title FROM Contact""#, with: #"Title FROM Contact", "maxBatchSize": 200, "bulkThreshold": 1"#)
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": syncs])
            let run = try await org.soup(folder, "doctor")
            #expect(run.status == 0)
            #expect(try lines(run).contains("ok | sync down | the server returned 200 of 1000 records"), "\(run)")
            let jobs = org.org.journal.filter { $0.path.contains("/jobs/") }
            #expect(jobs.isEmpty, "\(jobs)")
        }
    }

    @Test func `A difference between files and store is a warning`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try SyncTests.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            let indexed = #"{"path": "LastName", "type": "string"},"#
            try folder.write(WorkFolder.store.replacing(indexed, with: ""), to: "userstore.json")
            let run = try await org.soup(folder, "doctor")
            #expect(run.status == 0)
            let lines = try lines(run)
            #expect(
                lines.contains { $0.hasPrefix("warning | store | soups[0].indexes | the indexes of soup") }, "\(lines)")
            #expect(lines.last?.hasSuffix(" 0") == true, "\(lines)")
        }
    }

    @Test func `A damaged store file is a failure`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try SyncTests.folder()
            try folder.write(String(repeating: "not a database ", count: 100), to: "userstore.db")
            let run = try await org.soup(folder, "doctor")
            #expect(run.status == 1)
            let lines = try lines(run)
            #expect(lines.contains { $0.hasPrefix("failure | store | ") }, "\(lines)")
            #expect(!lines.contains { $0.hasPrefix("ok | store | ") }, "\(lines)")
            #expect(lines.contains("ok | sync down | the server returned 3 records"), "\(lines)")
            #expect(lines.contains("failure | sync up | not examined, because the store cannot be opened"), "\(lines)")
        }
    }

    /// The store has no state of syncs before the first run.
    @Test func `Records that were created before the first sync are examined`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try SyncTests.folder()
            for name in ["Ann", "Bob"] {
                #expect(try await org.soup(folder, "create", "contacts", "LastName=\(name)").status == 0)
            }
            #expect(try await org.soup(folder, "delete", "contacts", "2").status == 0)
            let lines = try lines(try await org.soup(folder, "doctor"))
            #expect(lines.contains("ok | sync up | local changes: 1 to send, 1 to remove locally"), "\(lines)")
            #expect(lines.last?.hasSuffix(" 0") == true, "\(lines)")
            let dryRun = try await org.soup(folder, "sync", "--dry-run", "up")
            #expect(dryRun.status == 0 && dryRun.errors == [])
        }
    }

    @Test func `A folder of the store that does not exist is a failure`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let store = WorkFolder.store.replacing(
                #"{"soups""#, with: #"{"backend": {"type": "sqlite", "path": "data/store.db"}, "soups""#)
            let folder = try WorkFolder(["userstore.json": store, "usersyncs.json": WorkFolder.syncs])
            let run = try await org.soup(folder, "doctor")
            #expect(run.status == 1)
            #expect(
                try lines(run).contains("failure | store | the folder \(folder.path)/data does not exist"), "\(run)")
        }
    }

    @Test func `A soup that is registered nowhere is a failure`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try WorkFolder(["usersyncs.json": WorkFolder.syncs])
            let run = try await org.soup(folder, "doctor")
            #expect(run.status == 1)
            for sync in ["down", "up"] {
                #expect(try lines(run).contains("failure | sync \(sync) | there is no soup \"contacts\""), "\(run)")
            }
        }
    }

    @Test func `A broken link as the store is a failure`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try SyncTests.folder()
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/userstore.db", withDestinationPath: "/nonexistent/store.db")
            let run = try await org.soup(folder, "doctor")
            #expect(run.status == 1)
            #expect(try lines(run).contains { $0.hasPrefix("failure | store | ") && $0.contains("link") }, "\(run)")
        }
    }

    @Test func `A sync of SoupKit needs a server`() async throws {
        let folder = try SyncTests.folder()
        let run = try await SoupTool.run("doctor", "--config", folder.path)
        #expect(run.status == 1)
        #expect(
            run.output.suffix(5) == [
                "failure  server: no server is configured, and the sync down needs one",
                "         Create org.json with \"instanceUrl\" and \"accessToken\", or set SOUP_INSTANCE_URL and "
                    + "SOUP_ACCESS_TOKEN.",
                "failure  sync down: not examined, because the server cannot be used",
                "failure  sync up: not examined, because the server cannot be used", "2 ok, 0 warnings, 3 failures",
            ], "\(run.output)")
    }

    @Test func `The records that the last runs left are warnings`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try SyncTests.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            #expect(try await org.soup(folder, "edit", "contacts", "1", "LastName:=null").status == 0)
            #expect(try await org.soup(folder, "sync", "up").status == 1)
            let lines = try lines(try await org.soup(folder, "doctor"))
            #expect(
                lines.contains {
                    $0.hasPrefix(
                        "warning | store | the last push of 1 entry failed; the first one: contacts 1: REQUIRED_")
                }, "\(lines)")
            #expect(
                lines.contains("warning | sync up | records of the last run that were not synced: 1 failed"), "\(lines)"
            )
        }
    }

    @Test func `Only the first of many held changes are named`() async throws {
        try await ServedOrg.with { org in
            let folder = try SyncTests.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            let ids = try await org.soup(
                folder, "query", "select {contacts:Id} from {contacts} order by {contacts:_soupEntryId} limit 7")
            for (number, row) in try ids.json.enumerated() {
                let edited = try await org.soup(folder, "edit", "contacts", "\(number + 1)", "Title=Local")
                #expect(edited.status == 0)
                try org.org.edit("Contact", id: try #require(row[0]?.stringValue), ["Title": "Remote"])
            }
            let found = try lines(try await org.soup(folder, "doctor")).filter { $0.hasPrefix("failure | sync up") }
            #expect(found.count == 6, "\(found)")
            #expect(found.last == "failure | sync up | 2 more changes would not be sent", "\(found)")
        }
    }

    @Test func `Each connection that a sync uses gets one request`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let target =
                #""target": {"type": "http", "connection": "NAME", "path": "/items", "records": "items", "id": "Id""#
            let options = #""options": {"mergeMode": "OVERWRITE", "fieldlist": ["LastName"]}"#
            let syncs = ["one", "two"].map { name in
                #"{"syncName": "\#(name)", "syncType": "syncUp", "soupName": "contacts", "#
                    + target.replacing("NAME", with: name) + "}, " + options + "}"
            }
            let connections = #"""
                {"connections": {"one": {"baseURL": "\#(org.url)/none"}, "two": {"baseURL": "http://127.0.0.1:1"}}}
                """#
            let folder = try WorkFolder([
                "userstore.json": WorkFolder.store, "org.json": connections,
                "usersyncs.json": #"{"syncs": [\#(syncs.joined(separator: ", "))]}"#,
            ])
            let run = try await SoupTool.run("doctor", "--config", folder.path, "--json")
            #expect(run.status == 1)
            let lines = try lines(run)
            #expect(lines.contains("ok | connection one | the server responds (HTTP 404)"), "\(lines)")
            #expect(
                lines.contains { $0.hasPrefix("failure | connection two | the server cannot be reached") }, "\(lines)")
            #expect(lines.contains("ok | sync one | no local changes"), "\(lines)")
            #expect(
                lines.contains("failure | sync two | not examined, because the connection \"two\" cannot be used"),
                "\(lines)")
        }
    }
}

#endif
