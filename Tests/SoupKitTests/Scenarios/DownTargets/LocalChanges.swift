// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupKit
import Synchronization
import Testing

/// Local changes that are never pushed; a pull must not change them.
final class LocalChanges: Sendable {
    private let world: DownWorld
    private let recorded = Mutex<Set<String>>([])

    init(_ world: DownWorld) { self.world = world }

    /// Edits the record of each object with a number, and creates a record of each object.
    func apply(to number: Int, text: String) async throws {
        let before = try await lines()
        for level in world.scenario.levels {
            let entry = try #require(try await world.entry("\(level.soup.rawValue.prefix(1))\(number)"))
            _ = try await world.kit.store.edit(entry.id, setting: [level.fields[1]: .string(text)], in: level.soup)
            _ = try await world.kit.store.create(
                [level.fields[0]: .string("Created \(text)")], type: level.object, in: level.soup)
        }
        let changed = try await lines().subtracting(before)
        try #require(changed.count == 2 * world.scenario.levels.count)
        recorded.withLock { $0.formUnion(changed) }
    }

    /// Returns the lines of the locally changed entries, as they are in the store.
    func lines() async throws -> Set<String> { Set(try await world.storeLines().filter { $0.contains("__local__") }) }

    /// The lines of the changes when they were made.
    var changedLines: Set<String> { recorded.withLock { $0 } }

    /// Returns the expected lines of the store: the org's records, replaced by the local changes.
    func expected() throws -> [String] {
        let mine = changedLines
        func record(_ line: String) -> ArraySlice<Substring> { line.split(separator: " ").prefix(2) }
        let records = Set(mine.map(record))
        return try (world.orgLines().filter { !records.contains(record($0)) } + mine).sorted()
    }
}
