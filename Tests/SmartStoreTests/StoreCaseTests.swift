// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteStore
import SmartStore
import SoupCore
import Testing

/// Replays the data cases of `Tests/Conformance/store` against the SQLite store.
///
/// Where the mobile platforms differ either answer will do, unless ``ours``
/// decides.
@Suite struct StoreCaseTests {
    /// What we do where both platforms do something else, by case and operation.
    static let ours: [String: JSONValue] = [
        // An unknown entry id makes a new entry, as the documentation of the mobile platforms says.
        "C030/0": ["ids": [1]], "C030/1": ["count": 1],
        // Flags match in every spelling.
        "C118/1": ["ids": [1]], "C118/2": ["ids": [1]],
        // Ids are never given twice, not after an alter either.
        "C196/3": ["ids": [4]],
    ]

    static let cases: [StoreCase] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Conformance/store/operations.json")
        guard let data = try? Data(contentsOf: file), let list = try? JSONValue(parsing: [UInt8](data)).arrayValue
        else { return [] }
        return list.map(StoreCase.init)
    }()

    @Test func thereAreCases() { #expect(Self.cases.count == 140) }

    @Test(arguments: cases) func replay(_ example: StoreCase) async throws {
        let folder = try TemporaryFolder()
        let clock = TickingClock()
        let backend = try await SQLiteStore.open(.init(path: folder.path + "/s.sqlite"), clock: clock)
        let player = StoreCasePlayer(backend: backend, store: SmartStore(backend, clock: clock))
        for soup in example.json["soups"]?.arrayValue ?? [] {
            _ = try await player.run(
                ["op": "registerSoup", "soup": soup["name"] ?? .null, "indexes": soup["indexes"] ?? .null])
        }
        for (index, operation) in (example.json["ops"]?.arrayValue ?? []).enumerated() {
            let found = await player.outcome(of: operation)
            let expected =
                Self.ours["\(example.id)/\(index)"].map { [$0] }
                ?? ["expect", "expectIOS", "expectAndroid"].compactMap { operation[$0] }
            #expect(
                expected.contains { found.satisfies($0) }, "\(operation) gave \(found), expected one of \(expected)")
        }
    }
}

struct StoreCase: Sendable, CustomTestStringConvertible {
    let json: JSONValue
    var id: String { json["id"]?.stringValue ?? "" }
    var testDescription: String { "\(id) \(json["title"]?.stringValue ?? "")" }
}

extension JSONValue {
    /// Whether an outcome has every member that is expected; system dates do not count.
    func satisfies(_ expected: JSONValue) -> Bool {
        (expected.objectValue?.members ?? []).allSatisfy { self[$0.key] == $0.value }
    }
}
