// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// A command that works with the configuration that the global options name.
protocol SoupCommand: AsyncParsableCommand, Sendable {
    var options: GlobalOptions { get }

    /// Does the work; a signal to end cancels it.
    func perform(_ console: Console) async throws
}

extension SoupCommand {
    func run() async throws {
        let command = self
        try await Interruption.run { try await command.perform(command.options.console) }
    }

    /// The folder's configuration, checked.
    func configuration() -> ConfigurationFolder { ConfigurationFolder(reading: options.config) }
}

#endif
