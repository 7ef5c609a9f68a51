// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// A random history of an org and its two clients, from a seed.
struct TwoClientsHistory {
    private var random: SeededRandom
    private let clock = ManualClock.advancing()
    private let records: SharedRecords
    /// The merge modes of the runs; without OVERWRITE, no written value may be lost.
    private let modes: [MergeMode]
    private var neverOverwrites: Bool { !modes.contains(.overwrite) }
    private let org: LocalOrg
    private let clients: [Client]
    private var count = 0
    private var written = WrittenValues()
    /// The steps of the history, one line each.
    private(set) var log: [String]
    /// The number of rows that needed a decision when no run changed anything more.
    private(set) var undecidedCount = 0
    /// The number of checked fields that only one author wrote.
    private(set) var checkedFieldCount = 0
    /// The differences from the expected state.
    private(set) var faults: [String] = []

    /// - Parameter records: creates the shared records at random.
    init(seed: UInt64, of records: (inout SeededRandom) throws -> SharedRecords) async throws {
        random = SeededRandom(seed: seed)
        self.records = try records(&random)
        modes = Bool.random(using: &random) ? MergeMode.allCases : [.merge, .leaveIfChanged]
        log = ["seed \(seed): \(self.records.label), \(modes.map(\.rawValue))"]
        org = try LocalOrg(seed: self.records.seed, clock: clock)
        org.setOptions { $0.maximumPageSize = 4 }
        var clients: [Client] = []
        for name in ["A", "B"] { clients.append(try await Client(name, records: self.records, org: org, clock: clock)) }
        self.clients = clients
        let tops = try rows(self.records.top)
        for kind in self.records.kinds {
            for row in try rows(kind) {
                written.noteCreation(self.records.title(row), by: "O")
                for top in tops where kind.parent != nil && tree(row, kind) == tree(top, self.records.top) {
                    written.note(parent: self.records.title(top), of: self.records.title(row))
                }
            }
        }
    }

    mutating func run() async throws {
        for client in clients { try await sync(client, "down LEAVE_IF_CHANGED") }
        for _ in 0..<Int.random(in: 8...16, using: &random) {
            // Dates of records have seconds: LEAVE_IF_CHANGED does not detect the second of two changes in one second.
            clock.advance(by: .milliseconds(pick(neverOverwrites ? [1000, 5000] : [0, 50, 1000, 5000])))
            switch Int.random(in: 0..<12, using: &random) {
            case 0...4: try await change(pick(clients))
            case 5...7: try changeOrg()
            default: try await syncRandomly(pick(clients))
            }
        }
        let mode = pick(modes)
        try await syncUntilStable(mode)
        try await compare(mode)
        try await compareWritten()
        // After the decisions about the remaining conflicts, no difference is allowed.
        let last = mode == .merge ? MergeMode.merge : .overwrite
        try await syncUntilStable(last, resolving: true)
        try await compare(last, isDecided: true)
        for client in clients { try await client.kit.close() }
    }

    // MARK: - Changes

    private mutating func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &random)] }

    /// Children are changed twice as often as parents.
    private mutating func pickKind() -> SharedRecords.Kind {
        pick(records.kinds.flatMap { Array(repeating: $0, count: $0.parent == nil ? 1 : 2) })
    }

    private mutating func values(_ author: String) -> JSONObject {
        var values: JSONObject = [:]
        for _ in 1...Int.random(in: 1...2, using: &random) {
            count += 1
            values[pick(records.edited)] = .string("\(author)\(count)")
        }
        return values
    }

    /// Returns the fields of a unique title.
    private mutating func titles(_ author: String) -> JSONObject {
        count += 1
        let title = JSONValue.string("\(author)'s \(count)")
        written.noteCreation("\(author)'s \(count)", by: author)
        return JSONObject(records.titled.map { ($0, title) })
    }

    private mutating func change(_ client: Client) async throws {
        func live(_ kind: SharedRecords.Kind) async throws -> [SoupEntry] {
            try await client.entries(kind).filter { $0["__locally_deleted__"] != true }
        }
        let store = client.kit.store
        let kind = pickKind()
        let (entries, parents) = (try await live(kind), try await live(records.top))
        guard !parents.isEmpty || kind.parent == nil else { return }
        switch Int.random(in: 0..<9, using: &random) {
        case 0...3 where !entries.isEmpty:
            let (entry, values) = (pick(entries), values(client.name))
            log.append("\(client.name) edits \(kind.soup) \(entry.id) \(JSONValue.object(values))")
            written.note(values, by: client.name, in: records.title(entry.stored.value))
            try await store.edit(entry.id, setting: values, in: kind.soup)
        case 4:
            guard let field = kind.parent, !entries.isEmpty else { return }
            let (entry, parent) = (pick(entries), pick(parents))
            log.append("\(client.name) moves \(entry.id) under \(parent["Id"] ?? .null)")
            written.note(parent: records.title(parent.stored.value), of: records.title(entry.stored.value))
            try await store.edit(entry.id, setting: [field: parent["Id"] ?? .null], in: kind.soup)
        case 5 where entries.count > 2:
            let entry = pick(entries)
            log.append("\(client.name) deletes \(kind.soup) \(entry.id) \(records.title(entry.stored.value))")
            written.noteDeletion(records.title(entry.stored.value))
            try await store.delete(entry.id, in: kind.soup)
        default:
            let values = values(client.name)
            var record = JSONObject(titles(client.name).members + values.members)
            if let field = kind.parent {
                let parent = pick(parents)
                record[field] = parent["Id"]
                written.note(parent: records.title(parent.stored.value), of: records.title(.object(record)))
            }
            let entry = try await store.create(record, type: kind.object, in: kind.soup)
            written.note(values, by: client.name, in: records.title(entry.stored.value))
            log.append("\(client.name) creates \(kind.soup) \(entry.id) \(JSONValue.object(record))")
        }
    }

    private mutating func changeOrg() throws {
        let kind = pickKind()
        let (rows, parents) = (try rows(kind), try rows(records.top))
        guard !parents.isEmpty || kind.parent == nil else { return }
        func id(_ row: JSONValue) -> String { row["Id"]?.stringValue ?? "" }
        switch Int.random(in: 0..<9, using: &random) {
        case 0...3 where !rows.isEmpty:
            let (row, values) = (pick(rows), values("O"))
            log.append("org edits \(id(row)) \(JSONValue.object(values))")
            written.note(values, by: "O", in: records.title(row))
            try org.edit(kind.object, id: id(row), values)
        case 4:
            guard let field = kind.parent, !rows.isEmpty else { return }
            let (row, parent) = (pick(rows), pick(parents))
            log.append("org moves \(id(row)) under \(id(parent))")
            written.note(parent: records.title(parent), of: records.title(row))
            try org.edit(kind.object, id: id(row), [field: .string(id(parent))])
        case 5...6 where rows.count > 2:
            let row = pick(rows)
            log.append("org deletes \(id(row)) \(records.title(row))")
            written.noteDeletion(records.title(row))
            try org.delete(kind.object, id: id(row))
        default:
            var record = titles("O")
            if let field = kind.parent {
                let parent = pick(parents)
                record[field] = parent["Id"]
                written.note(parent: records.title(parent), of: records.title(.object(record)))
            }
            log.append("org creates \(kind.object) \(JSONValue.object(record))")
            try org.insert(kind.object, record)
        }
    }

    private mutating func syncRandomly(_ client: Client) async throws {
        let (up, down) = (pick(modes), pick(modes))
        switch Int.random(in: 0..<6, using: &random) {
        case 0...2:
            try await sync(client, "up \(up.rawValue)")
            // The sync down must own the pushed records.
            try await sync(client, "down \(down.rawValue)")
        case 3...4: try await sync(client, "down \(down.rawValue)")
        default: try await cleanGhosts(client, down)
        }
    }

    @discardableResult
    private mutating func sync(_ client: Client, _ name: String) async throws -> Client.Report {
        let report = try await client.sync(name)
        let unsynced = report.unsynced.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        log.append("\(client.name) \(name): \(report.changes) changes, unsynced \(unsynced) \(report.error)")
        if !report.error.isEmpty { faults.append("\(client.name) \(name) \(report.error)") }
        return report
    }

    @discardableResult
    private mutating func cleanGhosts(_ client: Client, _ mode: MergeMode) async throws -> Int {
        let counts = try await client.kit.syncs.cleanResyncGhostsBySoup(named: "down \(mode.rawValue)")
        log.append("\(client.name) cleans \(counts) ghosts of down \(mode.rawValue)")
        return counts.values.reduce(0, +)
    }

    // MARK: - Comparison

    /// Syncs both clients until no run changes anything.
    private mutating func syncUntilStable(_ mode: MergeMode, resolving: Bool = false) async throws {
        log.append("sync until stable, \(mode.rawValue)")
        for _ in 1...10 {
            var changes = 0
            for client in clients {
                clock.advance(by: .seconds(10))
                changes += try await sync(client, "up \(mode.rawValue)").changes
                let down = mode == .merge ? MergeMode.merge : .leaveIfChanged
                changes += try await sync(client, "down \(down.rawValue)").changes
                // A row is removed only if no sync down owns it any more.
                for other in MergeMode.allCases { changes += try await cleanGhosts(client, other) }
                guard resolving else { continue }
                let resolved = try await client.resolveConflicts(&random)
                log.append("\(client.name) resolves \(resolved)")
                changes += resolved
            }
            if changes == 0 { return }
        }
        faults.append("the syncs do not become stable")
    }

    private func rows(_ kind: SharedRecords.Kind) throws -> [JSONValue] {
        try org.state(of: kind.object).filter { $0["IsDeleted"] != true }
    }

    /// Checks that every store is equal to the org except for listed entries and entries that wait for them in the same
    /// tree, that no record is duplicated, and that no record has values that were written into another one.
    private mutating func compare(_ mode: MergeMode, isDecided: Bool = false) async throws {
        for kind in records.kinds { check(try rows(kind), of: kind, in: "the org") }
        for client in clients {
            let unsynced = Set(try await sync(client, "up \(mode.rawValue)").unsynced.keys)
            // Entries that MERGE does not push are listed as conflicts; OVERWRITE lists nothing.
            let listed = try await client.conflicts().union(mode == .merge ? [] : unsynced)
            let waiting = isDecided ? [] : try await trees(of: listed, client)
            for kind in records.kinds {
                let entries = try await client.entries(kind)
                check(entries.map(\.stored.value), of: kind, in: client.name)
                var missing: [String: JSONValue] = [:]
                for row in try rows(kind) { missing[row["Id"]?.stringValue ?? ""] = row }
                for entry in entries {
                    let record = entry.stored.value
                    let row = missing.removeValue(forKey: record["Id"]?.stringValue ?? "")
                    // No sync fetches a child without a parent.
                    if let row, tree(row, kind).isEmpty { continue }
                    // A child whose parent was removed locally is a failure until it gets another parent.
                    if record["__last_error__"]?.stringValue?.contains("NO_PARENT") == true { continue }
                    let isDirty = record["__local__"] == true
                    if isDirty { undecidedCount += 1 }
                    let isWaiting =
                        waiting.contains(tree(record, kind)) || row.map { waiting.contains(tree($0, kind)) } == true
                    let isSame = row.map { records.line($0, kind) } == records.line(record, kind)
                    let isRight = isWaiting && (isDirty || records.isTree) || isSame && !isDirty
                    if !isRight {
                        faults.append(
                            "\(client.name) has \(record), the org \(row ?? .null); listed \(listed.sorted())")
                    }
                }
                for row in missing.values where !tree(row, kind).isEmpty && !waiting.contains(tree(row, kind)) {
                    faults.append("\(client.name) lacks \(row)")
                }
            }
        }
    }

    /// Checks that no title is duplicated, unless several clients recreated a deleted record, and that every value was
    /// written into its record.
    private mutating func check(_ all: [JSONValue], of kind: SharedRecords.Kind, in place: String) {
        for (title, rows) in Dictionary(grouping: all, by: records.title) {
            if rows.count > 1, !written.mayBeDeleted(title) {
                faults.append("\(place) has \(kind.object) \(title) \(rows.count) times")
            }
            for row in rows {
                for name in records.edited where !written.contains(row[name], of: name, in: title) {
                    faults.append(
                        "\(place) has \(row[name] ?? .null) in \(name) of \(title), which was not written there")
                }
            }
        }
    }

    /// Checks that created records exist, and that a field with only one author has the author's last value, in the
    /// client's own store or in the org.
    ///
    /// With OVERWRITE, the last push replaces the values of other authors.
    private mutating func compareWritten() async throws {
        var titles: [String: Set<String>] = [:]
        for kind in records.kinds {
            var own = ["O": try rows(kind)]
            for client in clients { own[client.name] = try await client.entries(kind).map(\.stored.value) }
            for (author, all) in own {
                titles[author, default: []].formUnion(all.map(records.title))
                if neverOverwrites { checkKept(all, of: author) }
            }
        }
        for (title, author) in written.creators where !written.mayBeDeleted(title) {
            if titles[author]?.contains(title) != true { faults.append("\(author) created \(title), and lacks it") }
        }
    }

    private mutating func checkKept(_ own: [JSONValue], of author: String) {
        for record in own {
            let title = records.title(record)
            guard !written.mayBeDeleted(title) else { continue }
            for (name, value) in written.lastOnly(by: author, in: title, of: records.edited).members {
                checkedFieldCount += 1
                if record[name] != value {
                    faults.append("\(author) wrote \(value) into \(name) of \(title), and has \(record[name] ?? .null)")
                }
            }
        }
    }

    // MARK: - Trees

    /// Returns the ID of the root of a record's tree.
    private func tree(_ record: JSONValue, _ kind: SharedRecords.Kind) -> String {
        record[kind.parent ?? "Id"]?.stringValue ?? ""
    }

    /// Returns the trees of entries, in the store and in the org.
    private func trees(of keys: Set<Client.Key>, _ client: Client) async throws -> Set<String> {
        var trees: Set<String> = []
        for kind in records.kinds {
            let remote = Dictionary(
                uniqueKeysWithValues: try rows(kind).map { ($0["Id"]?.stringValue, tree($0, kind)) })
            for entry in try await client.entries(kind) where keys.contains(Client.Key(soup: kind.soup, id: entry.id)) {
                trees.insert(tree(entry.stored.value, kind))
                if let tree = remote[entry["Id"]?.stringValue] { trees.insert(tree) }
            }
        }
        return trees
    }
}
