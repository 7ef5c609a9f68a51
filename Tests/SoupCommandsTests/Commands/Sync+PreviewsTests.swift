// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import SoupLocalOrg
import Testing

/// Tests `soup sync --dry-run`, and `soup rewind`.
@Suite struct SyncPreviewsTests {
    /// Everything that a run could change: the entries, the states of the syncs, and the rows of the org.
    private func state(of folder: WorkFolder, _ org: ServedOrg) async throws -> [String] {
        let entries = try await org.soup(folder, "query", "select {contacts:_soup} from {contacts}").output
        let rows = try org.rows("Contact").values.map { "\($0)" }.sorted()
        return try await entries + org.soup(folder, "status").output + rows
    }

    @Test func `A dry run creates no store`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try SyncTests.folder()
            let files = try folder.files
            let run = try await org.soup(folder, "sync", "--dry-run", "down", "up")
            #expect(run.status == 0 && run.errors == [])
            let previews = try run.json
            #expect(previews.map { $0["event"] } == ["preview", "preview"])
            let url = try #require(previews[0]["requests"]?.arrayValue?.first?["url"]?.stringValue)
            #expect(url.hasPrefix(org.url + "/services/data/") && url.contains("query?q="), "\(url)")
            #expect(previews[0]["count"] == 3)
            #expect(previews[1]["records"] == [])
            #expect(try folder.files == files)
        }
    }

    @Test func `A dry run shows each local change`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try SyncTests.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            #expect(try await org.soup(folder, "create", "contacts", "LastName=New").status == 0)
            for entry in ["1", "2"] {
                #expect(try await org.soup(folder, "edit", "contacts", entry, "Title=Local").status == 0)
            }
            let query = "select {contacts:Id} from {contacts} where {contacts:_soupEntryId} = 2"
            let id = try #require(try await org.soup(folder, "query", query).json.first?[0]?.stringValue)
            try org.org.edit("Contact", id: id, ["Title": "Remote"])
            let before = try await state(of: folder, org)
            let run = try await org.soup(folder, "sync", "--dry-run", "up")
            #expect(run.status == 1, "a change is in conflict")
            #expect(try run.jsonErrors.first?["code"] == "incomplete")
            let records = try #require(try run.json.first?["records"]?.arrayValue)
            #expect(records.map { $0["effect"] } == ["send", "send", "conflict"])
            #expect(records.map { $0["action"] } == ["create", "update", "update"])
            #expect(
                records[2]["reason"]?["errorCode"] == "NEWER_ON_SERVER",
                "\(records[2])")
            let request = try #require(records[0]["requests"]?.arrayValue?.first)
            #expect(request["method"] == "POST")
            #expect(request["body"]?.stringValue?.contains(#""LastName":"New""#) == true)
            #expect(!run.output.joined().contains(org.org.accessToken))
            #expect(try await state(of: folder, org) == before)
        }
    }

    @Test func `A dry run names the reason for a failure`() async throws {
        let folder = try SyncTests.folder()
        let run = try await SoupTool.run(
            "sync", "--dry-run", "down", "--config", folder.path,
            environment: ["SOUP_INSTANCE_URL": "http://127.0.0.1:1", "SOUP_ACCESS_TOKEN": "x"])
        #expect(run.status == 1)
        #expect(run.output.contains { $0.hasPrefix("  GET http://127.0.0.1:1/services/data/") }, "\(run.output)")
        #expect(
            run.output.contains { $0.contains("the run would fail: the server cannot be reached") }, "\(run.output)")
        let misspelt = try await SoupTool.run("sync", "--dry-run", "dwon", "--config", folder.path)
        #expect(misspelt.errors.joined().contains(#"Did you mean "down"?"#), "\(misspelt.errors)")
    }

    /// The warning of `soup validate` about such a configuration is not enough for a log of CI.
    @Test func `A dry run prints no credential of a target`() async throws {
        let syncs = #"""
            {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "contacts", "options": {"mergeMode": "OVERWRITE"},
              "target": {"type": "http", "url": "http://127.0.0.1:1/contacts", "records": "items", "id": "Id",
                "headers": {"X-API-Key": "hunter22", "Accept": "text/csv"},
                "parameters": {"api_key": "hunter22", "limit": "5"}}}]}
            """#
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": syncs])
        let run = try await SoupTool.run("sync", "--dry-run", "down", "--config", folder.path)
        let output = run.output.joined(separator: "\n")
        #expect(!output.contains("hunter22") && output.contains("X-API-Key: ***"), "\(output) \(run.errors)")
        #expect(output.contains("http://127.0.0.1:1/contacts?api_key=***&limit=5"), "\(output)")
    }

    @Test func `A rewound sync fetches the changes since that time again`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try SyncTests.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            let rewound = try await org.soup(folder, "rewind", "down", "2001-01-01")
            #expect(try rewound.json.first?["maxTimeStamp"] == 978_307_200_000)
            let preview = try await org.soup(folder, "sync", "--dry-run", "down")
            #expect(try preview.json.first?["count"] == 3)
            let run = try await org.soup(folder, "sync", "down", "--since", "36h")
            #expect(run.status == 0)
            for (arguments, status) in [
                (["rewind", "up", "2d"], 1), (["rewind", "none", "2d"], 1), (["rewind", "down", "yesterday"], 2),
                (["sync", "down", "--since", "2d", "--renew"], 2), (["sync", "down", "--dry-run", "--watch"], 2),
            ] as [([String], Int32)] {
                let refused = try await SoupTool.run(
                    arguments + ["--config", folder.path], environment: org.environment)
                #expect(refused.status == status, "\(arguments): \(refused)")
            }
        }
    }
}

#endif
