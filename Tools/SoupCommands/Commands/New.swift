// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// The command `soup new`.
struct New: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Create a plug-in that passes its tests.",
        discussion: """
            In a clone of SoupKit, adds the plug-in to it. With --package or --command, creates a folder with a package of its \
            own: one that soup loads with --plugin, or one with a command line that contains the plug-in.

            A target fetches the records of a list; a backend wraps another store; a resolver decides conflicts of a sync. Each \
            works, and its tests use the suite of SoupTesting: replace its rules by those of your server, store or app.
            """)

    @Argument(help: "target, backend or resolver.")
    var kind: PluginKind

    @Argument(help: "A name of letters and digits, such as Weather.")
    var name: String

    @Flag(help: "Create a package that soup loads with --plugin.")
    var package = false

    @Flag(help: "Create a package with a command line of its own.")
    var command = false

    @Option(
        help: ArgumentHelp(
            "The clone or the URL of SoupKit that the package depends on; by default the clone that this command was built in.",
            valueName: "path or url"))
    var soupkit: String?

    @Option(help: ArgumentHelp("The folder in which the folder of a package is created.", valueName: "dir"))
    var directory = "."

    @Flag(name: .long, help: "Print one JSON object per line, for scripts.")
    var json = false

    func validate() throws {
        if package && command { throw ValidationError("Use either --package or --command.") }
        if !package && !command && soupkit != nil { throw ValidationError("--soupkit needs --package or --command.") }
    }

    func run() async throws {
        let console = Console(json: json)
        let names = try ScaffoldName(name, kind: kind)
        try requireUnknown(names)
        let (scaffold, folder) = try place(names)
        let (created, changed) = try ScaffoldWriter(folder: folder).write(scaffold)
        console.event([
            "folder": .string(folder.path), "module": .string(names.module), "name": .string(names.plugin),
            "created": .array(created.map { .string($0) }), "changed": .array(changed.map { .string($0) }),
        ])
        for path in created { console.print("created \(shown(path, in: folder))") }
        for path in changed { console.print("changed \(shown(path, in: folder))") }
        console.print("")
        for line in nextSteps(scaffold, in: folder) { console.print(line) }
    }

    /// Checks that no plug-in of SoupKit has the name.
    private func requireUnknown(_ names: ScaffoldName) throws {
        let registry = ToolPlugins.registry
        let known =
            switch kind {
            case .target: registry.targets
            case .backend: registry.storeBackends
            case .resolver: registry.conflictResolvers
            }
        let taken = known.flatMap { [$0.name] + $0.aliases }.map(\.rawValue)
        // A name that differs only in case would be confused with the other one.
        guard let other = taken.first(where: { $0.lowercased() == names.plugin.lowercased() }) else { return }
        throw SoupError(
            "badArgument", "SoupKit has a \(kind.noun) \"\(other)\" already", hint: "Choose another name.")
    }

    /// Returns the plug-in in its form, and the folder for its files.
    private func place(_ names: ScaffoldName) throws -> (Scaffold, folder: URL) {
        guard package || command else {
            guard let clone = SoupKitLocation.clone(containing: directory) else {
                throw SoupError(
                    "badArgument", "the folder \(directory) is not in a clone of SoupKit",
                    hint: "Add --package or --command to create a package of its own.")
            }
            return (Scaffold(kind: kind, name: names, form: .repository), URL(filePath: clone))
        }
        let location = try SoupKitLocation(soupkit, executable: Bundle.main.executablePath)
        let folder = URL(filePath: directory).appending(path: names.module)
        guard (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.isEmpty != false else {
            throw SoupError(
                "badArgument", "\(folder.path) exists already", hint: "Choose another name, or remove the folder.")
        }
        return (Scaffold(kind: kind, name: names, form: command ? .command(location) : .plugin(location)), folder)
    }

    private func shown(_ path: String, in folder: URL) -> String {
        package || command ? "\(folder.lastPathComponent)/\(path)" : path
    }

    private func nextSteps(_ scaffold: Scaffold, in folder: URL) -> [String] {
        let (module, type) = (scaffold.name.module, scaffold.name.type)
        switch scaffold.form {
        case .repository:
            return [
                "Edit Plugins/\(module)/Sources/\(type).swift, Plugins/\(module)/Tests/\(type)Tests.swift and",
                "Plugins/\(module)/README.md, and describe the plug-in in README.md and CHANGELOG.md.",
                "Test it: swift build --enable-all-traits --build-tests && swift test --enable-all-traits --skip-build --filter \(module)Tests",
            ]
        case .plugin:
            return [
                "Edit Sources/\(module)/\(type).swift and Tests/\(module)Tests/\(type)Tests.swift.",
                "Test it: swift test --package-path \(folder.path)",
                "Use it: build it with swift build, and add --plugin with the path of the library to soup; see README.md.",
            ]
        case .command:
            return [
                "Edit Sources/\(module)/\(type).swift and Tests/\(module)Tests/\(type)Tests.swift.",
                "Test it: swift test --package-path \(folder.path)",
                "Use it: swift run --package-path \(folder.path) \(scaffold.name.plugin)Soup targets",
            ]
        }
    }
}

#endif
