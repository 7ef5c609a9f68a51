// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import LocalOrg
import MobileSync
import SmartStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// A short life of an org and two clients of it, from a seed.
struct TwoClientsHistory {
    private let seed: UInt64
    private var random: SeededRandom
    private let clock = ManualClock.advancing()
    private let org: LocalOrg
    private let clients: [Client]
    private let byCode: Bool
    private var count = 0
    /// What happened, a line each.
    private(set) var told: [String]
    /// How many rows were left for somebody to decide about, when it was quiet.
    private(set) var left = 0
    /// What was wrong.
    private(set) var faults: [String] = []

    init(seed: UInt64) async throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        byCode = Int.random(in: 0..<4, using: &random) == 0
        let up = ["rest", "batch", "single"].randomElement(using: &random) ?? "rest"
        told = ["seed \(seed): \(up)\(byCode ? " by external id" : "")"]
        let rows = (1...5).map {
            #"{"object": "Account", "key": "a\#($0)", "values": {"Name": "Acme \#($0)", "Code__c": "C\#($0)"}}"#
        }
        let text = #"""
            {"objects": {"Account": {"fields": {"Code__c": {"type": "string", "length": 20, "externalId": true,
              "unique": \#(byCode)}}}}, "seed": [\#(rows.joined(separator: ","))]}
            """#
        org = try LocalOrg(seed: Seed(json: Array(text.utf8)), clock: clock)
        org.setOptions { $0.maximumPageSize = 4 }
        var clients: [Client] = []
        for name in ["A", "B"] {
            clients.append(try await Client(name, up: up, byCode: byCode, org, clock))
        }
        self.clients = clients
    }

    mutating func play() async throws {
        for client in clients { try await sync(client, "down LEAVE_IF_CHANGED") }
        for _ in 0..<Int.random(in: 8...16, using: &random) {
            clock.advance(by: [0, 50, 1000, 5000].randomElement(using: &random) ?? 0)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...4: try await change(pick(clients))
            case 5...7: try changeOrg()
            default: try await syncSomehow(pick(clients))
            }
        }
        let mode = pick(MergeMode.allCases)
        try await quiet(mode)
        try await compare(mode)
        // What is left is for somebody to decide; then nothing is.
        try await decide(mode)
        try await compare(.overwrite)
        for client in clients { try await client.kit.close() }
    }

    // MARK: - What people do

    private mutating func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &random)] }

    private mutating func text(_ author: String) -> JSONValue {
        count += 1
        return .string("\(author)\(count)")
    }

    private mutating func values(_ author: String) -> JSONObject {
        var values: JSONObject = [:]
        for _ in 1...Int.random(in: 1...2, using: &random) { values[pick(Client.fields)] = text(author) }
        return values
    }

    private mutating func change(_ client: Client) async throws {
        let live = try await client.entries().filter { $0["__locally_deleted__"] != true }
        let store = client.kit.store
        switch Int.random(in: 0..<8, using: &random) {
        case 0...4 where !live.isEmpty:
            let (entry, values) = (pick(live), values(client.name))
            told.append("\(client.name) edits \(entry.id) \(JSONValue.object(values))")
            try await store.edit(entry.id, setting: values, in: "accounts")
        case 5 where live.count > 2:
            let entry = pick(live)
            told.append("\(client.name) deletes \(entry.id) \(entry["Name"] ?? .null)")
            try await store.deleteLocally(entry.id, in: "accounts")
        default:
            var record = values(client.name)
            count += 1
            record["Name"] = .string("\(client.name)'s \(count)")
            record["Code__c"] = .string("\(client.name)\(count)")
            let entry = try await store.create(record, type: "Account", in: "accounts")
            told.append("\(client.name) makes \(entry.id) \(JSONValue.object(record))")
        }
    }

    private mutating func changeOrg() throws {
        let ids = try orgRows().compactMap { $0["Id"]?.stringValue }
        switch Int.random(in: 0..<8, using: &random) {
        case 0...4 where !ids.isEmpty:
            let (id, values) = (pick(ids), values("O"))
            told.append("org edits \(id) \(JSONValue.object(values))")
            try org.edit("Account", id: id, values)
        case 5...6 where ids.count > 2:
            let id = pick(ids)
            told.append("org deletes \(id)")
            try org.delete("Account", id: id)
        default:
            count += 1
            told.append("org makes O's \(count)")
            try org.insert("Account", ["Name": .string("O's \(count)"), "Code__c": .string("O\(count)")])
        }
    }

    private mutating func syncSomehow(_ client: Client) async throws {
        let (up, down) = (pick(MergeMode.allCases), pick(MergeMode.allCases))
        switch Int.random(in: 0..<6, using: &random) {
        case 0...2:
            try await sync(client, "up \(up.rawValue)")
            // What was pushed belongs to the sync down from here on.
            try await sync(client, "down \(down.rawValue)")
        case 3...4: try await sync(client, "down \(down.rawValue)")
        default: try await cleanGhosts(client, down)
        }
    }

    @discardableResult
    private mutating func sync(_ client: Client, _ name: String) async throws -> Client.Report {
        let report = try await client.sync(name)
        told.append("\(client.name) \(name): \(report.changes) changes, \(report.left.sorted()) left \(report.error)")
        if !report.error.isEmpty { faults.append("\(client.name) \(name) \(report.error)") }
        return report
    }

    @discardableResult
    private mutating func cleanGhosts(_ client: Client, _ mode: MergeMode) async throws -> Int {
        let count = try await client.kit.syncs.cleanResyncGhosts(named: "down \(mode.rawValue)")
        told.append("\(client.name) cleans \(count) ghosts of down \(mode.rawValue)")
        return count
    }

    // MARK: - Quiet

    /// Both clients sync until nothing changes any more.
    private mutating func quiet(_ mode: MergeMode, resolving: Bool = false) async throws {
        told.append("quiet")
        for _ in 1...10 {
            var changes = 0
            for client in clients {
                clock.advance(by: 10_000)
                changes += try await sync(client, "up \(mode.rawValue)").changes
                // Every sync down that brought a row has a say in whether it stays.
                for other in MergeMode.allCases {
                    let down = mode == .merge ? MergeMode.merge : .leaveIfChanged
                    changes += try await sync(client, "down \(down.rawValue)").changes
                    changes += try await cleanGhosts(client, other)
                }
                if resolving {
                    let resolved = try await client.resolveConflicts(&random)
                    told.append("\(client.name) resolves \(resolved)")
                    changes += resolved
                }
            }
            if changes == 0 { return }
        }
        faults.append("it does not get quiet")
    }

    /// Somebody decides about what is left: by OVERWRITE, or conflict by conflict.
    private mutating func decide(_ mode: MergeMode) async throws {
        try await quiet(mode == .merge ? .merge : .overwrite, resolving: true)
    }

    private func orgRows() throws -> [JSONValue] {
        try org.state(of: "Account").filter { $0["IsDeleted"] != true }
    }

    /// Every store is equal to the org but for what the API lists.
    private mutating func compare(_ mode: MergeMode) async throws {
        let rows = try orgRows()
        let lines = Dictionary(uniqueKeysWithValues: rows.map { ($0["Id"]?.stringValue ?? "", Client.line($0)) })
        for client in clients {
            let conflicts = Set(try await client.kit.syncs.conflicts().map(\.entryId))
            let left = try await sync(client, "up \(mode.rawValue)").left
            let listed = mode == .merge ? conflicts : left
            var missing = lines
            for entry in try await client.entries() {
                let id = entry["Id"]?.stringValue ?? ""
                let line = missing.removeValue(forKey: id)
                let isDirty = entry["__local__"] == true
                if isDirty { self.left += 1 }
                let isRight = isDirty ? listed.contains(entry.id) : line == Client.line(entry.stored.value)
                if !isRight || (isDirty && mode == .overwrite) {
                    faults.append("\(client.name) has \(entry.stored), the org \(line ?? "nothing"); listed \(listed)")
                }
            }
            for line in missing.values.sorted() { faults.append("\(client.name) has not \(line)") }
        }
    }
}
