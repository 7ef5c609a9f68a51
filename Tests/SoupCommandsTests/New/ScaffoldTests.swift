// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import Testing

@testable import SoupCommands

@Suite struct ScaffoldTests {
    private static func scaffold(_ kind: PluginKind, _ form: Scaffold.Form) throws -> Scaffold {
        Scaffold(kind: kind, name: try ScaffoldName("Weather", kind: kind), form: form)
    }

    /// The contents of the files are checked by building them: `make scaffolds`.
    @Test(
        arguments: PluginKind.allCases,
        [Scaffold.Form.repository, .plugin(.clone("/soup")), .command(.url("https://a.example/soup.git"))])
    func `No file has an unknown name in braces`(kind: PluginKind, form: Scaffold.Form) throws {
        let scaffold = try Self.scaffold(kind, form)
        for file in scaffold.files {
            #expect(!file.text.contains("{{"), "\(file.path)")
            #expect(!file.text.isEmpty && !file.path.contains("{"), "\(file.path)")
        }
        #expect(Set(scaffold.files.map(\.path)).count == scaffold.files.count)
        #expect(scaffold.edits.isEmpty == (form != .repository))
    }

    @Test func `A package depends on the place of SoupKit`() {
        #expect(SoupKitLocation.clone("/a b").dependency(traits: []) == #".package(name: "SoupKit", path: "/a b")"#)
        let url = SoupKitLocation.url("https://a.example/soup.git")
        #expect(
            url.dependency(traits: ["Tools"])
                == #".package(url: "https://a.example/soup.git", branch: "main", traits: ["Tools"])"#)
        #expect(url.package == "soup")
    }

    @Test(arguments: [("one\n", "zero\none\n"), ("none\n", nil), ("one\none\n", nil)] as [(String, String?)])
    func `A line is added at the one place for it`(text: String, result: String?) throws {
        let edit = FileEdit("Package.swift", before: "one\n", "zero\n")
        guard let result else {
            let error = #expect(throws: SoupError.self) { try edit.applied(to: text.replacing("none", with: "two")) }
            #expect(error?.message.contains("Package.swift") == true)
            return
        }
        #expect(try edit.applied(to: text) == result)
    }
}

#endif
