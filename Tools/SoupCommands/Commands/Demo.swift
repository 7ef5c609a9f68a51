// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup demo`.
struct Demo: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "The whole story: down, offline edits, up, a conflict, a ghost.",
        discussion: """
            Starts a local org, sets up a store from configuration files in a temporary folder, and shows each step with \
            the command that does the same. It checks every step, and exits 1 when one does not come out as told.
            """)

    @Flag(name: .long, help: "Print one JSON object a line, for scripts.")
    var json = false

    func run() async throws {
        let console = Console(json: json)
        try await Interruption.run { try await DemoStory.tell(on: console) }
    }
}

#endif
