// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

@testable import SoupCommands

@Suite struct NewTests {
    /// A folder with the parts of the files of a clone that get lines.
    private func clone() throws -> WorkFolder {
        let folder = try WorkFolder()
        for path in ["Sources/SoupKit", "Plugins/Old"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + path, withIntermediateDirectories: true)
        }
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        for file in ["Package.swift", "Sources/SoupKit/Exports.swift", "Sources/SoupKit/PluginRegistry+Standard.swift"]
        {
            try FileManager.default.copyItem(
                at: repository.appending(path: file), to: folder.url.appending(path: file))
        }
        return folder
    }

    private func text(_ path: String, in folder: WorkFolder) throws -> String {
        try String(contentsOfFile: folder.path + "/" + path, encoding: .utf8)
    }

    @Test func `A plug-in is added to a clone`() async throws {
        let clone = try clone()
        let created = try await SoupTool.run(
            "new", "target", "Weather", "--directory", clone.path + "/Plugins/Old", "--json")
        #expect(created.status == 0, "\(created)")
        let paths = try created.json[0]["created"]?.arrayValue?.compactMap(\.stringValue) ?? []
        #expect(paths.count == 6 && paths.allSatisfy { $0.hasPrefix("Plugins/WeatherTargets/") })
        for path in paths { #expect(FileManager.default.fileExists(atPath: clone.path + "/" + path), "\(path)") }
        let manifest = try text("Package.swift", in: clone)
        #expect(manifest.contains(#".library(name: "WeatherTargets", targets: ["WeatherTargets"]),"#))
        #expect(manifest.contains(#".plugin("WeatherTargets", dependencies: ["SoupCore", .http]),"#))
        #expect(manifest.contains(#".pluginTests("WeatherTargets"),"#))
        #expect(
            try text("Sources/SoupKit/Exports.swift", in: clone).contains("@_exported public import WeatherTargets\n"))
        let standard = try text("Sources/SoupKit/PluginRegistry+Standard.swift", in: clone)
        #expect(
            standard.contains("internal import WeatherTargets\n")
                && standard.contains("        WeatherTargetsModule(),\n"))
    }

    @Test func `Nothing is written if a part cannot be`() async throws {
        let clone = try clone()
        try clone.write("// empty\n", to: "Sources/SoupKit/Exports.swift")
        let before = try text("Package.swift", in: clone)
        let refused = try await SoupTool.run("new", "target", "Weather", "--directory", clone.path, "--json")
        #expect(refused.status == 1)
        #expect(try refused.jsonErrors.first?["message"]?.stringValue?.contains("Exports.swift") == true)
        #expect(try text("Package.swift", in: clone) == before)
        #expect(!FileManager.default.fileExists(atPath: clone.path + "/Plugins/WeatherTargets"))
    }

    @Test func `A package is created once`() async throws {
        let folder = try WorkFolder()
        let options = ["--package", "--soupkit", "https://git.example/soup-kit.git", "--directory", folder.path]
        let created = try await SoupTool.run(["new", "resolver", "LongerText"] + options)
        #expect(created.status == 0, "\(created)")
        #expect(created.output.contains("created LongerTextResolvers/Package.swift"))
        let manifest = try text("LongerTextResolvers/Package.swift", in: folder)
        #expect(manifest.contains(#".package(url: "https://git.example/soup-kit.git", branch: "main")"#))
        #expect(manifest.contains(#".product(name: "SoupPluginInterface", package: "soup-kit")"#))
        let repeated = try await SoupTool.run(["new", "resolver", "LongerText"] + options)
        #expect(repeated.status == 1)
        #expect(repeated.errors.joined().contains("exists already"))
        #expect(try text("LongerTextResolvers/Package.swift", in: folder) == manifest)
        // A folder with files of something else is left alone, too.
        try FileManager.default.createDirectory(
            atPath: folder.path + "/RainTargets", withIntermediateDirectories: false)
        try folder.write("mine", to: "RainTargets/notes.txt")
        #expect(try await SoupTool.run(["new", "target", "Rain"] + options).status == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/RainTargets") == ["notes.txt"])
    }

    @Test(arguments: [
        (["target", "http", "--package"], 1, #"a sync-down target "http" already"#),
        (["backend", "SQLite", "--package"], 1, #"a store backend "sqlite" already"#),
        (["resolver", "Newest", "--package"], 1, #"a conflict resolver "newest" already"#),
        (["target", "my-target", "--package"], 1, "cannot be the name of a plug-in"),
        (["target", "Weather"], 1, "is not in a clone of SoupKit"),
        (["target", "Weather", "--package", "--soupkit", "/"], 1, "is not a clone of SoupKit"),
        (["target", "Weather", "--package", "--command"], 2, "either --package or --command"),
        (["target", "Weather", "--soupkit", "/"], 2, "--soupkit needs"), (["gadget", "Weather"], 2, "gadget"),
    ])
    func `A request that makes no sense is refused`(arguments: [String], status: Int32, says: String) async throws {
        let folder = try WorkFolder()
        let refused = try await SoupTool.run(["new"] + arguments + ["--directory", folder.path])
        #expect(refused.status == status)
        #expect(refused.errors.joined(separator: "\n").contains(says), "\(refused.errors)")
        #expect(try folder.files == [])
    }
}

#endif
