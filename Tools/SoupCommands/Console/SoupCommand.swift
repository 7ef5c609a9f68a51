// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// A type that performs a command on the configuration given by the global options.
protocol SoupCommand: AsyncParsableCommand, PluginUser, Sendable {
    var options: GlobalOptions { get set }

    /// Whether `--user` is replaced by the IDs of the user before ``perform(_:)`` is called.
    var resolvesUser: Bool { get }

    /// Performs the command; SIGINT, SIGTERM and SIGHUP cancel it.
    func perform(_ console: Console) async throws
}

extension SoupCommand {
    var pluginOptions: PluginOptions { options.plugins }
    var pluginFolder: URL? { options.folder }

    var resolvesUser: Bool { true }

    func run() async throws {
        let command = self
        try await Interruption.run {
            var command = command
            if command.resolvesUser { try await command.options.resolveUser() }
            try await command.perform(command.options.console)
        }
    }

    /// Reads and checks the configuration of the folder.
    func configuration() -> ConfigurationFolder {
        ConfigurationFolder(reading: options.folder, registry: ToolPlugins.registry)
    }
}

#endif
