// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// The command `soup import-smartstore`.
struct ImportSmartStore: SoupCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-smartstore",
        abstract: "Import a SmartStore database of Salesforce Mobile SDK.",
        discussion: """
            The file must be plain: decrypt it with SQLCipher first. It is only read. Soups, entries, IDs, dates, local \
            changes, and syncs with their high-water marks are imported in one transaction, so that the next soup sync \
            continues where the app stopped. If the command is interrupted, nothing is imported; run it again.

            A soup that already has entries is an error, and so is an entry whose text is missing or damaged. \
            --skip-unreadable leaves such entries out and reports each of them.

            With --json prints {"soupName","count","dirty","leftOut"} for each soup, where dirty is the number of entries \
            with local changes, then {"soupName","entryId","reason"} for each entry that is left out.
            """)

    @Argument(help: "The database.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "The folder with the entries of soups with external storage; by default the one beside the database.",
            valueName: "dir"))
    var bodies: String?

    @Option(help: ArgumentHelp("Leave a soup out; can be repeated.", valueName: "soup"))
    var without: [String] = []

    @Flag(help: "Import all entries except those that cannot be read.")
    var skipUnreadable = false

    @Flag(help: "List what would be imported, and write nothing.")
    var dryRun = false

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let result = try await SoupClient.importSmartStore(
            URL(filePath: file), at: options.folder, options: options.clientOptions,
            importing: .init(
                bodies: bodies.map { URL(filePath: $0) }, excluded: Set(without.map { SoupName($0) }),
                skipsUnreadable: skipUnreadable, isDryRun: dryRun))
        var table = TextTable(["soup", "entries", "with local changes", "left out"], alignRight: [1, 2, 3])
        for soup in result.soups {
            console.event([
                "soupName": .string(soup.name.rawValue), "count": .int(Int64(soup.entries)),
                "dirty": .int(Int64(soup.unsent)), "leftOut": .int(Int64(soup.leftOut)),
            ])
            table.add([soup.name.rawValue, String(soup.entries), String(soup.unsent), String(soup.leftOut)])
        }
        console.table(table, ifEmpty: "the database has no soups")
        for entry in result.leftOut {
            console.event([
                "soupName": .string(entry.soup.rawValue), "entryId": .int(entry.id), "reason": .string(entry.reason),
            ])
            console.print("left out: entry \(entry.id) of soup \(entry.soup): \(entry.reason)")
        }
        guard dryRun else { return }
        console.info("Nothing was written.")
        // An import without the option would fail.
        if !result.leftOut.isEmpty, !skipUnreadable { throw ExitCode(1) }
    }
}

#endif
