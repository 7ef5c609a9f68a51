// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup edit`.
struct Edit: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change fields of an entry; the next sync up sends the change.",
        discussion: Assignment.help + " Prints the entry.")

    @Argument(help: "The soup.")
    var soup: String

    @Argument(help: "The ID of the entry: its _soupEntryId.", transform: EntryArgument.id)
    var id: Int64

    @Argument(help: ArgumentHelp("The fields to set.", valueName: "key=value"))
    var fields: [Assignment]

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let name = SoupName(soup)
        try name.requireWritable()
        let store = try await options.openStore()
        try await store.requireSoup(name)
        let members = try await Assignment.object(fields, for: id, of: name, in: store, console)
        let known = RecordConventions(of: name, in: configuration()[options.scope].syncs ?? SyncsConfig())
        let idField = known.idField
        let names = (members.members ?? []).map(\.key)
        if names.contains(idField) {
            throw SoupError(
                .badMemberName,
                "\"\(idField)\" is the ID of the record on the server, and an edit cannot set it",
                hint: "Write the whole entry to the standard input of soup upsert to correct the ID.")
        }
        let old = try await store.retrieve([id], from: name).first
        func isSet(_ flag: String) -> Bool { old?[JSONPath(flag)]?.isSetFlag ?? false }
        if isSet(EntryField.locallyDeleted) {
            throw SoupError(
                "entryDeleted", "entry \(id) of soup \"\(soup)\" is marked as deleted",
                hint: "Run soup delete \(soup) \(id) --undo to remove the mark.")
        }
        let entry = try await store.edit(id, setting: members, in: name)
        known.noteUnsent(names, as: isSet(EntryField.locallyCreated) ? .create : .update, of: name, console)
        console.emit(entry.json)
    }
}

#endif
