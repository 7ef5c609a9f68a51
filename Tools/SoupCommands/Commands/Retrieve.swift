// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup retrieve`.
struct Retrieve: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print entries by their ids.",
        discussion: """
            Ids that the soup does not have are skipped; standard error names them. Entries whose stored text is damaged \
            are reported on standard error, and the exit code is 1; --raw prints their bytes. It does not go with --json, \
            because these bytes may be no JSON.
            """)

    @Argument(help: "The soup.")
    var soup: String

    @Argument(help: "The ids of the entries: their _soupEntryId.", transform: EntryArgument.id)
    var ids: [Int64]

    @Flag(name: .long, help: "Print the stored bytes as they are, without the system fields and without any check.")
    var raw = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if raw, options.json {
            throw ValidationError("--raw prints bytes that may be no JSON: leave --json out.")
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
        try await Settling(console: console, done: "read").each(entries) { entry in
            if raw { return console.emit(raw: entry.stored.bytes) }
            if let damage = entry.damage(in: name) { throw damage }
            console.emit(entry.json)
        }
    }
}

#endif
