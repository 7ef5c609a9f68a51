// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

/// Tests that a signal ends `soup org serve` cleanly at any time.
@Suite struct OrgEndingTests {
    private static let signals = [SIGTERM, SIGINT]

    /// Many processes in parallel, so that signals arrive at different points of the start.
    @Test(arguments: signals) func `A signal after the first line ends the org`(_ signal: Int32) async throws {
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
    /// The signal arrives when the certificate is written, before a seed of this size is loaded.
    @Test(arguments: signals) func `A signal while the seed is loaded ends the org`(_ signal: Int32) async throws {
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
        // The file can be used like a new one.
        let again = try SoupTool.start(
            ["org", "serve", "--seed", "tiny", "--state", folder.path + "/org.db"])
        try again.write("")
        _ = try #require(await again.output.first { _ in true })
        again.kill(signal)
        #expect(await again.end() == 0)
    }
    #endif

    /// The default action of the signal ends the process, which has created no files yet.
    @Test(arguments: signals) func `A signal before the handlers are installed ends the org`(_ signal: Int32)
        async throws
    {
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
