// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup discard`.
struct Discard: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo the local changes of entries.",
        discussion: """
            Restores the last synced version of an entry that was edited or deleted locally and not pushed yet. Removes an \
            entry that was created locally. If the changes of one of the given entries cannot be undone, none are undone.

            --all undoes every local change of the soup permanently. A change that cannot be undone, such as a create with \
            an unknown outcome, is reported with the reason; the others are undone, and the exit code is 1.

            Use this command for a change that the server refuses (soup failures), or that LEAVE_IF_CHANGED does not send \
            (soup conflicts). To undo a deletion and keep the edits before it, use soup delete --undo.

            With --json prints {"soup","entryId","result"} for each entry, where result is restored, removed, or unchanged \
            for an entry without local changes.
            """)

    @Argument(help: "The soup.")
    var soup: String

    @Argument(help: "The IDs of the entries: their _soupEntryId.", transform: EntryArgument.id)
    var ids: [Int64] = []

    @Flag(name: .long, help: "Undo the changes of all entries of the soup.")
    var all = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if ids.isEmpty, !all { throw ValidationError("Give the IDs of the entries, or --all.") }
        if all, !ids.isEmpty { throw ValidationError("Give the IDs of the entries or --all, not both.") }
    }

    func perform(_ console: Console) async throws {
        let name = SoupName(soup)
        try name.requireWritable()
        let kit = try await options.open()
        try await kit.store.requireSoup(name)
        guard all else {
            return report(try await kit.syncs.discardChanges(of: ids, in: name), console)
        }
        let changed = try await kit.store.read { try $0.dirtyIds(in: name) }
        if changed.isEmpty { console.print("no entry of soup \(soup) has local changes") }
        // The newest first, because a child that was created locally is newer than its parent.
        try await EntryBatch(console: console, operation: "discarded").forEach(changed.reversed()) { id in
            report(try await kit.syncs.discardChanges(of: [id], in: name), console)
        }
    }

    private func report(_ results: [(id: Int64, result: SyncManager.Discarded)], _ console: Console) {
        for (id, result) in results {
            console.event(["soup": .string(soup), "entryId": .int(id), "result": .string(result.rawValue)])
            console.print("\(soup) \(id): \(result.rawValue)")
        }
    }
}

#endif
