// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import SoupKit

/// The command `soup create`.
struct Create: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create an entry as an app does, for the next sync up to send.",
        discussion: Assignment.help + " Prints the entry.")

    @Argument(help: "The soup.")
    var soup: String

    @Option(help: "The type of the record on the server; by default the one that the syncs over the soup name.")
    var type: String?

    @Argument(help: ArgumentHelp("The fields of the record.", valueName: "key=value"))
    var fields: [Assignment]

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let soup = SoupName(self.soup)
        let store = try await options.openStore()
        let known = RecordConventions(of: soup, in: configuration()[options.scope].syncs ?? SyncsConfig())
        let fields = Assignment.object(fields)
        let hasType = fields["attributes"]?["type"]?.stringValue != nil
        let entry = try await store.create(
            fields, type: type ?? (hasType ? nil : known.type), in: soup, idField: known.idField)
        console.emit(entry.json)
    }
}
