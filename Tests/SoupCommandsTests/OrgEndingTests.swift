// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

/// `soup org serve` ends well, whenever it is told to.
@Suite struct OrgEndingTests {
    private static let signals = [SIGTERM, SIGINT]

    /// Many at once, so that the signal comes while the program is held up in whatever it does next.
    @Test(arguments: signals) func `From its first line on`(_ signal: Int32) async throws {
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    let running = try SoupTool.start(["org", "serve", "--seed", "tiny"])
                    try running.write("")
                    _ = try #require(await running.output.first { _ in true })
                    running.kill(signal)
                    return await running.end()
                }
            }
            return try await group.reduce(into: [Int32]()) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 0, count: 12))
    }

    #if TLS
    /// The certificate is there, so it listens to signals; a seed of this size is not in yet.
    @Test(arguments: signals) func `While it is filled`(_ signal: Int32) async throws {
        let folder = try WorkFolder()
        let running = try SoupTool.start(
            ["org", "serve", "--tls", "--seed", "large 1000000", "--state", folder.path + "/org.db"],
            environment: ["TMPDIR": folder.path])
        try running.write("")
        while try !folder.files.contains(where: { $0.hasPrefix("soup-org-") }) { await Task.yield() }
        running.kill(signal)
        #expect(await running.output.first { _ in true } == nil)
        #expect(await running.end() == 0)
        #expect(try folder.files.allSatisfy { $0.hasPrefix("org.db") })
        // The file is as good as new.
        let again = try SoupTool.start(
            ["org", "serve", "--seed", "tiny", "--state", folder.path + "/org.db"])
        try again.write("")
        _ = try #require(await again.output.first { _ in true })
        again.kill(signal)
        #expect(await again.end() == 0)
    }
    #endif

    /// Before it listens a signal does what signals do, and there is nothing that it could leave behind.
    @Test(arguments: signals) func `Before it listens`(_ signal: Int32) async throws {
        let folder = try WorkFolder()
        for _ in 0..<8 {
            let running = try SoupTool.start(
                ["org", "serve", "--tls", "--seed", "large 1000000"], environment: ["TMPDIR": folder.path])
            running.kill(signal)
            let status = await running.end()
            #expect(status == 0 || status == -signal)
            #expect(try folder.files == [])
        }
    }
}

#endif
