// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup users`.
struct Users: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the users that have stores of their own on this machine.",
        discussion: """
            Pass a listed user to --user of the other commands. The data of all users is in the folder users beside the \
            configuration. With --json prints {"user","organization","userId","community"?,"stores"} for each user.
            """)

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if options.user != nil || options.store != nil || options.global {
            throw ValidationError("Omit --user, --store and --global: soup users lists the users of the folder.")
        }
    }

    func perform(_ console: Console) async throws {
        var table = TextTable(["user", "stores"])
        for user in try options.stores.users() {
            let stores = try StoreFolder(at: options.folder, of: user).names(in: .user)
            var event: JSONObject = ["user": .string(user.argument)]
            event["organization"] = .string(user.organization)
            event["userId"] = .string(user.user)
            event["community"] = user.community.map { .string($0) }
            event["stores"] = .array(stores.map { .string($0) })
            console.event(.object(event))
            table.add([user.argument, stores.joined(separator: ", ")])
        }
        console.table(table, ifEmpty: "\(options.config) has no users with stores of their own")
    }
}

#endif
