// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import MemoryStore
import SQLiteStore
import SmartStore
import SoupCore
import Testing

/// Replays the data cases of `Tests/Conformance/store` against the memory store, as far as its capabilities go.
@Suite struct MemoryStoreCaseTests {
    @Test(arguments: StoreCaseTests.cases) func replay(_ example: StoreCase) async throws {
        _ = try await Self.replay(example)
    }

    @Test func mostCasesNeedNothingThatItLacks() async throws {
        var complete = 0
        for example in StoreCaseTests.cases where try await Self.replay(example) { complete += 1 }
        #expect(complete == 56)
    }

    /// - Returns: whether the case was played to its end; it stops at the first thing that the store cannot do.
    private static func replay(_ example: StoreCase) async throws -> Bool {
        let folder = try TemporaryFolder()
        let clock = TickingClock()
        // Only what is about SQL and tables is asked of it.
        let sqlite = try await SQLiteStore.open(.init(path: folder.path + "/s.sqlite"), clock: clock)
        let player = StoreCasePlayer(backend: sqlite, store: SmartStore(MemoryStore(clock: clock), clock: clock))
        for soup in example.json["soups"]?.arrayValue ?? [] {
            let registration: JSONValue = [
                "op": "registerSoup", "soup": soup["name"] ?? .null, "indexes": soup["indexes"] ?? .null,
            ]
            if await player.outcome(of: registration) == ["error": "notSupported"] { return false }
        }
        for (index, operation) in (example.json["ops"]?.arrayValue ?? []).enumerated() {
            if sqliteOnly.contains(operation["op"]?.stringValue ?? "") { return false }
            let found = await player.outcome(of: operation)
            if found == ["error": "notSupported"] { return false }
            let expected =
                StoreCaseTests.ours["\(example.id)/\(index)"].map { [$0] }
                ?? ["expect", "expectIOS", "expectAndroid"].compactMap { operation[$0] }
            #expect(
                expected.contains { found.satisfies($0) },
                "\(example.id)/\(index): \(operation) gave \(found), expected one of \(expected)")
        }
        return true
    }

    private static let sqliteOnly = ["convert", "tableName", "columns", "indexNames", "indexSpecs", "indexColumn"]
}
