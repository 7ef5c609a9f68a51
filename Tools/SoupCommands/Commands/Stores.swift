// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// The command `soup stores`.
struct Stores: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the stores in the configuration's folder, or remove one.",
        discussion: """
            A folder has one store for the user and one for everybody, and any number of named ones; --store of the other \
            commands takes the file that is listed. The one that the configuration opens by itself is marked; when \
            "backend" gives it a path of its own it has no name, and --remove does not find it. With --json prints \
            {"storeName","isGlobalStore","file","isConfigured"} for each, storeName null for one without a name.
            """)

    @Option(help: ArgumentHelp("Remove this store of the scope with all that it holds.", valueName: "name"))
    var remove: String?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if options.store != nil {
            throw ValidationError("soup stores takes no --store: it lists and removes the stores of the folder.")
        }
    }

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
        var table = Table(["store", "scope", "file", ""])
        for scope in StoreScope.allCases {
            let configured = configuration().storeFile(in: scope)
            var stores: [(name: String?, file: String)] = try folder.names(in: scope).map { name in
                (name, try folder.file(of: name, in: scope))
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
        console.table(table, orSay: "\(options.config) has no stores yet")
    }
}

#endif
