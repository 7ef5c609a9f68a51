// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup plan`.
struct Plan: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell what soup migrate would do to the soups of the store.",
        discussion: """
            Nothing is changed, and a store that is not there is not made. Warns of soups of the store that the file does \
            not name. With --json prints {"soupName","isNew","added","dropped"} for each soup that is to be changed.
            """)

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let plan = try await SoupClient.plan(configuration: options.config, scope: options.scope, store: options.store)
        for step in plan.migration.steps { step.tell(console, done: false) }
        let folder = configuration()
        for problem in plan.surplus { console.report(problem, in: folder) }
        if plan.migration.isEmpty {
            console.say("The store has the soups and indexes that \(options.scope.storeFile) wants.")
        }
    }
}

/// The command `soup migrate`.
struct Migrate: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give the store the soups and the indexes that userstore.json wants.",
        discussion: """
            Entries stay as they are, and so do indexes that do not change, and soups that the file does not name: soup \
            soups --remove removes those. When it is interrupted the soup that was under way is finished at the next \
            opening, and running it again does the rest. With --json prints {"soupName","isNew","added","dropped"} for \
            each soup that was changed.
            """)

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore(registersSoups: false)
        let soups = (configuration()[options.scope].store?.soups ?? []).map { ($0.name, $0.indexes) }
        let plan = try await store.migrationPlan(to: soups)
        try await store.migrate(plan) { $0.tell(console, done: true) }
        if plan.isEmpty {
            console.say("The store has the soups and indexes that \(options.scope.storeFile) wants already.")
        }
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
        console.event([
            "soupName": .string(soup.rawValue), "isNew": .bool(present == nil), "added": json(added),
            "dropped": json(dropped),
        ])
        let verbs = present == nil ? (done ? "made with" : "make it with") : done ? "added" : "add"
        let changes = [text(added, verbs), text(dropped, done ? "dropped" : "drop")].compactMap { $0 }
        console.say("\(soup): \(changes.joined(separator: "; "))")
    }
}

#endif
