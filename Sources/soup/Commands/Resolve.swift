// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup resolve`.
struct Resolve: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what became of a creation whose answer was lost.",
        discussion: """
            When the connection breaks, or the program is killed, after a new record was sent and before the answer came, \
            nobody here knows whether the server has it. Such a record is not sent again by itself: that could make two. \
            Look on the server, then say --created with the id it has there, or --resend when it is not there. Without \
            an entry the command lists those that wait for an answer, one {"soup","entryId"} a line with --json.
            """)

    @Argument(help: "The soup.")
    var soup: String?

    @Argument(help: "The entry's id in the soup.")
    var id: Int64?

    @Option(name: .long, help: ArgumentHelp("The server has it, under this id.", valueName: "server id"))
    var created: String?

    @Flag(name: .long, help: "The server does not have it: send it with the next sync up.")
    var resend = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if soup != nil, id == nil { throw ValidationError("Name the entry's id, or leave the soup out for a list.") }
        if id == nil, created != nil || resend { throw ValidationError("Name the soup and the entry's id.") }
        if id != nil, (created != nil) == resend { throw ValidationError("Say either --created or --resend.") }
    }

    func perform(_ console: Console) async throws {
        let kit = try await options.open()
        guard let soup, let id else { return try await list(kit, console) }
        try await kit.syncs.resolveUnknown(
            entryId: id, soup: SoupName(soup), as: created.map { .created($0) } ?? .resend)
        console.event([
            "soup": .string(soup), "entryId": .int(id), "resolved": .string(created == nil ? "resend" : "created"),
        ])
        console.say(created.map { "entry \(id) is \($0) on the server" } ?? "entry \(id) goes up with the next sync")
    }

    private func list(_ kit: SoupKit, _ console: Console) async throws {
        var table = Table(["soup", "entry"], alignRight: [1])
        for (soup, ids) in try await kit.syncs.unknownCreations().sorted(by: { $0.key < $1.key }) {
            for id in ids {
                console.event(["soup": .string(soup.rawValue), "entryId": .int(id)])
                table.add([soup.rawValue, String(id)])
            }
        }
        console.table(table)
    }
}

#endif
