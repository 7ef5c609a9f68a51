// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup stats`.
struct Stats: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the size of the store and the number of its entries.",
        discussion: """
            With --json prints {"databaseSize","freeSize","logSize","soups":[{"soupName","count","dirty"}]}, sizes in bytes.
            """)

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let statistics = try await options.openStore().statistics()
        console.event(statistics.json)
        var table = TextTable(["soup", "entries", "with local changes"], alignRight: [1, 2])
        for soup in statistics.soups { table.add([soup.name.rawValue, String(soup.entries), String(soup.dirty)]) }
        console.table(table, ifEmpty: "the store has no soups")
        console.print(
            "\(statistics.databaseSize) bytes, \(statistics.freeSize) of them free; \(statistics.logSize) in the log")
    }
}

/// The command `soup compact`.
struct Compact: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Return unused space of the store to the file system.",
        discussion: """
            Rewrites the file, which needs as much free disk space as the file takes. With --json prints the output of \
            soup stats, before and after.
            """)

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        let before = try await store.statistics()
        console.event(before.json)
        try await store.compact()
        let after = try await store.statistics()
        console.event(after.json)
        console.print("\(before.databaseSize) bytes before, \(after.databaseSize) now.")
    }
}

extension StoreStatistics {
    fileprivate var json: JSONValue {
        [
            "databaseSize": .int(databaseSize), "freeSize": .int(freeSize), "logSize": .int(logSize),
            "soups": .array(
                soups.map {
                    [
                        "soupName": .string($0.name.rawValue), "count": .int(Int64($0.entries)),
                        "dirty": .int(Int64($0.dirty)),
                    ]
                }),
        ]
    }
}

#endif
