// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import SoupLocalOrg

/// The text of an article of the local org's DocC catalog.
func article(_ name: String) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    let file = folder.appending(path: "Tools/SoupLocalOrg/SoupLocalOrg.docc/\(name).md")
    return String(decoding: try Data(contentsOf: file), as: UTF8.self)
}

/// The tables of the articles equal those of the code.
@Suite struct ArticleTests {
    /// Returns the rows of the table whose first line begins with a text, without its two header lines.
    private func table(_ head: String, in name: String) throws -> [String] {
        let lines = try article(name).split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex { $0.hasPrefix(head) })
        return Array(lines[(start + 2)...].prefix { $0.hasPrefix("|") })
    }

    @Test func `The article lists every kind of fault`() throws {
        let known = FaultKind.documentation
        let rows = try table("| kind | parameters |", in: "Faults")
        #expect(rows == known, "write these rows:\n\(known.joined(separator: "\n"))")
    }

    @Test func `The article lists every option`() throws {
        let known = OrgOption.documentation
        let rows = try table("| option | value |", in: "Administration")
        #expect(rows == known, "write these rows:\n\(known.joined(separator: "\n"))")
    }

    @Test func `The article lists every route`() throws {
        let known = Routes.documentation
        let rows = try table("| verbs | path |", in: "Supported-resources")
        #expect(rows == known, "write these rows:\n\(known.joined(separator: "\n"))")
    }
}
