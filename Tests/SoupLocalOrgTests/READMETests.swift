// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import SoupLocalOrg

/// The tables of the README are what the code knows.
@Suite struct READMETests {
    private func lines() throws -> [String] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = folder.appending(path: "Tools/SoupLocalOrg/README.md")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The rows of the table whose first line begins with a text, without those two that are its head.
    private func table(_ head: String) throws -> [String] {
        let lines = try lines()
        let start = try #require(lines.firstIndex { $0.hasPrefix(head) })
        return Array(lines[(start + 2)...].prefix { $0.hasPrefix("|") })
    }

    @Test func `Every kind of fault is told`() throws {
        let known = FaultKind.readme
        #expect(try table("| kind | parameters |") == known, "write these rows:\n\(known.joined(separator: "\n"))")
    }

    @Test func `Every option of the administration is told`() throws {
        let known = OrgOption.readme
        #expect(try table("| option | value |") == known, "write these rows:\n\(known.joined(separator: "\n"))")
    }
}
