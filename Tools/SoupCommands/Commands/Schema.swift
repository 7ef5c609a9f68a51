// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// The command `soup schema`.
struct Schema: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the JSON Schema of a configuration file, for editors.",
        discussion: """
            The schemas (JSON Schema 2020-12) contain the options of every registered target, backend, resolver, transform and \
            transport, also of plug-ins that are loaded with --plugin or named in org.json. An editor that knows them \
            completes and checks the files while you type.

            With --output writes the schemas of all files into a folder, as userstore.schema.json, usersyncs.schema.json and \
            org.schema.json. In Visual Studio Code, name them in .vscode/settings.json under "json.schemas"; in every editor, \
            a file can name its own schema with "$schema".
            """)

    @Argument(help: "The file: \(ConfigurationSchema.allCases.flatMap(\.files).joined(separator: ", ")).")
    var file: String?

    @Option(
        name: .long, help: ArgumentHelp("Write the schemas of all files into this folder.", valueName: "dir"))
    var output: String?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (file == nil) != (output == nil) else {
            throw ValidationError("Give the name of a configuration file, or --output with a folder.")
        }
        guard let file, schema(of: file) == nil else { return }
        let known = ConfigurationSchema.allCases.flatMap(\.files)
        throw ValidationError("\(file) is not a configuration file. \(NameDistance.hint(for: file, among: known))")
    }

    func perform(_ console: Console) async throws {
        let registry = ToolPlugins.registry
        if let file, let schema = schema(of: file) {
            return console.emit(try JSONText(schema.schema(registry: registry)))
        }
        let folder = URL(filePath: output ?? ".", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for schema in ConfigurationSchema.allCases {
            let name = schema.rawValue.replacing(".json", with: ".schema.json")
            let text = try JSONText(schema.schema(registry: registry)).description + "\n"
            try Data(text.utf8).write(to: folder.appending(path: name), options: .atomic)
            console.event([
                "file": .string(folder.appending(path: name).path),
                "describes": .array(schema.files.map { .string($0) }),
            ])
            console.print("\(folder.appending(path: name).path): \(schema.files.joined(separator: ", "))")
        }
    }

    /// Returns the schema for a file, by its name with or without a path.
    private func schema(of file: String) -> ConfigurationSchema? {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        return ConfigurationSchema.allCases.first { $0.files.contains(name) }
    }
}

#endif
