// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup clean-ghosts`.
struct CleanGhosts: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove the records of a sync down that are no longer on the server.",
        discussion: """
            Records with local changes are kept. With --json prints {"sync","removed","soups"}: soups contains the number \
            of removed records for each soup from which any were removed.

            If the command would remove more than 20 records of a soup, and these are more than half of the clean records \
            that the sync fetched into it, it removes nothing and exits 1; --all confirms the removal. Records with IDs that \
            cannot be the server's are left out and listed, with --json as \
            {"event":"outcome",...,"action":"fetch","result":"failed","error"}; the command then also exits 1.
            """)

    @Argument(help: "The name of the sync down.")
    var name: String

    @Flag(
        name: .long,
        help: "Compare all IDs, even if the sync fetches the deletions from the server (\"deletes\": \"incremental\").")
    var completely = false

    @Flag(name: .long, help: "Remove any number of records, even all that the sync fetched.")
    var all = false

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let kit = try await options.open()
        options.reportDrift(of: kit, for: [name], console)
        await options.reportMissingLogin(of: kit, console)
        try await options.requireSync(named: name, in: kit)
        let cleaning = try await options.retryingWhileSyncsRun(console) {
            try await kit.syncs.cleanGhosts(named: name, completely: completely, all: all)
        }
        let removed = cleaning.removedBySoup
        let count = removed.values.reduce(0, +)
        let soups = removed.sorted { $0.key.rawValue < $1.key.rawValue }
        console.event([
            "sync": .string(name), "removed": .int(Int64(count)),
            "soups": .object(JSONObject(soups.map { (key: $0.key.rawValue, value: .int(Int64($0.value))) })),
        ])
        let parts = soups.count < 2 ? "" : " (" + soups.map { "\($0.value) of \($0.key)" }.joined(separator: ", ") + ")"
        console.print("\(name): \(count) \(count == 1 ? "ghost" : "ghosts") removed\(parts)")
        let printer = RunPrinter(console)
        for outcome in cleaning.leftOut { printer.print(outcome) }
        guard cleaning.leftOut.isEmpty else { throw RunPrinter.leftOutError(cleaning.leftOut.count, of: name) }
    }
}

#endif
