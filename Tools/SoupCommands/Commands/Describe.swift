// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup describe`.
struct Describe: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Describe a soup: its entries, local changes and indexes.",
        discussion: "With --json prints {\"soupName\",\"count\",\"dirty\",\"indexes\"}.")

    @Argument(help: "The soup.")
    var soup: String

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        try await store.requireSoup(SoupName(soup))
        let summary = try await SoupSummary(SoupName(soup), in: store)
        console.event(summary.json)
        console.print("\(soup): \(summary.count) entries, \(summary.dirty) with local changes\n")
        var table = TextTable(["path", "index type"])
        for spec in summary.indexes { table.add([spec.path.rawValue, spec.kind.rawValue]) }
        console.table(table, ifEmpty: "the soup has no indexes")
    }
}

#endif
