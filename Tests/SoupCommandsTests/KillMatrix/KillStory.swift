// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupLocalOrg
import SoupKit
import SoupTesting
import Testing

/// One to three kills in a world, then the way back.
struct KillStory {
    /// The commands that are killed.
    enum Victim: CaseIterable, Sendable {
        case sync, ghosts, migrate

        var arguments: [String] {
            switch self {
            case .sync: ["sync", "up", "down"]
            case .ghosts: ["clean-ghosts", "down"]
            case .migrate: ["migrate"]
            }
        }
    }

    private static let likely: [Victim] = [.sync, .sync, .sync, .sync, .ghosts, .migrate]

    var world: KillWorld
    let whole: [Victim: KillRange]
    let byTime: Bool
    /// The kinds of moments at which the process was killed.
    private(set) var kills: [String] = []
    private var told: [String] = []
    private var isMigrated = false

    init(world: KillWorld, whole: [Victim: KillRange], byTime: Bool) {
        self.world = world
        self.whole = whole
        self.byTime = byTime
    }

    private func comment(_ text: String = "") -> Comment {
        "\(world.scenario), seed \(world.seed): \(told.joined(separator: "; ")) \(text)"
    }

    mutating func play() async throws {
        for _ in 1...Int.random(in: 1...3, using: &world.random) {
            try await kill(Self.likely.randomElement(using: &world.random) ?? .sync)
            if Int.random(in: 0..<3, using: &world.random) == 0 {
                told.append("edit of \(try await world.editOn())")
            }
        }
        if isMigrated { try await finishMigration() }
        try await settle()
        try await expectAllIsWell()
    }

    private mutating func kill(_ victim: Victim) async throws {
        if victim == .migrate {
            try world.takeTheNextVersion()
            isMigrated = true
        }
        let range = whole[victim] ?? KillRange(requests: 1, lines: 1, duration: .zero)
        let moment = range.moment(byTime: byTime, &world.random)
        let (wasKilled, _) = try await world.run(victim.arguments, killing: moment)
        told.append("\(victim.arguments.joined(separator: " ")) \(wasKilled ? "killed" : "survived") \(moment)")
        if wasKilled { kills.append(moment.kind) }
    }

    /// Does the rest of a migration; what the store holds shows by way of every index.
    private func finishMigration() async throws {
        let rest = try await soup("migrate")
        #expect(rest.status == 0, comment("\(rest.errors)"))
        #expect(try await soup("plan").output == [], comment())
        let kit = try await world.open()
        func matches(_ key: String, _ soup: SoupName, _ path: JSONPath) async throws -> Int {
            try await kit.store.query(.match(soup, path, key, pageSize: 1000)).entries.count
        }
        let names = try await kit.store.query(.all("accounts", pageSize: 500)).entries
            .count { $0["Name"]?.stringValue?.hasPrefix("Acme") == true }
        #expect(try await matches("word3", "notes", "text") == KillWorld.notes / 10, comment())
        #expect(try await matches("Acme", "accounts", "Name") == names, comment())
        try await kit.close()
        let late = try await soup("query", "select count(*) from {notes} where {notes:key} > \(KillWorld.notes - 100)")
        #expect(late.output == ["[100]"], comment())
    }

    /// What a user does after some trouble: syncs until nothing is left, says what became of creations that nobody
    /// knows, and cleans ghosts.
    private mutating func settle() async throws {
        for round in 1...6 {
            let synced = try await soup("sync", "up", "down")
            let kit = try await world.open()
            let resolved = try await world.resolveUnknown(kit)
            try await kit.close()
            told.append("round \(round): exit \(synced.status), \(resolved) resolved")
            if synced.status == 0, resolved == 0, round > 1 { break }
        }
        #expect(try await soup("clean-ghosts", "down").status == 0, comment())
    }

    private func expectAllIsWell() async throws {
        let written = world.org.journal.count
        let last = try await soup("sync", "up", "down")
        #expect(last.status == 0, comment("\(last.errors)"))
        #expect(world.org.journal.dropFirst(written).allSatisfy { $0.rowsWritten == 0 }, comment())
        #expect(try await soup("status").json.map { $0["status"] } == ["DONE", "DONE"], comment())
        #expect(try await soup("failures").output == [], comment())
        let kit = try await world.open()
        let (store, org, expected) = (try await world.storeLines(kit), try world.orgLines(), world.expected)
        #expect(org == expected, comment("org: \(Self.difference(org, expected))"))
        #expect(store == expected, comment("store: \(Self.difference(store, expected))"))
        #expect(try await kit.syncs.unknownCreations() == [:], comment())
        #expect(try await kit.syncs.conflicts() == [], comment())
        try await kit.close()
    }

    private static func difference(_ found: [String], _ expected: [String]) -> String {
        "too much \(found.filter { !expected.contains($0) }), too little \(expected.filter { !found.contains($0) }), "
            + "\(found.count) for \(expected.count)"
    }

    private func soup(_ arguments: String...) async throws -> FinishedSoup {
        try await SoupTool.run(
            arguments + ["--config", world.folder.path, "--json"], environment: world.served.environment)
    }
}

#endif
