// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import LocalOrg
import MobileSync
import SmartStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// A short life of an org and two clients of it that share parents with their children, from a seed.
struct TwoTreesHistory {
    private var random: SeededRandom
    private let clock = ManualClock.advancing()
    private let org: LocalOrg
    private let clients: [TreeClient]
    private var count = 0
    /// What happened, a line each.
    private(set) var told: [String]
    /// How many rows were left for somebody to decide about, when it was quiet.
    private(set) var left = 0
    /// What was wrong.
    private(set) var faults: [String] = []

    init(seed: UInt64) async throws {
        random = SeededRandom(seed: seed)
        let allOrNone = Int.random(in: 0..<3, using: &random) == 0
        told = ["seed \(seed)\(allOrNone ? ": trees whole" : "")"]
        let rows = (1...3).flatMap { box in
            [#"{"object": "Box__c", "key": "b\#(box)", "values": {"Title__c": "box \#(box)"}}"#]
                + (1...2).map { item in
                    #"""
                    {"object": "Item__c", "key": "i\#(box)\#(item)",
                      "values": {"Title__c": "item \#(box)\#(item)", "Box__c": "@b\#(box)"}}
                    """#
                }
        }
        let text = #"{"objects": \#(TreeClient.objects), "seed": [\#(rows.joined(separator: ","))]}"#
        org = try LocalOrg(seed: Seed(json: Array(text.utf8)), clock: clock)
        org.setOptions { $0.maximumPageSize = 4 }
        var clients: [TreeClient] = []
        for name in ["A", "B"] { clients.append(try await TreeClient(name, allOrNone: allOrNone, org, clock)) }
        self.clients = clients
    }

    mutating func play() async throws {
        for client in clients { try await sync(client, "down LEAVE_IF_CHANGED") }
        for _ in 0..<Int.random(in: 8...16, using: &random) {
            clock.advance(by: pick([0, 50, 1000, 5000]))
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
        try await quiet(mode == .merge ? .merge : .overwrite, resolving: true)
        try await compare(.overwrite)
        for client in clients { try await client.kit.close() }
    }

    // MARK: - What people do

    private mutating func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &random)] }

    private mutating func values(_ author: String) -> JSONObject {
        var values: JSONObject = [:]
        for _ in 1...Int.random(in: 1...2, using: &random) {
            count += 1
            values[pick(TreeClient.fields)] = .string("\(author)\(count)")
        }
        return values
    }

    private mutating func title(_ author: String) -> JSONValue {
        count += 1
        return .string("\(author)'s \(count)")
    }

    private mutating func change(_ client: TreeClient) async throws {
        func live(_ kind: TreeClient.Kind) async throws -> [SoupEntry] {
            try await client.entries(kind).filter { $0["__locally_deleted__"] != true }
        }
        let store = client.kit.store
        let kind = pick([TreeClient.boxes, TreeClient.items, TreeClient.items])
        let (entries, boxes) = (try await live(kind), try await live(TreeClient.boxes))
        guard !boxes.isEmpty || kind.parent == nil else { return }
        switch Int.random(in: 0..<9, using: &random) {
        case 0...3 where !entries.isEmpty:
            let (entry, values) = (pick(entries), values(client.name))
            told.append("\(client.name) edits \(kind.soup) \(entry.id) \(JSONValue.object(values))")
            try await store.edit(entry.id, setting: values, in: kind.soup)
        case 4 where !entries.isEmpty && kind.parent != nil:
            let (entry, box) = (pick(entries), pick(boxes))
            told.append("\(client.name) moves \(entry.id) under \(box["Id"] ?? .null)")
            try await store.edit(entry.id, setting: ["Box__c": box["Id"] ?? .null], in: kind.soup)
        case 5 where entries.count > 2:
            let entry = pick(entries)
            told.append("\(client.name) deletes \(kind.soup) \(entry.id) \(entry["Title__c"] ?? .null)")
            try await store.deleteLocally(entry.id, in: kind.soup)
        default:
            var record = values(client.name)
            record["Title__c"] = title(client.name)
            if let field = kind.parent { record[field] = pick(boxes)["Id"] }
            let entry = try await store.create(record, type: kind.object, in: kind.soup)
            told.append("\(client.name) makes \(kind.soup) \(entry.id) \(JSONValue.object(record))")
        }
    }

    private mutating func changeOrg() throws {
        let kind = pick([TreeClient.boxes, TreeClient.items, TreeClient.items])
        func ids(_ kind: TreeClient.Kind) throws -> [String] { try rows(kind).compactMap { $0["Id"]?.stringValue } }
        let (own, boxes) = (try ids(kind), try ids(TreeClient.boxes))
        guard !boxes.isEmpty || kind.parent == nil else { return }
        switch Int.random(in: 0..<9, using: &random) {
        case 0...3 where !own.isEmpty:
            let (id, values) = (pick(own), values("O"))
            told.append("org edits \(id) \(JSONValue.object(values))")
            try org.edit(kind.object, id: id, values)
        case 4 where !own.isEmpty && kind.parent != nil:
            let (id, box) = (pick(own), pick(boxes))
            told.append("org moves \(id) under \(box)")
            try org.edit(kind.object, id: id, ["Box__c": .string(box)])
        case 5...6 where own.count > 2:
            let id = pick(own)
            told.append("org deletes \(id)")
            try org.delete(kind.object, id: id)
        default:
            var record: JSONObject = ["Title__c": title("O")]
            if let field = kind.parent { record[field] = .string(pick(boxes)) }
            told.append("org makes \(JSONValue.object(record))")
            try org.insert(kind.object, record)
        }
    }

    private mutating func syncSomehow(_ client: TreeClient) async throws {
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
    private mutating func sync(_ client: TreeClient, _ name: String) async throws -> TreeClient.Report {
        let report = try await client.sync(name)
        let left = report.left.sorted().map { "\($0.soup) \($0.id)" }
        told.append("\(client.name) \(name): \(report.changes) changes, \(left) left \(report.error)")
        if !report.error.isEmpty { faults.append("\(client.name) \(name) \(report.error)") }
        return report
    }

    @discardableResult
    private mutating func cleanGhosts(_ client: TreeClient, _ mode: MergeMode) async throws -> Int {
        let counts = try await client.kit.syncs.cleanResyncGhostsBySoup(named: "down \(mode.rawValue)")
        told.append("\(client.name) cleans \(counts) ghosts of down \(mode.rawValue)")
        return counts.values.reduce(0, +)
    }

    // MARK: - Quiet

    /// Both clients sync until nothing changes any more.
    private mutating func quiet(_ mode: MergeMode, resolving: Bool = false) async throws {
        told.append("quiet \(mode.rawValue)")
        for _ in 1...10 {
            var changes = 0
            for client in clients {
                clock.advance(by: 10_000)
                changes += try await sync(client, "up \(mode.rawValue)").changes
                // Every sync down that brought a row has a say in whether it stays.
                let down = mode == .merge ? MergeMode.merge : .leaveIfChanged
                changes += try await sync(client, "down \(down.rawValue)").changes
                for other in MergeMode.allCases { changes += try await cleanGhosts(client, other) }
                guard resolving else { continue }
                let resolved = try await client.resolveConflicts(&random)
                told.append("\(client.name) resolves \(resolved)")
                changes += resolved
            }
            if changes == 0 { return }
        }
        faults.append("it does not get quiet")
    }

    private func rows(_ kind: TreeClient.Kind) throws -> [JSONValue] {
        try org.state(of: kind.object).filter { $0["IsDeleted"] != true }
    }

    /// Every store is equal to the org but for what the API lists, and what waits for that in the same tree.
    private mutating func compare(_ mode: MergeMode) async throws {
        for client in clients {
            var listed = Set(
                try await client.kit.syncs.conflicts().map { TreeClient.Key(soup: $0.soup, id: $0.entryId) })
            listed.formUnion(try await sync(client, "up \(mode.rawValue)").left)
            let waiting = mode == .overwrite ? [] : try await boxes(of: listed, client)
            for kind in TreeClient.kinds {
                func box(_ record: JSONValue) -> String { record[kind.parent ?? "Id"]?.stringValue ?? "" }
                var missing: [String: JSONValue] = [:]
                for row in try rows(kind) { missing[row["Id"]?.stringValue ?? ""] = row }
                for entry in try await client.entries(kind) {
                    let row = missing.removeValue(forKey: entry["Id"]?.stringValue ?? "")
                    let isDirty = entry["__local__"] == true
                    if isDirty { left += 1 }
                    let isSame = row.map { TreeClient.line($0, kind) } == TreeClient.line(entry.stored.value, kind)
                    let isWaiting =
                        waiting.contains(box(entry.stored.value)) || row.map { waiting.contains(box($0)) } == true
                    if !isWaiting, isDirty || !isSame {
                        faults.append("\(client.name) has \(entry.stored), the org \(row ?? .null)")
                    }
                }
                for row in missing.values where !waiting.contains(box(row)) {
                    faults.append("\(client.name) has not \(row)")
                }
            }
        }
    }

    /// The boxes of the trees that some entries belong to, here and in the org.
    private func boxes(of keys: Set<TreeClient.Key>, _ client: TreeClient) async throws -> Set<String> {
        var boxes: Set<String> = []
        for kind in TreeClient.kinds {
            let parents = Dictionary(
                uniqueKeysWithValues: try rows(kind).map {
                    ($0["Id"]?.stringValue, $0[kind.parent ?? "Id"]?.stringValue)
                })
            for entry in try await client.entries(kind)
            where keys.contains(TreeClient.Key(soup: kind.soup, id: entry.id)) {
                boxes.formUnion(
                    [entry[JSONPath(kind.parent ?? "Id")]?.stringValue, parents[entry["Id"]?.stringValue] ?? nil]
                        .compactMap { $0 })
            }
        }
        return boxes
    }
}
