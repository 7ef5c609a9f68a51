// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup upsert`.
struct Upsert: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write entries from standard input, as they are.",
        discussion: """
            Standard input holds one JSON object, an array of objects, or one object a line. Each replaces the entry that \
            it matches, or becomes a new one; all are written or none. Prints the entries.

            No local flags are set: what is to be sent with the next sync up is made with create and edit. An entry that is \
            replaced loses the local changes that it had.
            """)

    @Argument(help: "The soup.")
    var soup: String

    @Option(
        help: ArgumentHelp(
            "Match entries by the value at this indexed path, and not by _soupEntryId.", valueName: "path"))
    var externalId: String?

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let records = try await JSONInput.objects()
        let store = try await options.openStore()
        let path = externalId.map { JSONPath($0) }
        for entry in try await store.upsert(records, into: SoupName(soup), externalIdPath: path) {
            console.emit(entry.json)
        }
    }
}

#endif
