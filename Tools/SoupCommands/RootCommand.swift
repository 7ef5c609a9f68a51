// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser

/// The command `soup`, with its subcommands.
struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soup",
        abstract: "Soups of JSON records on this machine, synced with an org.",
        discussion: """
            Every command reads the configuration in the folder that --config names: userstore.json and usersyncs.json \
            as apps of the mobile SDKs carry them, and org.json, which says where the server is. SOUP_INSTANCE_URL and \
            SOUP_ACCESS_TOKEN win over org.json.

            Exit codes: 0 the work was done, 1 it failed or a record did, 2 the command was not understood.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(name: "Start here:", subcommands: [Demo.self, Org.self, Validate.self]),
            CommandGroup(
                name: "Sync:",
                subcommands: [
                    Sync.self, Status.self, CleanGhosts.self, Failures.self, Conflicts.self, Resolve.self,
                ]),
            CommandGroup(name: "Look:", subcommands: [Soups.self, Describe.self, Query.self, Retrieve.self]),
            CommandGroup(
                name: "Change:", subcommands: [Create.self, Edit.self, Delete.self, Discard.self, Upsert.self]),
            CommandGroup(name: "Keep:", subcommands: [Stats.self, Compact.self, Stores.self]),
            CommandGroup(name: "Migrate:", subcommands: [Plan.self, Migrate.self]),
            CommandGroup(
                name: "Plug-ins:", subcommands: [Targets.self, Backends.self, Transports.self, PlayCases.self]),
        ])
}

#endif
