// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupKit
import TodoServer
import TodoTargets

/// Syncs a soup with a todo server that is not Salesforce.
@main
struct CustomTarget {
    static func main() async throws {
        let server = InMemoryTodoServer()
        for title in ["Buy leeks", "Call Ana", "Water the basil"] { server.add(title) }

        // Register the targets, so that the configuration can name them.
        let registry = try PluginRegistry(PluginRegistry.standardModules + [TodoModule()])

        let folder = FileManager.default.temporaryDirectory.appending(path: "soupkit-todos-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let kit = try await SoupClient.open(
            at: URL(filePath: "Config"),
            options: .init(store: folder.appending(path: "todos.sqlite"), registry: registry, transport: server))

        print("down: \(try await run("syncDownTodos", kit).saved) todos")

        // These changes do not need the server.
        let leeks = try await find("Buy leeks", kit)
        _ = try await kit.store.edit(leeks.id, setting: ["done": true], in: "todos")
        _ = try await kit.store.create(["title": "Bake bread", "done": false], in: "todos", idField: "id")
        let basil = try await find("Water the basil", kit)
        _ = try await kit.store.delete(basil.id, in: "todos")

        let pushed = try await run("syncUpTodos", kit)
        print("up: \(pushed.created) created, \(pushed.updated) updated, \(pushed.deleted) deleted")
        print("the server has: \(server.titles.joined(separator: ", "))")

        server.remove("Call Ana")
        server.add("Sow radishes")
        print("down again: \(try await run("syncDownTodos", kit).saved) todos")
        print("ghosts removed: \(try await kit.syncs.cleanResyncGhosts(named: "syncDownTodos"))")
        let titles = try await kit.store.rows("select {todos:title} from {todos} order by {todos:title}")
        print("the store has: \(titles.compactMap { $0[0]?.stringValue }.joined(separator: ", "))")
    }

    /// Runs a sync to its end.
    ///
    /// - Throws: the error that ended the run.
    static func run(_ name: String, _ kit: SoupClient) async throws -> SyncResult {
        let result = try await kit.syncs.reSync(named: name).result
        if let error = result.error { throw error }
        return result
    }

    /// Returns the entry of the todo with a title.
    static func find(_ title: String, _ kit: SoupClient) async throws -> SoupEntry {
        let found = try await kit.store.query(.exact("todos", "title", equals: .string(title), pageSize: 1))
        guard let entry = found.entries.first else { throw SoupError("notFound", "there is no todo \"\(title)\"") }
        return entry
    }
}
