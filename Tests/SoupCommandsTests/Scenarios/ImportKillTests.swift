// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import SoupTestApp
import Testing

/// Tests an import whose process is killed: it leaves nothing, or everything.
@Suite struct ImportKillTests {
    static let count = 6_000

    static func folder() throws -> WorkFolder {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store])
        let entries = (1...count).map { number in
            MobileSDKFixture.Entry(
                Int64(number), created: 1, lastModified: Int64(number),
                members: #""Id":"\#(number)","LastName":"\#(String(repeating: "n", count: 200))","#
                    + #""__local__":\#(number % 2 == 0)"#)
        }
        let specs = ["Id", "LastName", "__local__"].map { (path: $0, type: "string") }
        let soups = ["contacts", "notes"].map { MobileSDKFixture.Soup($0, specs, entries: entries) }
        try MobileSDKFixture(.iOS, soups).write(to: URL(filePath: folder.path + "/old.db"))
        return folder
    }

    static func counts(_ folder: WorkFolder) async throws -> [[Int64?]] {
        let soups = try await SoupTool.run("soups", "--config", folder.path, "--json")
        return try soups.json.filter { ["contacts", "notes"].contains($0["soupName"]) }.map {
            [$0["count"]?.intValue, $0["dirty"]?.intValue]
        }
    }

    @Test func `The same import completes a killed one`() async throws {
        let folder = try Self.folder()
        let arguments = ["import-smartstore", folder.path + "/old.db", "--config", folder.path, "--json"]
        let log = folder.path + "/userstore.db-wal"
        // The log grows while the transaction is written: each attempt is killed at a later size.
        for attempt in 0..<4 {
            let running = try SoupTool.start(arguments)
            try running.write("")
            var polls = 0
            while (FileManager.default.contents(atPath: log)?.count ?? 0) <= attempt * 600_000, polls < 30_000 {
                try await Task.sleep(for: .milliseconds(1))
                polls += 1
            }
            running.kill(SIGKILL)
            #expect(await running.end() != 0)
            #expect(try await Self.counts(folder) == [[0, 0], [0, 0]])
        }
        let result = try await SoupTool.run(arguments)
        #expect(result.status == 0, "\(result.errors)")
        let half = Int64(Self.count / 2)
        #expect(try await Self.counts(folder) == [[Int64(Self.count), half], [Int64(Self.count), half]])
        #expect(try await SoupTool.run(arguments).status == 1)
        #expect(try await Self.counts(folder) == [[Int64(Self.count), half], [Int64(Self.count), half]])
    }
}

#endif
