// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A random history of an org and its two clients, from a seed.
struct TwoClientsHistory {
    var random: SeededRandom
    let clock = ManualClock.advancing()
    let records: SharedRecords
    /// The merge modes of the runs; without OVERWRITE, no written value may be lost.
    let modes: [MergeMode]
    var neverOverwrites: Bool { modes.allSatisfy(\.detectsConflicts) }
    let org: LocalOrg
    let clients: [Client]
    var count = 0
    var written = WrittenValues()
    /// The steps of the history, one line each.
    var log: [String]
    /// The number of rows that needed a decision when no run changed anything more.
    var undecidedCount = 0
    /// The number of checked fields that only one author wrote.
    var checkedFieldCount = 0
    /// Whether a sync down follows each sync up, so that others delete no created record before it is fetched.
    ///
    /// With it, the seeds of earlier versions repeat their histories.
    var fetchesPushed = false
    /// Whether all sync downs run at the beginning, and more time than the lookback passes between some steps.
    ///
    /// Otherwise each sync down looks back to the beginning, or runs for the first time at the end, and finds all.
    var isLong = false
    var pauses: SeededRandom
    /// Whether a client may have lost the response to a creation.
    var hasLostCreations = false
    /// Whether the clients and the org make no more changes.
    var isEnding = false
    /// The differences from the expected state.
    var faults: [String] = []

    /// The server's IDs of all records whose creation is known: by the org itself, or reported by a client.
    var knownIds: Set<String> = []

    /// - Parameters:
    ///   - records: creates the shared records at random.
    ///   - mechanism: a mechanism that is switched off in both clients.
    init(
        seed: UInt64, of records: (inout SeededRandom) throws -> SharedRecords,
        without mechanism: DisabledMechanism? = nil
    ) async throws {
        random = SeededRandom(seed: seed)
        // Apart from the steps, so that seeds repeat their histories.
        pauses = SeededRandom(seed: seed)
        self.records = try records(&random)
        // In this order, earlier seeds repeat their histories.
        modes = Bool.random(using: &random) ? MergeMode.allCases : MergeMode.thatDetectConflicts.reversed()
        log = ["seed \(seed): \(self.records.label), \(modes.map(\.rawValue))"]
        org = try LocalOrg(seed: self.records.seed, clock: clock)
        org.setOptions { $0.maximumPageSize = 4 }
        var clients: [Client] = []
        for name in ["A", "B"] {
            clients.append(
                try await Client(name, records: self.records, org: org, clock: clock, without: mechanism))
        }
        self.clients = clients
        let tops = try rows(self.records.top)
        for kind in self.records.kinds {
            for row in try rows(kind) {
                knownIds.insert(row["Id"]?.stringValue ?? "")
                written.noteCreation(self.records.title(row), by: "O")
                for top in tops where kind.parent != nil && tree(row, kind) == tree(top, self.records.top) {
                    written.note(parent: self.records.title(top), of: self.records.title(row))
                }
            }
        }
    }

    mutating func run() async throws {
        for client in clients {
            try await sync(client, "down LEAVE_IF_CHANGED")
            for mode in modes where isLong && mode != .leaveIfChanged {
                try await sync(client, "down \(mode.rawValue)")
            }
        }
        for _ in 0..<Int.random(in: 8...16, using: &random) {
            // Dates of records have seconds: LEAVE_IF_CHANGED does not detect the second of two changes in one second.
            clock.advance(by: .milliseconds(pick(neverOverwrites ? [1000, 5000] : [0, 50, 1000, 5000])))
            try await pause()
            switch Int.random(in: 0..<12, using: &random) {
            case 0...4: try await change(pick(clients))
            case 5...7: try changeOrg()
            default: try await syncRandomly(pick(clients))
            }
        }
        try await pause()
        isEnding = true
        let mode = pick(modes)
        try await syncUntilStable(mode)
        try await compare(mode)
        try await compareWritten()
        // A creation whose response was lost, and whose record others have deleted, is sent again twenty minutes later.
        if hasLostCreations { clock.advance(by: .seconds(1200)) }
        // After the decisions about the remaining conflicts, no difference is allowed.
        let last = mode.mergesChanges ? MergeMode.merge : .overwrite
        try await syncUntilStable(last, resolving: true)
        try await compare(last, isDecided: true)
        for client in clients { try await client.kit.close() }
    }

    /// Between two steps of a long history, lets time pass, and the org undelete a record after all syncs down.
    private mutating func pause() async throws {
        guard isLong else { return }
        if let time = [0, 0, 60, 900, 7200].randomElement(using: &pauses), time > 0 {
            log.append("\(time) seconds later")
            clock.advance(by: .seconds(time))
        }
        let deleted = try records.kinds.flatMap { try deletedRows($0) }
        guard !deleted.isEmpty, Int.random(in: 0..<8, using: &pauses) == 0 else { return }
        for client in clients {
            for mode in modes { try await sync(client, "down \(mode.rawValue)") }
        }
        clock.advance(by: .seconds(900))
        if let row = deleted.randomElement(using: &pauses) { undelete(row) }
    }

    // MARK: - Changes

    mutating func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &random)] }

    /// Children are changed twice as often as parents.
    mutating func pickKind() -> SharedRecords.Kind {
        pick(records.kinds.flatMap { Array(repeating: $0, count: $0.parent == nil ? 1 : 2) })
    }

    mutating func values(_ author: String) -> JSONObject {
        var values: JSONObject = [:]
        for _ in 1...Int.random(in: 1...2, using: &random) {
            count += 1
            values[pick(records.edited)] = .string("\(author)\(count)")
        }
        return values
    }

    /// Returns the fields of a unique title.
    mutating func titles(_ author: String) -> JSONObject {
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
            let entry = pick(entries)
            try await edit(entry, of: kind, by: client, values(client.name))
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

    mutating func edit(
        _ entry: SoupEntry, of kind: SharedRecords.Kind, by client: Client, _ values: JSONObject
    ) async throws {
        log.append("\(client.name) edits \(kind.soup) \(entry.id) \(JSONValue.object(values))")
        written.note(values, by: client.name, in: records.title(entry.stored.value))
        try await client.kit.store.edit(entry.id, setting: values, in: kind.soup)
    }

    private mutating func changeOrg() throws {
        let kind = pickKind()
        let (rows, parents) = (try rows(kind), try rows(records.top))
        guard !parents.isEmpty || kind.parent == nil else { return }
        func id(_ row: JSONValue) -> String { row["Id"]?.stringValue ?? "" }
        switch Int.random(in: 0..<12, using: &random) {
        case 9...10:
            let tops = parents.isEmpty ? [] : [pick(parents)]
            for row in tops {
                let isHidden = row[SharedRecords.hidden] != .null && row[SharedRecords.hidden] != nil
                let time = transactionTime()
                log.append("org \(isHidden ? "shows" : "hides") \(id(row)) \(records.title(row)) in \(time)")
                written.noteHiding(records.title(row))
                try org.edit(
                    records.top.object, id: id(row), [SharedRecords.hidden: isHidden ? .null : "yes"], taking: time)
            }
        case 11:
            let deleted = try deletedRows(kind)
            guard !deleted.isEmpty else { return }
            undelete(pick(deleted))
        case 0...3 where !rows.isEmpty:
            let (row, values) = (pick(rows), values("O"))
            let time = transactionTime()
            log.append("org edits \(id(row)) \(JSONValue.object(values)) in \(time)")
            written.note(values, by: "O", in: records.title(row))
            try org.edit(kind.object, id: id(row), values, taking: time)
        case 4:
            guard let field = kind.parent, !rows.isEmpty else { return }
            let (row, parent) = (pick(rows), pick(parents))
            let time = transactionTime()
            log.append("org moves \(id(row)) under \(id(parent)) in \(time)")
            written.note(parent: records.title(parent), of: records.title(row))
            try org.edit(kind.object, id: id(row), [field: .string(id(parent))], taking: time)
        case 5...6 where rows.count > 2:
            let row = pick(rows)
            let time = transactionTime()
            log.append("org deletes \(id(row)) \(records.title(row)) in \(time)")
            written.noteDeletion(records.title(row))
            try org.delete(kind.object, id: id(row), taking: time)
        default:
            var record = titles("O")
            if let field = kind.parent {
                let parent = pick(parents)
                record[field] = parent["Id"]
                written.note(parent: records.title(parent), of: records.title(.object(record)))
            }
            let time = transactionTime()
            log.append("org creates \(kind.object) \(JSONValue.object(record)) in \(time)")
            let before = Set(try org.state(of: kind.object).compactMap { $0["Id"]?.stringValue })
            try org.insert(kind.object, record, taking: time)
            knownIds.formUnion(
                try org.state(of: kind.object).compactMap { $0["Id"]?.stringValue }.filter { !before.contains($0) })
        }
    }

    private func deletedRows(_ kind: SharedRecords.Kind) throws -> [JSONValue] {
        try org.state(of: kind.object).filter { $0["IsDeleted"] == true }
    }

    private mutating func undelete(_ row: JSONValue) {
        let id = row["Id"]?.stringValue ?? ""
        // The org refuses it if the parent is deleted, or another record has the external ID now.
        let isRestored = (try? org.undelete(id: id)) != nil
        log.append("org undeletes \(id) \(records.title(row)): \(isRestored)")
    }

    /// Returns the time that a transaction takes: its changes have dates from before the last syncs.
    private mutating func transactionTime() -> Duration {
        .seconds([0, 0, 3, 30, 590].randomElement(using: &random) ?? 0)
    }
}
