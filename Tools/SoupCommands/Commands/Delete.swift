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
            A synced entry, one with the local flags, is marked as deleted, and the next sync up deletes it on the server. \
            Any other entry is removed from the store. --now removes entries of both kinds from the store without deleting \
            them on the server. The kind of an entry with a damaged stored text is unknown: only --now removes it. --now \
            also removes a row of syncs_in_flight that an error names as damaged; the creations in it may be on the server.

            --undo removes the mark, if no sync up has deleted the record on the server yet.

            With --json prints {"soup","entryId","result"} for each entry, where result is marked, unmarked, notMarked, \
            removed or absent.
            """)

    /// The soup of the engine with the creations whose outcome is unknown.
    private static let creations: SoupName = "syncs_in_flight"

    @Argument(help: "The soup.")
    var soup: String

    @Argument(help: "The IDs of the entries: their _soupEntryId.", transform: EntryArgument.id)
    var ids: [Int64]

    @Flag(help: "Remove the entries from the store, and do not delete them on the server.")
    var now = false

    @Flag(help: "Remove the marks of entries that are to be deleted.")
    var undo = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if now && undo { throw ValidationError("Give either --now or --undo.") }
    }

    func perform(_ console: Console) async throws {
        let name = SoupName(soup)
        if !now || name != Self.creations { try name.requireWritable() }
        let store = try await options.openStore()
        try await store.requireSoup(name)
        if undo { return try await removeMarks(in: store, console) }
        let results = try await store.delete(ids, from: name, markingSynced: !now)
        for (id, result) in results {
            console.event(["soup": .string(soup), "entryId": .int(id), "result": .string(result.rawValue)])
            console.print("\(soup) \(id): \(result.rawValue)")
        }
    }

    private func removeMarks(in store: SmartStore, _ console: Console) async throws {
        for id in ids {
            let wasMarked = try await store.retrieve([id], from: SoupName(soup)).first?["__locally_deleted__"] == true
            try await store.undelete(id, in: SoupName(soup))
            let result = wasMarked ? "unmarked" : "notMarked"
            console.event(["soup": .string(soup), "entryId": .int(id), "result": .string(result)])
            console.print("\(soup) \(id): \(wasMarked ? "unmarked" : "was not marked; nothing is changed")")
        }
    }
}

#endif
