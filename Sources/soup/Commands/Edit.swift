// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import SoupKit

/// The command `soup edit`.
struct Edit: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change fields of an entry as an app does, for the next sync up to send.",
        discussion: Assignment.help + " Prints the entry.")

    @Argument(help: "The soup.")
    var soup: String

    @Argument(help: "The entry's id: its _soupEntryId.")
    var id: Int64

    @Argument(help: ArgumentHelp("The fields to set.", valueName: "key=value"))
    var fields: [Assignment]

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        let entry = try await store.edit(id, setting: Assignment.object(fields), in: SoupName(soup))
        console.emit(entry.json)
    }
}
