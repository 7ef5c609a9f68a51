// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup backends`.
struct Backends: SoupCommand {
    static let configuration = CommandConfiguration(abstract: "List the registered store backends.")

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        var table = TextTable(["type", "Swift type"])
        for backend in ToolPlugins.registry.storeBackends {
            console.event(backend.json)
            table.add([backend.name.rawValue, backend.typeName])
        }
        console.table(table, ifEmpty: "no store is registered")
    }
}

#endif
