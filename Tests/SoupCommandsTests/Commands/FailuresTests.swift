// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupLocalOrg
import SoupCore
import Testing

/// Tests `soup failures`, and the counts of `soup status`.
@Suite struct FailuresTests {
    @Test func `The status counts records that were not pushed`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
        try await ServedOrg.with(seed: .tiny) { org in
            func table() async throws -> [String] {
                let status = try await SoupTool.run("status", "--config", folder.path, environment: org.environment)
                return status.output
            }
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            #expect(try await table()[0].split(separator: " ").suffix(3) == ["records", "last", "end"])

            let long = String(repeating: "x", count: 300)
            #expect(try await org.soup(folder, "create", "contacts", "LastName=\(long)").status == 0)
            let edited = try await org.soup(folder, "edit", "contacts", "1", "Title=Mine")
            let id = try #require(try edited.json.first?["Id"]?.stringValue)
            org.org.advanceClock(by: .milliseconds(60_000))
            try org.org.edit("Contact", id: id, ["Title": "Theirs"])
            let up = try await org.soup(folder, "sync", "up")
            #expect(up.status == 1)
            let row = try #require(try await org.soup(folder, "status", "up").json.first)
            #expect(row["failed"] == 1 && row["skipped"] == 1 && row["unknown"] == nil && row["conflicted"] == nil)
            #expect(try up.json.last?["sync"] == row, "equal to the last line of the run")
            let lines = try await table()
            #expect(
                lines[0].split(separator: " ")
                    == ["sync", "type", "soup", "status", "%", "records", "failed", "skipped", "last", "end"])
            #expect(lines[2].split(separator: " ").count == 7, "the columns of the other sync are empty: \(lines[2])")
            let own = try #require(lines.first { $0.hasPrefix("up") })
            #expect(own.split(separator: " ")[3...7] == ["DONE", "100", "2", "1", "1"], "\(own)")

            let entry = try #require(try await org.soup(folder, "failures").json.first?["entryId"]?.intValue)
            #expect(try await org.soup(folder, "edit", "contacts", String(entry), "LastName=short").status == 0)
            #expect(try await org.soup(folder, "sync", "up").status == 0)
            #expect(try await org.soup(folder, "status", "up").json.first?["failed"] == nil)
        }
    }

    /// `soup resolve` is not necessary for a create that can be sent twice: the next sync resolves it.
    @Test func `The help of status recommends another sync first`() async throws {
        let help = try await SoupTool.run("status", "--help").output.joined(separator: " ")
        let words = help.split(separator: " ").joined(separator: " ")
        #expect(
            words.contains(
                "unknown (their responses were lost: sync again, and if the outcome is still unknown, use soup resolve")
        )
    }

    @Test func `A refused change is listed with its reason`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
        try await ServedOrg.with { org in
            #expect(try await org.soup(folder, "failures").output == [])
            for name in ["Ada", String(repeating: "x", count: 300)] {
                #expect(try await org.soup(folder, "create", "contacts", "LastName=\(name)").status == 0)
            }
            let up = try await org.soup(folder, "sync", "up")
            #expect(up.status == 1)
            let failures = try await org.soup(folder, "failures", "contacts")
            #expect(failures.status == 0)
            let failure = try #require(try failures.json.first)
            #expect(try failures.json.count == 1)
            #expect(failure["soup"] == "contacts" && failure["action"] == "create")
            #expect(failure["error"]?["errorCode"] == "STRING_TOO_LONG")
            #expect(failure["error"]?["fields"] == ["LastName"])
            #expect(try await org.soup(folder, "failures", "notes").output == [])
            #expect(try await org.soup(folder, "failures", "nope").status == 1)
            let entry = String(failure["entryId"]?.intValue ?? 0)
            #expect(try await org.soup(folder, "edit", "contacts", entry, "LastName=short").status == 0)
            #expect(try await org.soup(folder, "sync", "up").status == 0)
            #expect(try await org.soup(folder, "failures").output == [])
        }
    }
}

#endif
