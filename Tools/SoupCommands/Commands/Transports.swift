// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup transports`.
struct Transports: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the registered transports, which org.json can name.")

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        console.list(ToolPlugins.registry.transports, ifEmpty: "no transport is registered")
    }
}

#endif
