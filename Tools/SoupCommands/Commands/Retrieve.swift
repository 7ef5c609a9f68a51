// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup retrieve`.
struct Retrieve: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print entries by their IDs.",
        discussion: """
            IDs that are not in the soup are skipped and listed on standard error. Entries whose stored text is damaged \
            are reported on standard error, and the exit code is 1; --raw prints their bytes. --raw cannot be combined with \
            --json, because these bytes may not be JSON.
            """)

    @Argument(help: "The soup.")
    var soup: String

    @Argument(help: "The IDs of the entries: their _soupEntryId.", transform: EntryArgument.id)
    var ids: [Int64]

    @Flag(name: .long, help: "Print the stored bytes without checking them and without the system fields.")
    var raw = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if raw, options.json {
            throw ValidationError("Omit --json: --raw prints bytes that may not be JSON.")
        }
    }

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        let name = SoupName(soup)
        try await store.requireSoup(name)
        let entries = try await store.retrieveUnchecked(ids, from: name)
        let found = Set(entries.map(\.id))
        let missing = ids.filter { !found.contains($0) }.map { String($0) }
        if !missing.isEmpty { console.note("soup \(soup) has no entry \(missing.joined(separator: ", "))") }
        try await EntryBatch(console: console, operation: "read").forEach(entries) { entry in
            if raw { return console.emit(raw: entry.stored.bytes) }
            if let damage = entry.damage(in: name) { throw damage }
            console.emit(entry.json)
        }
    }
}

#endif
