// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupKit

/// An app, a share extension and a widget: three processes that use one store, as in an app group.
///
/// Without arguments the program is the app. It starts itself again as the extension and as the widget, as the system
/// does, with the role as its first argument.
@main
struct AppGroupSample {
    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        switch arguments.popFirst() {
        case "share-extension": try await shareExtension(URL(filePath: arguments[2]), text: arguments[3])
        case "widget": try await widget(URL(filePath: arguments[2]))
        default: try await app()
        }
    }

    /// Opens the store in the folder that all processes share.
    static func open(_ folder: URL) async throws -> SoupClient {
        try await SoupClient.open(
            at: URL(filePath: "Config"),
            options: SoupClient.Options(store: folder.appending(path: "notes.db"), environment: [:]))
    }

    /// Shows the notes, and again whenever a process has changed them.
    static func app() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "AppGroup-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let kit = try await open(folder)
        var shared = ["Milk", "Bread", "Apples"]
        for try await page in kit.store.live(.all("notes", orderedBy: "text", pageSize: 100)) {
            let texts = page.entries.compactMap { $0["text"]?.stringValue }
            show("app: \(texts.isEmpty ? "no notes" : texts.joined(separator: ", "))")
            if shared.isEmpty { break }
            // The user shares a text in another app. The live query returns it here, without any further code.
            try start("share-extension", folder.path, shared.removeFirst())
        }
        try start("widget", folder.path)
        try await kit.close()
    }

    /// Adds a note.
    static func shareExtension(_ folder: URL, text: String) async throws {
        let kit = try await open(folder)
        try await kit.store.upsert(["text": .string(text)], into: "notes")
        try await kit.close()
        show("share extension: added \(text)")
    }

    /// Shows the number of notes.
    static func widget(_ folder: URL) async throws {
        let kit = try await open(folder)
        let count = try await kit.store.read { try $0.count(.all("notes")) }
        show("widget: \(count) notes")
        try await kit.close()
    }

    /// Prints a line at once: `print` keeps it in memory, and would mix up the lines of several processes.
    static func show(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    /// Runs this program in another role to its end.
    static func start(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }
}
