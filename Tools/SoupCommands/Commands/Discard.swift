// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup discard`.
struct Discard: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take local changes of entries back.",
        discussion: """
            An edit or a deletion that the server has not heard of is undone: the entry is as it was synced last. An \
            entry that was created here is removed. All of the entries that are named or, when one cannot be, none.

            --all takes back every local change of the soup, for good. What cannot be taken back, such as a creation whose \
            answer was lost, is told with the reason; the others are taken back all the same, and the exit code is 1.

            It is the way out for a change that the server refuses (soup failures), or that LEAVE_IF_CHANGED does not \
            send (soup conflicts). To take back a deletion alone, and keep the edits before it: soup delete --undo.

            With --json prints {"soup","entryId","result"} for each, where result is restored, removed, or unchanged for \
            an entry without local changes.
            """)

    @Argument(help: "The soup.")
    var soup: String

    @Argument(help: "The ids of the entries: their _soupEntryId.", transform: EntryArgument.id)
    var ids: [Int64] = []

    @Flag(name: .long, help: "All entries of the soup that have local changes.")
    var all = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if ids.isEmpty, !all { throw ValidationError("Name the entries' ids, or say --all.") }
        if all, !ids.isEmpty { throw ValidationError("Name the entries' ids or say --all, not both.") }
    }

    func perform(_ console: Console) async throws {
        let name = SoupName(soup)
        try name.requireWritable()
        let kit = try await options.open()
        try await kit.store.requireSoup(name)
        guard all else {
            return tell(try await kit.syncs.discardChanges(of: ids, in: name), console)
        }
        let changed = try await kit.store.read { try $0.dirtyIds(in: name) }
        if changed.isEmpty { console.say("no entry of soup \(soup) has local changes") }
        // The youngest first: what was made under another entry is younger than that.
        try await Settling(console: console).each(changed.reversed()) { id in
            tell(try await kit.syncs.discardChanges(of: [id], in: name), console)
        }
    }

    private func tell(_ results: [(id: Int64, result: SyncManager.Discarded)], _ console: Console) {
        for (id, result) in results {
            console.event(["soup": .string(soup), "entryId": .int(id), "result": .string(result.rawValue)])
            console.say("\(soup) \(id): \(result.rawValue)")
        }
    }
}

#endif
