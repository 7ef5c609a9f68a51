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
            entry that was created here is removed. All of the entries or, when one cannot be, none.

            It is the way out for a change that the server refuses (soup failures), or that LEAVE_IF_CHANGED does not \
            send (soup conflicts). To take back a deletion alone, and keep the edits before it: soup delete --undo.

            With --json prints {"soup","entryId","result"} for each, where result is restored, removed, or unchanged for \
            an entry without local changes.
            """)

    @Argument(help: "The soup.")
    var soup: String

    @Argument(help: "The ids of the entries: their _soupEntryId.")
    var ids: [Int64]

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let kit = try await options.open()
        for (id, result) in try await kit.syncs.discardChanges(of: ids, in: SoupName(soup)) {
            console.event(["soup": .string(soup), "entryId": .int(id), "result": .string(result.rawValue)])
            console.say("\(soup) \(id): \(result.rawValue)")
        }
    }
}

#endif
