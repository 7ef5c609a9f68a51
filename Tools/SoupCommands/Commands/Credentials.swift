// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup credentials`.
struct Credentials: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the registered credential stores, which org.json can name.",
        discussion: "To list the sessions that are kept, use soup sessions.")

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        console.list(ToolPlugins.registry.credentialStores, ifEmpty: "no credential store is registered")
    }
}

#endif
