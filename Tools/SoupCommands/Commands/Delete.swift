// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup delete`.
struct Delete: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Delete entries.",
        discussion: """
            An entry that is synced, one that carries the local flags, is marked as an app does, and goes with the next \
            sync up; any other entry is removed. --now removes both kinds from the store at once, and the server is \
            never told. An entry whose stored text is damaged cannot show which kind it is: only --now removes it.

            --undo takes the mark back, as long as no sync up has told the server.

            With --json prints {"soup","entryId","result"} for each, where result is marked, unmarked, notMarked, removed \
            or absent.
            """)

    @Argument(help: "The soup.")
    var soup: String

    @Argument(help: "The ids of the entries: their _soupEntryId.", transform: EntryArgument.id)
    var ids: [Int64]

    @Flag(help: "Remove the entries from the store; the server is not told.")
    var now = false

    @Flag(help: "Take back the marks of entries that wait to be deleted.")
    var undo = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if now && undo { throw ValidationError("Say either --now or --undo.") }
    }

    func perform(_ console: Console) async throws {
        let name = SoupName(soup)
        try name.requireWritable()
        let store = try await options.openStore()
        try await store.requireSoup(name)
        if undo { return try await takeBack(in: store, console) }
        let results = try await store.delete(ids, from: name, markingSynced: !now)
        for (id, result) in results {
            console.event(["soup": .string(soup), "entryId": .int(id), "result": .string(result.rawValue)])
            console.say("\(soup) \(id): \(result.rawValue)")
        }
    }

    private func takeBack(in store: SmartStore, _ console: Console) async throws {
        for id in ids {
            let wasMarked = try await store.retrieve([id], from: SoupName(soup)).first?["__locally_deleted__"] == true
            try await store.undelete(id, in: SoupName(soup))
            let result = wasMarked ? "unmarked" : "notMarked"
            console.event(["soup": .string(soup), "entryId": .int(id), "result": .string(result)])
            console.say("\(soup) \(id): \(wasMarked ? "unmarked" : "was not marked, nothing is changed")")
        }
    }
}

#endif
