// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import Foundation
import SoupMemory
import SoupTestStores
import SoupSQLite
import SoupCore
import Synchronization

/// A store of every kind on one clock: the two backends, and the stores that are composed of both.
final class StoresUnderTest: Sendable {
    let clock = SetClock()
    let memory: MemoryStore
    let sqlite: SQLiteStore
    /// A metered store over a routed one, with the soup `t` in memory and all others in a file of their own.
    let composed: any StoreBackend
    /// A store in memory, with all soups, before an SQLite file.
    let layered: any StoreBackend
    private let folder: String

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "soupkit-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        memory = MemoryStore(clock: clock)
        sqlite = try await SQLiteStore.open(.test(path: folder + "/s.sqlite"), clock: clock)
        let main = try await SQLiteStore.open(.test(path: folder + "/main.sqlite"), clock: clock)
        composed = MeteredStore(
            try await RoutedStore(
                main: main, stores: ["fast": MemoryStore(clock: clock)], routes: ["t": "fast"], clock: clock))
        layered = try await LayeredStore(
            front: MemoryStore(clock: clock),
            back: try await SQLiteStore.open(.test(path: folder + "/back.sqlite", encryption: .always), clock: clock))
    }

    /// Opens the file of ``sqlite`` once more.
    func reopenedSQLite() async throws -> SQLiteStore {
        try await SQLiteStore.open(.test(path: folder + "/s.sqlite"), clock: clock)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Runs an operation on the stores and returns all results.
    func run(_ operation: Operation) async -> Results {
        await Results(
            memory: operation.run(on: memory), sqlite: operation.run(on: sqlite),
            composed: [operation.run(on: composed), operation.run(on: layered)])
    }

    /// The results of an operation on each store.
    struct Results {
        var memory: [String]
        var sqlite: [String]
        /// The routed store, then the layered one.
        var composed: [[String]]
    }
}

/// A clock that a test can move forward and back.
final class SetClock: SoupClock {
    private let time = Mutex<Int64>(1_000)
    var now: Date { Date(millisecondsSince1970: time.withLock { $0 }) }
    func move(by milliseconds: Int64) { time.withLock { $0 += milliseconds } }
    func sleep(for duration: Duration) async throws {}
}
