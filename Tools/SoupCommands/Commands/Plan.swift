// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup plan`.
struct Plan: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the changes that soup migrate would make to the store.",
        discussion: """
            Changes nothing, and creates no store. Warns of soups of the store that are not in the file. With --json prints \
            {"soupName","isNew","added","dropped"} for each soup to change.
            """)

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let plan = try await SoupClient.plan(at: options.folder, options: options.clientOptions)
        for step in plan.migration.steps { step.report(on: console, isDone: false) }
        let folder = configuration()
        for problem in plan.surplus { console.report(problem, in: folder) }
        if plan.migration.isEmpty {
            console.print("The store has the soups and indexes of \(options.scope.storeFile).")
        }
    }
}

/// The command `soup migrate`.
struct Migrate: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create the soups and indexes of userstore.json in the store.",
        discussion: """
            Entries, indexes without a change, and soups that are not in the file are kept; soup soups --remove removes a \
            soup. If the command is interrupted, the current soup is completed when the store is opened next; run the \
            command again to migrate the remaining soups. With --json prints {"soupName","isNew","added","dropped"} for \
            each changed soup.
            """)

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore(registersSoups: false)
        let soups = (configuration()[options.scope].store?.soups ?? []).map { ($0.name, $0.indexes) }
        let plan = try await store.migrationPlan(to: soups)
        try await store.migrate(plan) { $0.report(on: console, isDone: true) }
        if plan.isEmpty {
            console.print("The store already has the soups and indexes of \(options.scope.storeFile).")
        }
    }
}

extension MigrationPlan.Step {
    fileprivate func report(on console: Console, isDone: Bool) {
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
        let verb = present == nil ? (isDone ? "created with" : "create with") : isDone ? "added" : "add"
        let changes = [text(added, verb), text(dropped, isDone ? "dropped" : "drop")].compactMap { $0 }
        console.print("\(soup): \(changes.joined(separator: "; "))")
    }
}

#endif
