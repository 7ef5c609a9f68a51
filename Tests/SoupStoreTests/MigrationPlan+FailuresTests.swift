// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupMemory
import SoupTestStores
import SoupSQLite
import SoupStore
import SoupCore
import Synchronization
import SoupTesting
import Testing

/// Migrations of several soups that are interrupted, and outdated plans.
@Suite struct MigrationPlanFailuresTests {
    static let names: [SoupName] = ["a", "b", "c", "d"]
    static let old = [IndexSpec("k", .string), IndexSpec("n", .string)]
    static let wanted: [(SoupName, [IndexSpec])] = (names + ["new"]).map {
        ($0, [IndexSpec("m", .string), IndexSpec("n", .integer), IndexSpec("k", .string)])
    }

    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    func fill(_ store: SmartStore) async throws {
        for name in Self.names {
            try await store.registerSoup(name, Self.old)
            let records = try (0..<20).map { number in
                try JSONText([
                    "k": .string("\(name)\(number)"), "n": .string("\(number % 3)"), "m": .int(Int64(number)),
                ])
            }
            try await store.upsert(records, into: name)
        }
    }

    /// Returns the specs, the entries and the results of indexed queries, one line a soup.
    func state(_ store: SmartStore) async throws -> [String] {
        var lines: [String] = []
        for soup in try await store.soupNames() {
            let specs = try await store.indexSpecs(of: soup)
            let all = try await store.query(.all(soup, orderedBy: "_soupEntryId", pageSize: 100)).entries
            var answers: [String] = []
            let keys: [(JSONPath, JSONValue)] = [("k", .string("\(soup)7")), ("n", 2), ("m", "7")]
            for (path, key) in keys {
                let page = try await store.query(.exact(soup, path, equals: key, pageSize: 100))
                answers.append("\(path): \(page.entries.map(\.id).sorted())")
            }
            lines.append("\(soup) \(specs) \(all) \(answers)")
        }
        return lines
    }

    func backend(_ name: String) async throws -> any StoreBackend {
        name == "memory" ? MemoryStore() : try await SQLiteStore.open(.test(path: folder.path + "/\(name).sqlite"))
    }

    @Test(arguments: ["sqlite", "memory"]) func `After a failed step the same plan can be completed`(_ name: String)
        async throws
    {
        let failing = FailingStore(try await backend(name))
        let store = SmartStore(failing)
        try await fill(store)
        let before = try await state(store)
        let plan = try await store.migrationPlan(to: Self.wanted)
        failing.faults.refuse(["c"])
        let reported = Mutex<[SoupName]>([])
        await #expect {
            try await store.migrate(plan) { step in reported.withLock { $0.append(step.soup) } }
        } throws: { error in
            let text = "\(error)"
            return (error as? SoupError)?.code == .storeUnusable && text.contains(#"soup "c" was not migrated"#)
                && text.contains(#"already migrated: "a", "b""#) && text.contains("migration again")
        }
        #expect(reported.withLock { $0 } == ["a", "b"])
        let half = try await state(store)
        #expect(half[2...] == before[2...], "soups after the failed step do not change")
        #expect(try await store.migrationPlan(to: Self.wanted).steps.map(\.soup) == ["c", "d", "new"])

        failing.faults.refuse([])
        try await store.migrate(plan) { step in reported.withLock { $0.append(step.soup) } }
        #expect(reported.withLock { $0 } == ["a", "b", "c", "d", "new"])
        #expect(failing.faults.alters == ["a", "b", "c", "c", "d"])
        let after = try await state(store)
        #expect(Array(after[..<2]) == Array(half[..<2]))
        #expect(try await store.migrationPlan(to: Self.wanted).isEmpty)

        // The result is that of a migration without interruption.
        let other = SmartStore(try await backend(name == "memory" ? name : "other"))
        try await fill(other)
        try await other.migrate(try await other.migrationPlan(to: Self.wanted))
        let ids = { (line: String) in line.replacing(#/version: \d+/#, with: "") }
        #expect(try await state(other).map(ids) == after.map(ids))
    }

    @Test(arguments: ["sqlite", "memory"]) func `An outdated plan is refused`(_ name: String) async throws {
        typealias Change = @Sendable (SmartStore) async throws -> Void
        let changes: [(SoupName, Change)] = [
            ("c", { try await $0.alterSoup("c", to: [IndexSpec("x", .string)]) }),
            ("d", { try await $0.removeSoup("d") }),
            ("new", { try await $0.registerSoup("new", [IndexSpec("x", .string)]) }),
        ]
        for (soup, change) in changes {
            let store = SmartStore(try await backend(name == "memory" ? name : "\(soup)"))
            try await fill(store)
            let plan = try await store.migrationPlan(to: Self.wanted)
            try await change(store)
            let before = try await state(store)
            await #expect {
                try await store.migrate(plan)
            } throws: { error in
                (error as? SoupError)?.code == .outdatedPlan && "\(error)".contains("soup \"\(soup)\"")
            }
            #expect(try await state(store) == before, "no step of a refused plan is done")
            try await store.migrate(try await store.migrationPlan(to: Self.wanted))
            #expect(try await store.migrationPlan(to: Self.wanted).isEmpty)
        }
    }

    /// Another task registers or alters the soup just before the step: registering it again changes nothing.
    @Test(arguments: StoreKind.allCases) func `A soup registered before its step is an outdated plan`(_ kind: StoreKind)
        async throws
    {
        let watched = WatchedStore(try await kind.open(in: folder, SystemClock()))
        let store = SmartStore(watched)
        let other = [IndexSpec("x", .string)]
        let plan = try await store.migrationPlan(to: [("new", Self.wanted[0].1)])
        // All steps are checked first, then each again before it is done.
        watched.afterNextRead {
            watched.afterNextRead { try? await store.registerSoup("new", other) }
        }
        let reported = Mutex(0)
        await #expect {
            try await store.migrate(plan) { _ in reported.withLock { $0 += 1 } }
        } throws: { error in
            (error as? SoupError)?.code == .outdatedPlan && "\(error)".contains(#"soup "new" was not migrated"#)
        }
        #expect(reported.withLock { $0 } == 0)
        #expect(try await store.indexSpecs(of: "new") == other)
    }

    /// The order of specs is not a change, and neither is a step that another task has already done.
    @Test func `Steps that are already done are skipped`() async throws {
        let store = SmartStore(try await backend("sqlite"))
        try await fill(store)
        let plan = try await store.migrationPlan(to: Self.wanted)
        try await store.alterSoup("a", to: Self.old.reversed())
        try await store.alterSoup("b", to: Self.wanted[1].1.reversed())
        try await store.migrate(plan)
        #expect(try await store.migrationPlan(to: Self.wanted).isEmpty)
    }

    /// The process is killed after each step: the files on the disk are opened, and the same plan is continued.
    @Test func `A kill between two steps loses nothing`() async throws {
        let path = folder.path + "/killed.sqlite"
        let store = SmartStore(try await SQLiteStore.open(.test(path: path)))
        try await fill(store)
        let plan = try await store.migrationPlan(to: Self.wanted)
        let folder = folder.path
        try await store.migrate(plan) { step in
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
                try? FileManager.default.copyItem(
                    atPath: path + suffix, toPath: "\(folder)/after-\(step.soup).sqlite\(suffix)")
            }
        }
        let after = try await state(store)
        for (done, step) in plan.steps.enumerated() {
            let left = SmartStore(
                try await SQLiteStore.open(.test(path: "\(folder)/after-\(step.soup).sqlite")))
            let rest = try await left.migrationPlan(to: Self.wanted).steps.map(\.soup)
            #expect(rest == plan.steps[(done + 1)...].map(\.soup))
            try await left.migrate(plan)
            #expect(try await state(left) == after)
        }
    }

    @Test func `An unsupported index is an error that names the soup`() async throws {
        let store = SmartStore(MemoryStore())
        try await fill(store)
        let before = try await state(store)
        let plan = try await store.migrationPlan(to: [("a", [IndexSpec("k", .fullText)])])
        await #expect {
            try await store.migrate(plan)
        } throws: { error in
            (error as? SoupError)?.code == .notSupported && "\(error)".contains(#"soup "a""#)
        }
        #expect(try await state(store) == before)
    }
}
