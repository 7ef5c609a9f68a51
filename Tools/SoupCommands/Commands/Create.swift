// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup create`.
struct Create: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create an entry, which the next sync up sends.",
        discussion: Assignment.help + " Prints the entry.")

    @Argument(help: "The soup.")
    var soup: String

    @Option(help: "The type of the record on the server; by default the type in the syncs of the soup.")
    var type: String?

    @Argument(help: ArgumentHelp("The fields of the record.", valueName: "key=value"))
    var fields: [Assignment]

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let soup = SoupName(self.soup)
        try soup.requireWritable()
        let store = try await options.openStore()
        try await store.requireSoup(soup)
        let folder = configuration()
        let known = RecordConventions(of: soup, in: folder[options.scope].syncs ?? SyncsConfig())
        let fields = try await Assignment.object(fields, for: nil, of: soup, in: store, console)
        let hasType = fields["attributes.type"]?.stringValue != nil
        let type = type ?? (hasType ? nil : known.type)
        if type == nil && !hasType && known.needsType {
            for problem in folder[options.scope].syncsProblems { console.report(problem, in: folder) }
            console.info(
                "warning: the type of the record on the server is unknown, and a sync up may need it. Add --type.")
        }
        let entry = try await store.create(fields, type: type, in: soup, idField: known.idField)
        console.noteSoupsInMemory([soup], of: store)
        known.noteUnsent((fields.members ?? []).map(\.key), as: .create, of: soup, console)
        console.emit(entry.json)
    }
}

#endif
