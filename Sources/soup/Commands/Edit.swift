// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

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
        let name = SoupName(soup)
        let store = try await options.openStore()
        let members = try await Assignment.object(fields, for: id, of: name, in: store, console)
        let idField = RecordConventions(of: name, in: configuration()[options.scope].syncs ?? SyncsConfig()).idField
        if members[idField] != nil {
            throw SoupError(
                .badMemberName,
                "\"\(idField)\" is the id by which the server knows the record, and an edit cannot set it",
                hint: "To mend an entry by hand, write it whole with soup upsert.")
        }
        if let entry = try await store.retrieve([id], from: name).first,
            entry[JSONPath(EntryField.locallyDeleted)]?.isSetFlag ?? false
        {
            throw SoupError(
                "entryDeleted", "entry \(id) of soup \"\(soup)\" waits to be deleted on the server",
                hint: "soup delete \(soup) \(id) --undo takes that back.")
        }
        let entry = try await store.edit(id, setting: members, in: name)
        console.emit(entry.json)
    }
}

#endif
