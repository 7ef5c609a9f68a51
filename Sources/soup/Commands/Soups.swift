// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup soups`.
struct Soups: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the soups of the store.",
        discussion: """
            syncs_soup holds the syncs, and syncs_in_flight the creations that are on their way to the server.

            With --json prints {"soupName","count","dirty","indexes"} for each.
            """)

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        var table = Table(["soup", "entries", "with local changes", "indexes"], alignRight: [1, 2, 3])
        for name in try await store.soupNames() {
            let soup = try await SoupSummary(name, in: store)
            console.event(soup.json)
            table.add([name.rawValue, String(soup.count), String(soup.dirty), String(soup.indexes.count)])
        }
        console.table(table)
    }
}

/// What there is to say about a soup.
struct SoupSummary {
    let name: SoupName
    let indexes: [IndexSpec]
    let count: Int
    let dirty: Int

    /// - Throws: ``SoupError`` with `soupNotFound`.
    init(_ name: SoupName, in store: SmartStore) async throws {
        self.name = name
        indexes = try await store.indexSpecs(of: name)
        count = try await store.count(.all(name))
        dirty = try await store.read { try $0.dirtyIds(in: name).count }
    }

    var json: JSONValue {
        [
            "soupName": .string(name.rawValue), "count": .int(Int64(count)), "dirty": .int(Int64(dirty)),
            "indexes": .array(
                indexes.map { ["path": .string($0.path.rawValue), "type": .string($0.kind.rawValue)] }),
        ]
    }
}

#endif
