// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore

/// Operations of ``SmartStore`` that make several calls to a backend.
extension RandomOperations {
    /// Migrates existing and missing soups to the indexes of a configuration.
    mutating func migrate() -> Operation {
        let wanted = several(1...3) { ($0.soup(), $0.specs()) }
        return Operation("migrate \(wanted)") { store in
            let smartStore = SmartStore(store)
            let plan = try await smartStore.migrationPlan(to: wanted)
            try await smartStore.migrate(plan)
            return plan.steps.map { "\($0.soup) added \($0.added) dropped \($0.dropped)" }
        }
    }

    /// Alters a soup to the same specs in another order, sometimes with one spec added or removed.
    mutating func move() -> Operation {
        let (soup, first, reIndex) = (soup(), Int.random(in: 0..<6, using: &random), chance(2))
        let (added, drops) = (chance(3) ? [IndexSpec(pick(["x", "n", "a.b"]), kind())] : [], chance(3))
        return Operation("move \(soup) by \(first) \(added) \(drops) \(reIndex)") { store in
            let specs = try await store.read { try $0.indexSpecs(of: soup) }
            let start = min(first, specs.count)
            let moved = added + specs[start...] + specs[..<start].dropLast(drops ? 1 : 0)
            try await store.alterSoup(soup, to: moved, reIndex: reIndex)
            return ["\(moved)"]
        }
    }

    /// Reads an entry and replaces it, sometimes after another write to it.
    mutating func replace() -> Operation {
        let (soup, id, record, stamp) = (soup(), id(), record(), chance(2) ? self.stamp() : .none)
        let value = (try? JSONValue(parsing: record)) ?? .null
        return Operation("replace \(soup) \(id) \(record) after \(stamp.members)") { store in
            let smartStore = SmartStore(store)
            guard let entry = try await smartStore.retrieve([id], from: soup).first else { return ["none"] }
            _ = try await store.write { try $0.stamp([EntryStamp(id: id, stamp: stamp)], in: soup) }
            let replaced = try await smartStore.replace(entry, with: value, in: soup)
            return ["\(replaced.id)@\(replaced.version) \(replaced.stored)"]
        }
    }
}
