// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// The command `soup stores`.
struct Stores: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the stores in the configuration folder, or remove one.",
        discussion: """
            A folder has one store for the user, one global store, and any number of named stores; pass the listed file to \
            --store of the other commands. With --user, the stores of this user are listed. The store that the \
            configuration opens is marked. If "backend" gives it another path, it has no name, and --remove cannot remove \
            it. The key of a removed store is removed, unless other stores can share it. With --json prints \
            {"storeName","isGlobalStore","file","isConfigured"} for each store; storeName is null for one without a name.
            """)

    @Option(help: ArgumentHelp("Remove this store of the scope with all its contents.", valueName: "name"))
    var remove: String?

    @Flag(help: "Remove the store even if it has local changes, which are lost.")
    var force = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if force, remove == nil { throw ValidationError("--force requires --remove.") }
        if options.store != nil {
            throw ValidationError("Omit --store: soup stores lists and removes the stores of the configuration folder.")
        }
    }

    func perform(_ console: Console) async throws {
        let folder = options.stores
        if let remove {
            let file = try folder.file(of: remove, in: options.scope).filePath
            if !force, FileManager.default.fileExists(atPath: file) { try await requireNoLocalChanges(in: file) }
            guard try await SoupClient.removeStore(remove, at: options.folder, options: options.clientOptions) else {
                throw SoupError(
                    .storeNotFound, "\(options.config) has no \(options.scope) store \"\(remove)\"",
                    hint: "Run soup stores to list the stores of the folder.")
            }
            return console.print("Removed \(remove).")
        }
        var table = TextTable(["store", "scope", "file", ""])
        for scope in StoreScope.allCases {
            let configured = configuration().storeFile(clientOptions(scope))?.filePath
            var stores: [(name: String?, file: String)] = try folder.names(in: scope).map { name in
                (name, try folder.file(of: name, in: scope).filePath)
            }
            if let configured, !stores.contains(where: { $0.file == configured }),
                FileManager.default.fileExists(atPath: configured)
            {
                stores.append((nil, configured))
            }
            for (name, file) in stores {
                console.event([
                    "storeName": name.map { .string($0) } ?? .null, "isGlobalStore": .bool(scope == .global),
                    "file": .string(file), "isConfigured": .bool(file == configured),
                ])
                let mark = file == configured ? "opened by the configuration" : ""
                table.add([name ?? "", scope.rawValue, file, mark])
            }
        }
        console.table(table, ifEmpty: "\(options.config) has no stores")
    }

    private func clientOptions(_ scope: StoreScope) -> SoupClient.Options {
        var clientOptions = options.clientOptions
        clientOptions.scope = scope
        return clientOptions
    }

    /// Checks that no soup of a store has local changes, also in the additional stores of a composed store.
    private func requireNoLocalChanges(in file: String) async throws {
        var options = options
        options.store = file
        let store: SmartStore
        do {
            store = try await options.openStore(registersSoups: false)
        } catch {
            throw SoupError(
                .localChanges, "the store cannot be opened to look for local changes: \(error)",
                hint: "Add --force to remove it with all changes that were not sent.")
        }
        let changed = try await store.read { reader in
            try reader.soupNames().filter { !SoupName.reserved.contains($0) }.compactMap { soup in
                let count = try reader.dirtyIds(in: soup).count
                return count > 0 ? "\(soup) (\(count))" : nil
            }
        }
        try await store.close()
        guard changed.isEmpty else {
            throw SoupError(
                .localChanges,
                "the store has entries with local changes that were not sent: \(changed.joined(separator: ", "))",
                hint: "Run a sync up first, or add --force to lose the changes.")
        }
    }
}

#endif
