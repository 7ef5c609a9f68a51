// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup stores`.
struct Stores: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the stores in the configuration's folder, or remove one.",
        discussion: """
            A folder has one store for the user and one for everybody, and any number of named ones; --store takes the \
            file that is listed. With --json prints {"storeName","isGlobalStore","file"} for each.
            """)

    @Option(help: ArgumentHelp("Remove this store of the scope with all that it holds.", valueName: "name"))
    var remove: String?

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let folder = StoreFolder(options.config)
        if let remove {
            guard try folder.remove(remove, in: options.scope) else {
                throw SoupError(
                    .storeNotFound, "\(options.config) has no \(options.scope) store \"\(remove)\"",
                    hint: "soup stores lists those that it has")
            }
            return console.say("Removed \(remove).")
        }
        var table = Table(["store", "scope", "file"])
        for scope in StoreScope.allCases {
            for name in try folder.names(in: scope) {
                let file = try folder.file(of: name, in: scope)
                console.event([
                    "storeName": .string(name), "isGlobalStore": .bool(scope == .global), "file": .string(file),
                ])
                table.add([name, scope.rawValue, file])
            }
        }
        console.table(table)
    }
}

#endif
