// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// The option of commands that load plug-ins.
struct PluginOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Load the compiled plug-in of a file; may be repeated. org.json can name plug-ins, too: \"plugins\": [path].",
            valueName: "path"))
    var plugin: [String] = []
}

/// A type that performs a command whose plug-ins can be loaded at run time.
protocol PluginUser {
    var pluginOptions: PluginOptions { get }
    /// The folder whose `org.json` names plug-ins; nil for none.
    var pluginFolder: URL? { get }
}

extension PluginUser {
    /// Loads the plug-ins of the options and of `org.json`.
    ///
    /// - Throws: ``SoupError`` with `badPlugin`; ``ConfigurationError`` for a plug-in of `org.json`, with its place.
    func loadPlugins() throws -> [PluginLibrary] {
        var loaded: [PluginLibrary] = []
        func load(_ path: String, in folder: URL) throws {
            let file = PluginLibrary.absolute(path, in: folder)
            guard !loaded.contains(where: { $0.path == file }) else { return }
            loaded.append(try PluginLibrary(at: path, in: folder))
        }
        let current = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
        for path in pluginOptions.plugin { try load(path, in: current) }
        guard let pluginFolder else { return loaded }
        let named = OrgPlugins(in: pluginFolder)
        if !named.problems.isEmpty { throw ConfigurationError(named.problems) }
        for (index, path) in named.paths.enumerated() {
            do {
                try load(path, in: pluginFolder)
            } catch let error as SoupError {
                throw named.located(error, at: index)
            }
        }
        return loaded
    }
}

#endif
