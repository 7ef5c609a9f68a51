// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ComposedStores
import SoupSync
import SoupMemory
import SoupTestStores
import SoupSQLite
import SoupStore
import SoupCore
import SoupTesting
import Synchronization

/// A store, a server, a clock and a sync manager, with their whole state as text.
final class World: Sendable {
    let folder: URL
    let clock: ManualClock
    let server: FakeServer
    /// The store as the engine sees it, which can simulate a crash.
    let backend: CrashableStore
    /// The store as the app sees it.
    let store: SmartStore
    let manager: SyncManager
    private let ownsFolder: Bool
    /// The store of the contacts; nil for one store with all soups.
    private let routed: ContactsStore?

    static let soups: [(SoupName, [IndexSpec])] = ["accounts", "contacts"].map { soup in
        (
            soup,
            [
                IndexSpec("Id", .string), IndexSpec("__local__", .string), IndexSpec("__sync_id__", .integer),
                IndexSpec("AccountId", .string),
            ]
        )
    }

    /// - Parameters:
    ///   - settings: the settings of the sync manager.
    ///   - routed: the store of the contacts in a routed store; nil for one SQLite store with all soups.
    init(settings: SyncSettings = SyncSettings(), routed: ContactsStore? = World.standardContacts) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "soupkit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        ownsFolder = true
        self.routed = routed
        clock = ManualClock(now: Date(millisecondsSince1970: Moment.start))
        server = FakeServer(clock: clock)
        let context = StoreContext(folder: folder, clock: clock)
        backend = try await Self.open(routed, in: context)
        let counter = Mutex(0)
        store = SmartStore(backend.base, clock: clock) {
            counter.withLock {
                $0 += 1
                return "local_\($0)"
            }
        }
        try await store.setUp(soups: Self.soups)
        manager = try await Self.manager(over: backend, server: server, clock: clock, settings: settings)
    }

    /// The same store and server with another sync manager, as after a restart of the process.
    private init(reopening world: World) async throws {
        folder = world.folder
        ownsFolder = false
        routed = world.routed
        clock = world.clock
        server = world.server
        world.backend.controls.endProcess()
        backend = CrashableStore(world.backend.base, main: world.backend.main)
        store = world.store
        manager = try await Self.manager(over: backend, server: server, clock: clock)
    }

    /// The store of the contacts in a composed store: a store of their own in a routed one, or the front store of a
    /// layered one, which has all soups of the app.
    enum ContactsStore: String, CaseIterable { case sqlite, memory, layered }

    /// The store of tests that do not choose one.
    ///
    /// `SOUPKIT_CONTACTS_STORE=memory` or `sqlite` in the environment routes the contacts to a store of their own;
    /// `layered` puts a store in memory before the SQLite store.
    static let standardContacts = ContactsStore(
        rawValue: ProcessInfo.processInfo.environment["SOUPKIT_CONTACTS_STORE"] ?? "")

    private static func open(_ contacts: ContactsStore?, in context: StoreContext) async throws -> CrashableStore {
        let sqlite = try await SQLiteStore.open(.test(), in: context)
        guard let contacts else { return CrashableStore(sqlite) }
        let main = LostCommitStore(sqlite)
        if contacts == .layered {
            let front = MemoryStore(clock: context.clock)
            return CrashableStore(try await LayeredStore(front: front, back: main), main: main)
        }
        let second: any StoreBackend =
            switch contacts {
            case .sqlite: try await SQLiteStore.open(.test(encryption: .always), in: context.inner("contacts"))
            case .memory, .layered: MemoryStore(clock: context.clock)
            }
        let routed = try await RoutedStore(
            main: main, stores: ["contacts": second], routes: ["contacts": "contacts"], clock: context.clock)
        return CrashableStore(routed, main: main)
    }

    func reopened() async throws -> World { try await World(reopening: self) }

    /// A sync manager over a second handle on the same file, as in another process.
    func another() async throws -> SyncManager { try await another(over: secondHandle()) }

    func secondHandle() async throws -> CrashableStore {
        try await Self.open(routed, in: StoreContext(folder: folder, clock: clock))
    }

    func another(over handle: any StoreBackend) async throws -> SyncManager {
        try await Self.manager(over: handle, server: server, clock: clock)
    }

    deinit { if ownsFolder { try? FileManager.default.removeItem(at: folder) } }

    static func registry() throws -> PluginRegistry {
        var registry = PluginRegistry()
        try registry.register(down: FakeDownTarget.self)
        try registry.register(down: FakeTreeDownTarget.self)
        try registry.register(down: FakeTwoSoupsTarget.self)
        try registry.register(down: FakeListDownTarget.self)
        try registry.register(up: FakeUpTarget.self)
        try registry.register(up: FakeListUpTarget.self)
        try registry.register(up: FakeTreeUpTarget.self)
        try registry.register(resolver: FakeResolver.self)
        try registry.register(transform: FakeRename.self)
        return registry
    }

    private static func manager(
        over backend: any StoreBackend, server: FakeServer, clock: ManualClock,
        settings: SyncSettings = SyncSettings()
    ) async throws -> SyncManager {
        try await SyncManager(
            backend: backend, registry: registry(), connection: SyncConnection(transport: server), clock: clock,
            settings: settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    // MARK: - Syncs

    func down(
        _ name: String? = "down", _ target: JSONValue = [:], into soup: SoupName = "contacts",
        mode: MergeMode = .leaveIfChanged
    ) -> SyncDefinition {
        definition(name, .syncDown, of: soup, target: "fake", configuration: target, mode: mode)
    }

    func up(
        _ name: String? = "up", _ target: JSONValue = [:], from soup: SoupName = "contacts",
        mode: MergeMode = .overwrite
    ) -> SyncDefinition {
        definition(name, .syncUp, of: soup, target: "fakeUp", configuration: target, mode: mode)
    }

    func treeDown(_ target: JSONValue = [:], mode: MergeMode = .leaveIfChanged) -> SyncDefinition {
        definition("treeDown", .syncDown, of: "accounts", target: "fakeTree", configuration: target, mode: mode)
    }

    func treeUp(_ target: JSONValue = [:], mode: MergeMode = .overwrite) -> SyncDefinition {
        definition("treeUp", .syncUp, of: "accounts", target: "fakeTreeUp", configuration: target, mode: mode)
    }

    private func definition(
        _ name: String?, _ type: SyncType, of soup: SoupName, target: String, configuration: JSONValue, mode: MergeMode
    ) -> SyncDefinition {
        var json = configuration
        json["type"] = .string(target)
        return SyncDefinition(
            name: name, type: type, soup: soup, target: TargetReference(json), options: SyncOptions(mergeMode: mode))
    }

    /// Runs a sync to its end and returns its events, one line each.
    @discardableResult
    func run(_ name: String) async throws -> [String] { try await events(of: try await manager.reSync(named: name)) }

    /// The events of a run up to its end, one line each.
    func events(of run: SyncRun) async throws -> [String] {
        var lines: [String] = []
        for await event in run.events() { lines.append(event.line) }
        return lines
    }

    // MARK: - State

    /// The syncs, the entries of both soups, the records of the server and the requests to it.
    func dump() async throws -> String {
        let lines =
            try await section("syncs", syncs()) + section("accounts", entries(of: "accounts"))
            + section("contacts", entries(of: "contacts")) + section("server", server.dump)
            + section("asked", server.log)
        return lines.joined(separator: "\n")
    }

    /// The entries of a soup as lines.
    func entries(of soup: SoupName = "contacts") async throws -> [String] {
        try await store.read { try $0.query(.all(soup, pageSize: 10_000)).entries.sorted { $0.id < $1.id } }.map(\.line)
    }

    /// The rows of `syncs_soup` as lines.
    func syncs() async throws -> [String] {
        try await store.read { try $0.query(.all("syncs_soup", pageSize: 100)).entries.sorted { $0.id < $1.id } }.map {
            let row = $0.stored.value
            let mark = row["maxTimeStamp"]?.intValue ?? -1
            let sign = row["maxTimeStampInclusive"]?.boolValue == true ? ">=" : ">"
            let words: [String?] = [
                "\($0.id)", row["name"]?.stringValue ?? "-", row["status"]?.stringValue ?? "?",
                "\(row["progress"]?.intValue ?? -9)/\(row["totalSize"]?.intValue ?? -9)",
                mark < 0 ? "no mark" : "mark \(sign) \(Moment.text(mark))",
                row["resume"]?["cursor"]?.stringValue.map { "at \($0)" },
                row["error"]?.stringValue.flatMap { $0.isEmpty ? nil : "error: \($0)" },
            ]
            return words.compactMap { $0 }.joined(separator: " ")
        }
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["\(title):"] + lines.map { "  \($0)" }
    }
}

extension Date {
    /// Returns a time in seconds after the start of the clock.
    static func after(_ seconds: Int64) -> Date { Date(millisecondsSince1970: Moment.after(seconds)) }
}
