// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupKit
import Synchronization
import Testing

/// What somebody changes here and never pushes: a pull has to leave it as it is.
final class LocalChanges: Sendable {
    private let world: DownWorld
    private let kept = Mutex<Set<String>>([])

    init(_ world: DownWorld) { self.world = world }

    /// Edits a record of each object, and makes one.
    func make(_ number: Int, _ text: String) async throws {
        let before = try await lines()
        for part in world.scenario.parts {
            let entry = try #require(try await world.entry("\(part.soup.rawValue.prefix(1))\(number)"))
            _ = try await world.kit.store.edit(entry.id, setting: [part.fields[1]: .string(text)], in: part.soup)
            _ = try await world.kit.store.create(
                [part.fields[0]: .string("Made \(text)")], type: part.object, in: part.soup)
        }
        let made = try await lines().subtracting(before)
        try #require(made.count == 2 * world.scenario.parts.count)
        kept.withLock { $0.formUnion(made) }
    }

    /// The lines of what was changed here, as the store has them now.
    func lines() async throws -> Set<String> { Set(try await world.storeLines().filter { $0.contains("__local__") }) }

    /// The lines that were made.
    var made: Set<String> { kept.withLock { $0 } }

    /// What the store is to hold: the org's records, and in their places what was changed here.
    func expected() throws -> [String] {
        let mine = made
        func record(_ line: String) -> ArraySlice<Substring> { line.split(separator: " ").prefix(2) }
        let records = Set(mine.map(record))
        return try (world.orgLines().filter { !records.contains(record($0)) } + mine).sorted()
    }
}
