// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup resolvers`.
struct Resolvers: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the registered conflict resolvers, which the options of a sync can name.")

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        console.list(ToolPlugins.registry.conflictResolvers, ifEmpty: "no conflict resolver is registered")
    }
}

/// The command `soup transforms`.
struct Transforms: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the registered record transforms, which the options of a sync can name.")

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        console.list(ToolPlugins.registry.recordTransforms, ifEmpty: "no record transform is registered")
    }
}

extension Console {
    /// Prints plug-ins that a configuration chooses by their names.
    func list(_ plugins: [PluginDescription], ifEmpty sentence: String) {
        var table = TextTable(["type", "Swift type"])
        for plugin in plugins {
            event(plugin.json)
            table.add([plugin.name.rawValue, plugin.typeName])
        }
        self.table(table, ifEmpty: sentence)
    }
}

#endif
