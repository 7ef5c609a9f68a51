// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupLocalOrg
internal import SoupKit

/// The command `soup org import-describe`.
struct OrgImportDescribe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-describe",
        abstract: "Create a seed file from the describe results of a real org.",
        discussion: """
            Reads a file for each object with the response to GET /services/data/v60.0/sobjects/Account/describe and, if \
            there is one, a file with the response to GET /services/data/v60.0/sobjects. Prints a seed file with these \
            objects and without rows, for soup org serve --seed FILE. Properties that a seed file cannot express are \
            reported on standard error.
            """)

    @Argument(help: ArgumentHelp("JSON files, or folders of them.", valueName: "file"))
    var files: [String]

    @Option(name: .long, help: ArgumentHelp("Write the seed file to this path.", valueName: "file"))
    var output: String?

    @Flag(name: .long, help: "Print only JSON, also on standard error.")
    var json = false

    func run() async throws {
        let console = Console(json: json)
        var describes = OrgDescribeImport()
        for file in try files.flatMap(Self.texts) {
            guard let contents = FileManager.default.contents(atPath: file) else {
                throw SoupError(.badConfiguration, "\(file) cannot be read", place: SoupError.Place(file: file))
            }
            try describes.add(Array(contents), file: file)
        }
        let text = Data(try describes.seedFile())
        for note in try describes.notes { console.info(note) }
        guard let output else { return FileHandle.standardOutput.write(text) }
        do {
            try text.write(to: URL(filePath: output), options: .atomic)
        } catch {
            throw SoupError(
                .badConfiguration, "\(output) cannot be written: \(error.localizedDescription)",
                place: SoupError.Place(file: output))
        }
    }

    /// Returns the JSON files of a folder, sorted by name; for any other path, the path itself.
    private static func texts(_ path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return [path]
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        let texts = names.filter { $0.lowercased().hasSuffix(".json") }.sorted()
        guard !texts.isEmpty else {
            throw SoupError(.badConfiguration, "there is no JSON file in \(path)", place: SoupError.Place(file: path))
        }
        return texts.map { "\(path)/\($0)" }
    }
}

#endif
