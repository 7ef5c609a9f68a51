// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser

/// The command `soup`, with its subcommands.
struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soup",
        abstract: "Store JSON records in soups on this machine, and sync them with an org.",
        discussion: """
            The commands read the configuration in the folder given by --config: userstore.json and usersyncs.json, as in \
            apps of the mobile SDKs, and org.json, which contains the server's URL and credentials. The environment \
            variables SOUP_INSTANCE_URL, SOUP_ACCESS_TOKEN and SOUP_USERNAME override org.json.

            Exit codes: 0 for success, 1 if the command or a record failed, 2 for invalid arguments.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "Start here:",
                subcommands: [
                    Demo.self, Org.self, Validate.self, TestCommand.self, Doctor.self, Schema.self, Bridge.self,
                ]),
            CommandGroup(name: "Log in:", subcommands: [Login.self, Logout.self, Sessions.self, Users.self]),
            CommandGroup(
                name: "Sync:",
                subcommands: [
                    Sync.self, Status.self, Rewind.self, CleanGhosts.self, Failures.self, Conflicts.self, Resolve.self,
                ]),
            CommandGroup(name: "Read:", subcommands: [Soups.self, Describe.self, Query.self, Retrieve.self]),
            CommandGroup(
                name: "Change:", subcommands: [Create.self, Edit.self, Delete.self, Discard.self, Upsert.self]),
            CommandGroup(
                name: "Maintain:",
                subcommands: [
                    Stats.self, Compact.self, Encrypt.self, Decrypt.self, Rekey.self, Stores.self, Inspect.self,
                ]),
            CommandGroup(name: "Migrate:", subcommands: [Plan.self, Migrate.self, ImportSmartStore.self]),
            CommandGroup(
                name: "Plug-ins:",
                subcommands: [
                    New.self, Targets.self, Backends.self, Resolvers.self, Transforms.self, Transports.self,
                    Keys.self, Credentials.self, Conformance.self,
                ]),
        ])
}

#endif
