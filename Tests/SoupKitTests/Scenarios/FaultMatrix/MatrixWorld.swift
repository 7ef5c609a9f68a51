// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupLocalOrg
import SoupSync
import SoupSalesforce
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import SoupTestApp
import Testing

/// An app with local changes, an org with changes of another user, and their common clock.
struct MatrixWorld {
    let scenario: SyncScenario
    let folder: TemporaryFolder
    let clock = ManualClock.advancing()
    let org: LocalOrg
    let kit: SoupClient

    private var state: AccountsState { AccountsState(org, scenario) }

    /// - Parameter wrap: wraps the transport to the org, below the session.
    init(
        _ scenario: SyncScenario, wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) async throws {
        self.scenario = scenario
        folder = try TemporaryFolder(scenario.files())
        org = try LocalOrg(seed: try AccountsState.seed(5, levels: scenario.levels), clock: clock)
        let session = SessionTransport(
            over: wrap(org.transport),
            credentials: SalesforceCredentials(
                instanceURL: OrgOptions().instanceURL, clientId: "emu-client", username: "demo@example.org",
                password: "demo"),
            clock: clock, random: { 0.5 })
        var registry = PluginRegistry.standard
        try registry.register(up: PlainUpTarget.self)
        kit = try await SoupClient.open(
            at: folder.url, options: .init(registry: registry, transport: session, clock: clock, environment: [:]))
    }

    /// Returns a world whose store has the records of the org, and the transport below its session.
    ///
    /// - Parameter wrap: wraps the transport to the org.
    static func fetched<Transport: HTTPTransport>(
        _ scenario: SyncScenario, through wrap: (any HTTPTransport) -> Transport
    ) async throws -> (world: MatrixWorld, transport: Transport) {
        var made: Transport?
        let world = try await MatrixWorld(scenario) { base in
            let transport = wrap(base)
            made = transport
            return transport
        }
        world.clock.advance(by: .seconds(100))
        #expect(try await world.kit.syncs.reSync(named: "down").result.state.status == .done)
        return (world, try #require(made))
    }

    // MARK: - Changes

    /// Another user changes the org, and the app changes its store offline.
    func changeBothSides() async throws {
        clock.advance(by: .seconds(10))
        try org.edit("Account", id: id("a4"), ["Description": "theirs"])
        try org.delete("Account", id: id("a5"))
        _ = try org.insert("Account", ["Name": "New there", "Code__c": "T1"])
        if scenario.mode.mergesChanges {
            try org.edit("Account", id: id("a1"), ["Name": "Acme 1 there"])
            if let top = scenario.levels.first, !deeper.isEmpty {
                try org.edit(top.object, id: id("\(top.key)1"), [top.name: .string("\(top.title) 1 there")])
            }
        }
        clock.advance(by: .seconds(10))
        try await edit("a1", ["Description": "mine"])
        try await edit("a2", ["Description": "mine, too"])
        _ = try await kit.store.delete(entry("a3"), in: "accounts")
        for name in Self.createdNames {
            let code = "H\(name.suffix(1))"
            var parent = try await kit.store.create(
                ["Name": .string(name), "Code__c": .string(code)], type: "Account", in: "accounts")
            for (level, title) in zip(scenario.levels, Self.descendants(of: name)) {
                parent = try await kit.store.create(
                    [level.name: .string(title), level.parent: parent["Id"] ?? .null], type: level.object,
                    in: level.soup)
            }
        }
        if let top = scenario.levels.first { try await edit("\(top.key)2", top) }
        for level in deeper {
            try await edit("\(level.key)1", level)
            _ = try await kit.store.delete(entry("\(level.key)2", in: level.soup), in: level.soup)
        }
    }

    private static let createdNames = ["New here 1", "New here 2"]

    /// Returns the names of the descendants that the app creates below an account, level by level.
    private static func descendants(of account: String) -> some Sequence<String> {
        sequence(first: "Child of \(account)") { "Child of \($0)" }
    }

    /// The levels whose parents are not accounts.
    private var deeper: ArraySlice<TreeLevel> { scenario.levels.dropFirst() }

    /// The expected lines of both sides at the end: each record once, with the changes of both sides.
    var expected: [String] {
        let first = scenario.mode.mergesChanges ? "Acme 1 there" : "Acme 1"
        var lines = [
            #"["\#(first)","mine","C1"]"#, #"["Acme 2","mine, too","C2"]"#, #"["Acme 4","theirs","C4"]"#,
            #"["New here 1",null,"H1"]"#, #"["New here 2",null,"H2"]"#, #"["New there",null,"T1"]"#,
        ]
        for name in Self.createdNames {
            var parent = name
            for (_, title) in zip(scenario.levels, Self.descendants(of: name)) {
                lines.append(#"["\#(title)","\#(parent)"]"#)
                parent = title
            }
        }
        var parents = [1: first, 2: "Acme 2", 4: "Acme 4"]
        for (depth, level) in scenario.levels.enumerated() {
            var titles = [1: "\(level.title) mine", 4: "\(level.title) 4"]
            if depth == 0 {
                titles[1] =
                    scenario.mode.mergesChanges && !deeper.isEmpty ? "\(level.title) 1 there" : "\(level.title) 1"
                titles[2] = "\(level.title) mine"
            }
            lines += titles.map { number, title in #"["\#(title)","\#(parents[number] ?? "")"]"# }
            parents = titles
        }
        return lines.sorted()
    }

    /// Pushes and pulls once, with any result.
    func sync() async throws {
        for name in ["up", "down"] {
            clock.advance(by: .seconds(5))
            _ = try await kit.syncs.reSync(named: name).result
        }
    }

    /// Syncs until no change remains, as an app does after a fault, and cleans ghosts.
    func syncUntilClean() async throws {
        for _ in 1...3 {
            try await sync()
            try await state.resolveUnknown(kit)
        }
        try await sync()
        _ = try await kit.syncs.cleanResyncGhosts(named: "down")
    }

    // MARK: - State

    func id(_ key: String) -> String { org.id(of: key) ?? "no \(key)" }

    func entry(_ key: String, in soup: SoupName = "accounts") async throws -> Int64 {
        try await kit.store.lookup(.string(id(key)), at: "Id", in: soup) ?? -1
    }

    /// Edits an account in the store.
    func edit(_ key: String, _ fields: JSONObject) async throws {
        _ = try await kit.store.edit(entry(key), setting: fields, in: "accounts")
    }

    private func edit(_ key: String, _ level: TreeLevel) async throws {
        _ = try await kit.store.edit(
            entry(key, in: level.soup), setting: [level.name: .string("\(level.title) mine")], in: level.soup)
    }

    func orgLines() throws -> [String] { try state.orgLines() }

    func storeLines() async throws -> [String] { try await state.storeLines(kit) }
}
