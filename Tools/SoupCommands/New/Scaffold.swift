// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// A new plug-in: its files, and the lines to add to files of SoupKit.
struct Scaffold: Sendable {
    /// The place of the plug-in.
    enum Form: Sendable, Hashable {
        /// In a clone of SoupKit, as a part of it.
        case repository
        /// In a package of its own, which `soup` loads.
        case plugin(SoupKitLocation)
        /// In a package of its own with a command line.
        case command(SoupKitLocation)
    }

    struct File: Sendable, Hashable {
        /// The path in the clone, or in the folder of the package.
        var path: String
        var text: String
    }

    let kind: PluginKind
    let name: ScaffoldName
    let form: Form

    /// The files to create.
    var files: [File] {
        let (module, type) = (name.module, name.type)
        switch form {
        case .repository:
            let folder = "Plugins/\(module)"
            return [
                File(path: "\(folder)/Sources/\(type).swift", text: text(kind.template)),
                File(path: "\(folder)/Sources/\(module)Module.swift", text: text(.module)),
                File(path: "\(folder)/Sources/\(module).docc/\(module).md", text: text(.catalog)),
                File(path: "\(folder)/Tests/\(type)Tests.swift", text: text(kind.testTemplate)),
                File(path: "\(folder)/README.md", text: text(.repositoryReadme)),
                File(
                    path: "\(folder)/sample.json",
                    text: kind == .backend ? kind.store(name.plugin) : kind.syncs(name.plugin, connected: false)),
            ]
        case .plugin:
            return package(.pluginPackage, readme: .pluginReadme)
                + [File(path: "Sources/\(module)/Plugin.swift", text: text(.entry))]
        case .command:
            return package(.commandPackage, readme: .commandReadme)
                + [File(path: "Sources/\(name.plugin)Soup/\(name.base)Soup.swift", text: text(.command))]
        }
    }

    private func package(_ manifest: ScaffoldTemplate, readme: ScaffoldTemplate) -> [File] {
        let (module, type) = (name.module, name.type)
        let org = kind.org(name.plugin).map { [File(path: "Config/org.json", text: $0)] } ?? []
        return [
            File(path: "Package.swift", text: text(manifest)),
            File(path: "README.md", text: text(readme)),
            File(path: ".gitignore", text: text(.ignored)),
            File(path: "Sources/\(module)/\(type).swift", text: text(kind.template)),
            File(path: "Sources/\(module)/\(module)Module.swift", text: text(.module)),
            File(path: "Tests/\(module)Tests/\(type)Tests.swift", text: text(kind.testTemplate)),
            File(path: "Config/userstore.json", text: kind.store(name.plugin)),
            File(path: "Config/usersyncs.json", text: kind.syncs(name.plugin, connected: true)),
        ] + org
    }

    /// The lines to add to files of a clone; none for a package.
    var edits: [FileEdit] {
        guard form == .repository else { return [] }
        let module = name.module
        let isHTTP = kind == .target ? ", .http" : ""
        return [
            FileEdit(
                "Package.swift", before: "        // What helps to test one.\n",
                "        .library(name: \"\(module)\", targets: [\"\(module)\"]),\n"),
            FileEdit(
                "Package.swift", before: "                .curlTransport, .http, .log,\n",
                "                \"\(module)\",\n"),
            FileEdit(
                "Package.swift", before: "\n        // Tools/: what helps to build an app.\n",
                "        .plugin(\"\(module)\", dependencies: [\"SoupCore\"\(isHTTP)]),\n"),
            FileEdit(
                "Package.swift", before: "    ]\n)\n\nextension Target {\n",
                "        .pluginTests(\"\(module)\"\(kind == .backend ? ", also: [\"SoupMemory\"]" : "")),\n"),
            FileEdit(
                "Sources/SoupKit/Exports.swift", before: "\n#if os(Linux)\n", "@_exported public import \(module)\n"),
            FileEdit(
                "Sources/SoupKit/PluginRegistry+Standard.swift", before: "public import SoupCore\n",
                "internal import \(module)\n"),
            FileEdit(
                "Sources/SoupKit/PluginRegistry+Standard.swift", before: "    ]\n\n", "        \(module)Module(),\n"),
        ]
    }

    private func text(_ template: ScaffoldTemplate) -> String {
        template.filled([
            "license": form == .repository
                ? "// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.\n"
                    + "// SPDX-License-Identifier: Apache-2.0\n\n" : "",
            "Name": name.base, "Type": name.type, "Module": name.module, "name": name.plugin, "variable": name.plugin,
            "kind": kind.noun,
            "label": kind.label, "sync": kind.syncName, "interface": "\(PluginInterface.version)",
            "sample": kind.sample(name.plugin),
            "keys": kind.keys.joined(separator: "\n"), "guide": kind.guide.path, "guideTitle": kind.guide.title,
            "dependency": dependency?.text ?? "", "package": dependency?.package ?? "",
            "sampleTest": sampleTest, "foundation": form == .repository ? "import Foundation\n" : "",
        ])
    }

    /// The dependency of a package on SoupKit.
    private var dependency: (text: String, package: String)? {
        switch form {
        case .repository: nil
        case .plugin(let location): (location.dependency(traits: []), location.package)
        case .command(let location): (location.dependency(traits: ["Tools"]), location.package)
        }
    }

    /// The test of `sample.json`, which only a plug-in of SoupKit has.
    private var sampleTest: String {
        guard form == .repository, kind == .target else { return "" }
        return """

                @Test func `The samples are accepted`() throws {
                    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../sample.json")
                    try SampleSuite(module: \(name.module)Module(), file: Array(Data(contentsOf: file))).check()
                }

            """
    }
}

/// A line to add to a file, before a text that the file contains exactly once.
struct FileEdit: Sendable, Hashable {
    var path: String
    var anchor: String
    var line: String

    init(_ path: String, before anchor: String, _ line: String) {
        (self.path, self.anchor, self.line) = (path, anchor, line)
    }

    /// Returns the text with the line.
    ///
    /// - Throws: ``SoupError`` with `badArgument` if the text does not contain the anchor exactly once.
    func applied(to text: String) throws -> String {
        let ranges = text.ranges(of: anchor)
        guard ranges.count == 1, let range = ranges.first else {
            throw SoupError(
                "badArgument",
                "\(path) has another form than expected: there is no place for the line \(line.debugDescription)",
                hint: "Create a package of its own with --package, or add the plug-in by hand as CONTRIBUTING.md says.")
        }
        return text.replacingCharacters(in: range, with: line + anchor)
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}

#endif
