// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup retrieve`.
struct Retrieve: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print entries by their ids.",
        discussion: "Ids that the soup does not have are passed over; standard error tells which.")

    @Argument(help: "The soup.")
    var soup: String

    @Argument(help: "The ids of the entries: their _soupEntryId.")
    var ids: [Int64]

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        let entries = try await store.retrieve(ids, from: SoupName(soup))
        for entry in entries { console.emit(entry.json) }
        let found = Set(entries.map(\.id))
        let missing = ids.filter { !found.contains($0) }.map { String($0) }
        if !missing.isEmpty { console.note("soup \(soup) has no entry \(missing.joined(separator: ", "))") }
    }
}

#endif
