// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupLocalOrg
import SoupTesting
import Testing

import SoupKit

/// The first example of the README, line by line, with a local org.
@Suite struct ReadmeExampleTests {
    /// Opens the folder of the test under the name that the README uses.
    private struct Opening {
        let folder: TemporaryFolder
        let org: LocalOrg
        let clock = ManualClock()

        func open(at configuration: URL) async throws -> SoupClient {
            #expect(configuration.lastPathComponent == "Config")
            return try await .open(
                at: folder.url, options: .init(transport: org.authorizedTransport, clock: clock, environment: [:]))
        }
    }

    @Test func `The first example pushes the edited contacts`() async throws {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let SoupClient = Opening(
            folder: try TemporaryFolder(try PublishedConfigurations.files(of: "ios__MobileSyncExplorer")),
            org: try LocalOrg(seed: .medium))
        // Begin of the README's lines.
        let kit = try await SoupClient.open(at: URL(filePath: "Config"))  // userstore.json, usersyncs.json, org.json
        let pulled = try await kit.syncs.reSync(named: "syncDownContacts").value  // throws if the run fails
        print("\(pulled.saved) saved")

        // These changes need no network.
        for entry in try await kit.store.query(.exact("contacts", "LastName", equals: "Adler", pageSize: 5)).entries {
            try await kit.store.edit(entry.id, setting: ["Title": "Captain"], in: "contacts")
        }

        let pushed = try await kit.syncs.reSync(named: "syncUpContacts").value
        print("\(pushed.updated) updated, \(pushed.failed) failed")
        // End of the README's lines.
        #expect(pushed.updated == 5 && pushed.failed == 0)
        let captains = try SoupClient.org.state(of: "Contact").map { $0["Title"]?.stringValue }.filter {
            $0 == "Captain"
        }
        #expect(captains.count >= 5)
    }

    @Test func `The test contains the lines of the README`() throws {
        func lines(_ file: URL, from start: String, to end: String) throws -> [String] {
            let all = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false
            )
            .map { $0.trimmingCharacters(in: .whitespaces) }
            let first = try #require(all.firstIndex(of: start))
            let last = try #require(all[first...].firstIndex(of: end))
            return all[(first + 1)..<last].filter { !$0.isEmpty && !$0.hasPrefix("import ") }
        }
        let test = URL(filePath: #filePath)
        let readme = test.deletingLastPathComponent().appending(path: "../../../../README.md")
        let shown = try lines(readme, from: "```swift", to: "```")
        #expect(shown.count >= 8)
        let tested = try lines(test, from: "// Begin of the README's lines.", to: "// End of the README's lines.")
        #expect(shown == tested)
    }
}
