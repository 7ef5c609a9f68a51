// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupLocalOrg
import SoupKit
import SoupTesting
import Testing

/// The commands that are killed.
enum KilledCommand: CaseIterable, Sendable {
    case sync, ghosts, migrate

    var arguments: [String] {
        switch self {
        case .sync: ["sync", "up", "down"]
        case .ghosts: ["clean-ghosts", "down"]
        case .migrate: ["migrate"]
        }
    }
}

/// One to three kills in a world, then the recovery.
struct KillRun {
    /// Each command as often as its probability requires.
    private static let weighted: [KilledCommand] = [.sync, .sync, .sync, .sync, .ghosts, .migrate]

    var world: KillWorld
    /// The range of each command in an uninterrupted run.
    let ranges: [KilledCommand: KillRange]
    let byTime: Bool
    /// The kinds of moments at which the process was killed.
    private(set) var kills: [String] = []
    /// The steps of the run, for the messages of failures.
    private var steps: [String] = []
    private var isMigrated = false

    init(world: KillWorld, ranges: [KilledCommand: KillRange], byTime: Bool) {
        self.world = world
        self.ranges = ranges
        self.byTime = byTime
    }

    private func comment(_ text: String = "") -> Comment {
        "\(world.scenario), seed \(world.seed): \(steps.joined(separator: "; ")) \(text)"
    }

    mutating func run() async throws {
        for _ in 1...Int.random(in: 1...3, using: &world.random) {
            try await kill(Self.weighted.randomElement(using: &world.random) ?? .sync)
            if Int.random(in: 0..<3, using: &world.random) == 0 {
                steps.append("edit of \(try await world.editAfterKill())")
            }
        }
        if isMigrated { try await completeMigration() }
        try await recover()
        try await expectFinalState()
    }

    private mutating func kill(_ command: KilledCommand) async throws {
        if command == .migrate {
            try world.installNextVersion()
            isMigrated = true
        }
        let range = ranges[command] ?? KillRange(requests: 1, lines: 1, duration: .zero)
        let moment = range.moment(byTime: byTime, &world.random)
        let (wasKilled, _) = try await world.run(command.arguments, killing: moment)
        steps.append("\(command.arguments.joined(separator: " ")) \(wasKilled ? "killed" : "survived") \(moment)")
        if wasKilled { kills.append(moment.kind) }
    }

    /// Completes a migration, and checks the contents of the store through every index.
    private func completeMigration() async throws {
        let rest = try await soup("migrate")
        #expect(rest.status == 0, comment("\(rest.errors)"))
        #expect(try await soup("plan").output == [], comment())
        let kit = try await world.open()
        func matches(of key: String, in soup: SoupName, at path: JSONPath) async throws -> Int {
            try await kit.store.query(.match(soup, path, expression: key, pageSize: 1000)).entries.count
        }
        let names = try await kit.store.query(.all("accounts", pageSize: 500)).entries
            .count { $0["Name"]?.stringValue?.hasPrefix("Acme") == true }
        #expect(try await matches(of: "word3", in: "notes", at: "text") == KillWorld.notes / 10, comment())
        #expect(try await matches(of: "Acme", in: "accounts", at: "Name") == names, comment())
        try await kit.close()
        let late = try await soup("query", "select count(*) from {notes} where {notes:key} > \(KillWorld.notes - 100)")
        #expect(late.output == ["[100]"], comment())
    }

    /// Recovers as a user does: syncs until nothing is left, resolves creates with unknown outcomes, and cleans ghosts.
    private mutating func recover() async throws {
        for round in 1...6 {
            let synced = try await soup("sync", "up", "down")
            let kit = try await world.open()
            let resolved = try await world.resolveUnknown(kit)
            try await kit.close()
            steps.append("round \(round): exit \(synced.status), \(resolved) resolved")
            if synced.status == 0, resolved == 0, round > 1 { break }
        }
        #expect(try await soup("clean-ghosts", "down").status == 0, comment())
    }

    private func expectFinalState() async throws {
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
        "unexpected \(found.filter { !expected.contains($0) }), missing \(expected.filter { !found.contains($0) }), "
            + "\(found.count) lines instead of \(expected.count)"
    }

    private func soup(_ arguments: String...) async throws -> FinishedSoup {
        try await SoupTool.run(
            arguments + ["--config", world.folder.path, "--json"], environment: world.served.environment)
    }
}

#endif
