// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import SoupTestApp
import Testing

@Suite struct ImportSmartStoreTests {
    static let soups = [
        MobileSDKFixture.Soup(
            "contacts", [("Id", "string"), ("__local__", "string")],
            entries: [
                .init(
                    1, created: 1, lastModified: 2,
                    members: #""Id":"a","__local__":true,"__locally_updated__":true"#),
                .init(2, created: 1, lastModified: 2, members: #""Id":"b","__local__":false"#),
                .init(5, created: 1, lastModified: 2, text: nil),
            ]),
        MobileSDKFixture.Soup("notes", [("key", "string")], entries: []),
    ]

    /// A folder with a configuration and the database `old.db`.
    static func folder() throws -> WorkFolder {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store])
        try MobileSDKFixture(.android, soups).write(to: URL(filePath: folder.path + "/old.db"))
        return folder
    }

    static func run(_ folder: WorkFolder, _ arguments: String...) async throws -> FinishedSoup {
        try await SoupTool.run(["import-smartstore", folder.path + "/old.db", "--config", folder.path] + arguments)
    }

    @Test func `A dry run lists the content and writes nothing`() async throws {
        let folder = try Self.folder()
        let result = try await Self.run(folder, "--dry-run")
        #expect(
            result.output == [
                "soup      entries  with local changes  left out", "--------  -------  ------------------  --------",
                "contacts        2                   1         1", "notes           0                   0         0",
                "left out: entry 5 of soup contacts: it has no text: the column soup is NULL",
            ])
        #expect(result.errors == ["Nothing was written."])
        #expect(result.status == 1)
        #expect(try await Self.run(folder, "--dry-run", "--skip-unreadable").status == 0)
        #expect(try folder.files == ["old.db", "userstore.json"])
    }

    @Test func `An import prints a line of JSON for each soup`() async throws {
        let folder = try Self.folder()
        let refused = try await Self.run(folder, "--json")
        #expect(refused.status == 1)
        #expect(refused.output == [])
        #expect(try refused.jsonErrors.map { $0["code"] } == ["entryUnreadable"])
        let result = try await Self.run(folder, "--json", "--skip-unreadable", "--without", "notes")
        #expect(
            result.output == [
                #"{"soupName":"contacts","count":2,"dirty":1,"leftOut":1}"#,
                #"{"soupName":"contacts","entryId":5,"reason":"it has no text: the column soup is NULL"}"#,
            ])
        #expect(result.status == 0 && result.errors == [])
        let entries = try await SoupTool.run("retrieve", "contacts", "1", "2", "--config", folder.path, "--json")
        #expect(
            entries.output == [
                #"{"Id":"a","__local__":true,"__locally_updated__":true,"_soupEntryId":1,"_soupLastModifiedDate":2}"#,
                #"{"Id":"b","__local__":false,"_soupEntryId":2,"_soupLastModifiedDate":2}"#,
            ])
        let again = try await Self.run(folder, "--json", "--skip-unreadable")
        #expect(again.status == 1)
        #expect(try again.jsonErrors.map { $0["code"] } == ["soupNotEmpty"])
        let unknown = try await Self.run(folder, "--json", "--without", "note")
        #expect(try unknown.jsonErrors.map { $0["hint"] } == ["Did you mean \"notes\"?"])
    }
}

#endif
