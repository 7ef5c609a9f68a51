// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupMemory
import SoupTestStores
import SoupSQLite
import SoupStore
import SoupCore
import SoupTesting
import Testing

/// Values that JSON cannot represent are refused, and the store does not change; long values are accepted.
@Suite struct BadValueTests {
    private let folder: TemporaryFolder
    private let stores: [SmartStore]

    init() async throws {
        folder = try TemporaryFolder()
        let clock = FixedClock(now: 1_000)
        stores = [
            SmartStore(try await SQLiteStore.open(.test(path: folder.path + "/s.sqlite"), clock: clock), clock: clock),
            SmartStore(MemoryStore(clock: clock), clock: clock),
        ]
        for store in stores {
            try await store.registerSoup("s", [IndexSpec("k", .string), IndexSpec("__local__", .string)])
            try await store.upsert(["k": "a"], into: "s")
        }
    }

    private func dump(_ store: SmartStore) async throws -> [String] {
        try await store.query(.all("s", orderedBy: "_soupEntryId", pageSize: 100)).entries
            .map { "\($0.id)@\($0.version) \($0.stored)" }
    }

    /// Returns arrays nested `depth` levels deep.
    private static func nested(_ depth: Int) -> JSONValue {
        var value: JSONValue = 1
        for _ in 0..<depth { value = [value] }
        return value
    }

    static let unwritable: [JSONValue] = [
        .double(.nan), .double(.infinity), [.double(-.infinity)], ["a": .double(.nan)], nested(512), nested(10_000),
        ["a": nested(511)],
    ]

    @Test(arguments: unwritable.indices) func `Values that JSON cannot represent are refused`(_ index: Int) async throws
    {
        let value = Self.unwritable[index]
        for store in stores {
            let before = try await dump(store)
            let entry = try #require(try await store.retrieve([1], from: "s").first)
            let calls: [(String, () async throws -> Void)] = [
                ("upsert", { try await store.upsert(["k": value], into: "s") }),
                ("create", { try await store.create(["k": value], type: nil, in: "s") }),
                ("replace", { try await store.replace(entry, with: ["k": value], in: "s") }),
                ("edit", { try await store.edit(1, setting: ["k": value], in: "s") }),
            ]
            for (name, call) in calls {
                let error = await #expect(throws: SoupError.self, "\(name)") { try await call() }
                #expect(error?.code == .json, "\(name)")
                #expect(try await dump(store) == before, "\(name)")
            }
        }
    }

    @Test func `The deepest readable value is accepted`() async throws {
        for store in stores {
            let value: JSONValue = ["k": Self.nested(511)]
            let entry = try await store.upsert(value, into: "s")
            #expect(entry["k"] == value["k"])
            let edited = try await store.edit(1, setting: ["deep": Self.nested(511)], in: "s")
            #expect(edited["deep"] == Self.nested(511))
        }
    }

    /// The text is read back unchanged, and the other entries do not change when it is added and removed.
    @Test func `An entry of 100 megabytes is stored unchanged`() async throws {
        let store = stores[0]
        let before = try await dump(store)
        let text = JSONText(
            trusted: (Array(#"{"k":"long","text":""#.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 100_000_000)
                + Array("\"}".utf8))[...])
        let entry = try await store.upsert([text], into: "s")[0]
        #expect(entry.id == 2)
        let isUnchanged = entry.stored == text
        #expect(isUnchanged)
        #expect(try await store.count(.exact("s", "k", equals: "long")) == 1)
        #expect(try await store.remove([2], from: "s") == [2])
        #expect(try await dump(store) == before)
    }
}
