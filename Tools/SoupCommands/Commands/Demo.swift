// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup demo`.
struct Demo: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Demonstrate a sync down, offline edits, a sync up, a conflict and a ghost.",
        discussion: """
            Starts a local org, creates a store from configuration files in a temporary folder, and prints each step with \
            the command that does the same. Checks the result of each step, and exits 1 if one is not as expected.
            """)

    @Flag(name: .long, help: "Print one JSON object per line, for scripts.")
    var json = false

    func run() async throws {
        let console = Console(json: json)
        try await Interruption.run { try await DemoScenario.run(on: console) }
    }
}

#endif
