// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup plan`.
struct Plan: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell what soup migrate would do to the indexes of the store.",
        discussion: "Nothing is changed. With --json prints {\"soupName\",\"added\",\"dropped\"} for each soup.")

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let plan = try await options.migrationPlan(configuration(), for: try await options.openStore())
        for step in plan.steps { step.tell(console, done: false) }
        if plan.isEmpty { console.say("The store has the indexes that \(options.scope.storeFile) wants.") }
    }
}

/// The command `soup migrate`.
struct Migrate: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give the soups of the store the indexes that userstore.json wants.",
        discussion: """
            Entries stay as they are, and so do indexes that do not change. When it is interrupted the soup that was under \
            way is finished at the next opening, and running it again does the rest. With --json prints \
            {"soupName","added","dropped"} for each soup that was changed.
            """)

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        let plan = try await options.migrationPlan(configuration(), for: store)
        try await store.migrate(plan) { $0.tell(console, done: true) }
        if plan.isEmpty { console.say("The store has the indexes that \(options.scope.storeFile) wants already.") }
    }
}

extension GlobalOptions {
    /// What the configuration wants of a store.
    fileprivate func migrationPlan(
        _ folder: ConfigurationFolder, for store: SmartStore
    ) async throws -> MigrationPlan {
        try await store.migrationPlan(to: (folder[scope].store?.soups ?? []).map { ($0.name, $0.indexes) })
    }
}

extension MigrationPlan.Step {
    fileprivate func tell(_ console: Console, done: Bool) {
        func json(_ specs: [IndexSpec]) -> JSONValue {
            .array(specs.map { ["path": .string($0.path.rawValue), "type": .string($0.kind.rawValue)] })
        }
        func text(_ specs: [IndexSpec], _ verb: String) -> String? {
            specs.isEmpty ? nil : "\(verb) \(specs.map(\.description).joined(separator: ", "))"
        }
        console.event(["soupName": .string(soup.rawValue), "added": json(added), "dropped": json(dropped)])
        let changes = [text(added, done ? "added" : "add"), text(dropped, done ? "dropped" : "drop")].compactMap { $0 }
        console.say("\(soup): \(changes.joined(separator: "; "))")
    }
}

#endif
