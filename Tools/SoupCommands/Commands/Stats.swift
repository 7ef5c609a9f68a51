// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup stats`.
struct Stats: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell how much the store holds.",
        discussion: """
            With --json prints {"databaseSize","freeSize","logSize","soups":[{"soupName","count","dirty"}]}, sizes in bytes.
            """)

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let statistics = try await options.openStore().statistics()
        console.event(statistics.json)
        var table = Table(["soup", "entries", "with local changes"], alignRight: [1, 2])
        for soup in statistics.soups { table.add([soup.name.rawValue, String(soup.entries), String(soup.dirty)]) }
        console.table(table, orSay: "the store has no soups")
        console.say(
            "\(statistics.databaseSize) bytes, \(statistics.freeSize) of them free; \(statistics.logSize) in the log")
    }
}

/// The command `soup compact`.
struct Compact: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give the room that the store does not use back to the system.",
        discussion: """
            The file is written anew, for which the disk must have as much room as it takes. With --json prints what \
            soup stats prints, before and after.
            """)

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        let before = try await store.statistics()
        console.event(before.json)
        try await store.compact()
        let after = try await store.statistics()
        console.event(after.json)
        console.say("\(before.databaseSize) bytes before, \(after.databaseSize) now.")
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
