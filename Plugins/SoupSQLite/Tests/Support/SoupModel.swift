// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// A naive model of a soup: a dictionary with the operations of the store, without any index.
struct SoupModel {
    struct Row {
        var lastModified: Int64
        var text: String
        var value: JSONValue { (try? JSONValue(parsing: text)) ?? .null }
        var isDirty: Bool { value["__local__"] == true }
    }

    var rows: [Int64: Row] = [:]
    var lastId: Int64 = 0
    /// The latest modification date that was assigned since the store was opened.
    var lastDate: Int64 = 0

    var dump: [String] { rows.sorted { $0.key < $1.key }.map { "\($0.key)@\($0.value.lastModified) \($0.value.text)" } }

    /// Upserts the records; returns nil, without any change, if the batch must fail.
    mutating func upsert(
        _ records: [Record], matching match: UpsertMatch, stamping stamp: RecordBatch.Stamp, guarding: WriteGuard,
        now: Int64
    ) -> [UpsertResult]? {
        let before = self
        let date = max(now, lastDate + 1)
        var results: [UpsertResult] = []
        for record in records {
            let text = record.members.stamped(stamp)
            var ids: [Int64] = []
            if match == .entryId {
                if let id = record.entryId, rows[id] != nil { ids = [id] }
            } else {
                ids = rows.filter { $0.value.value["Id"] == record.members.value(of: "Id") }.map(\.key)
            }
            guard ids.count < 2 else {
                self = before
                return nil
            }
            results.append(write(text, to: ids.first, guarding: guarding, at: date))
        }
        return results
    }

    private mutating func write(
        _ text: String, to id: Int64?, guarding: WriteGuard, at date: Int64
    ) -> UpsertResult {
        guard let id, let row = rows[id] else {
            lastId += 1
            rows[lastId] = Row(lastModified: date, text: text)
            lastDate = max(lastDate, date)
            return UpsertResult(.inserted, id: lastId, version: date)
        }
        let isGuarded =
            switch guarding {
            case .none: false
            case .dirty: row.isDirty
            case .dirtySince(let instant): row.isDirty && row.lastModified >= instant
            }
        if isGuarded { return UpsertResult(.skipped, id: id, version: row.lastModified) }
        if row.text == text { return UpsertResult(.unchanged, id: id, version: row.lastModified) }
        let version = max(date, row.lastModified + 1)
        rows[id] = Row(lastModified: version, text: text)
        lastDate = max(lastDate, version)
        return UpsertResult(
            .updated, id: id, version: version, replacesLocalChanges: row.isDirty && guarding != .none)
    }

    mutating func stamp(_ stamps: [EntryStamp], now: Int64) -> [Bool] {
        let date = max(now, lastDate + 1)
        return stamps.map { entry in
            guard let row = rows[entry.id] else { return false }
            let isCurrent = entry.version == nil || entry.version == row.lastModified
            let members = Members(parsing: row.text)
            _ = write(
                members.stamped(isCurrent ? entry.stamp : entry.otherwise), to: entry.id, guarding: .none, at: date)
            return isCurrent
        }
    }

    mutating func remove(_ removals: [EntryRemoval]) -> [Int64] {
        removals.filter { removal in
            guard let row = rows[removal.id], removal.version == nil || removal.version == row.lastModified else {
                return false
            }
            rows[removal.id] = nil
            return true
        }.map(\.id)
    }
}

/// The members of an object as JSON texts, in order.
struct Members {
    var list: [(name: String, text: String)]

    init(_ list: [(name: String, text: String)]) { self.list = list }

    init(parsing text: String) {
        list = ((try? JSONValue(parsing: text))?.objectValue?.members ?? []).map { ($0.key, $0.value.description) }
    }

    func value(of name: String) -> JSONValue? {
        list.first { $0.name == name }.flatMap { try? JSONValue(parsing: $0.text) }
    }

    func stamped(_ stamp: RecordBatch.Stamp) -> String {
        let names = stamp.members.map(\.name)
        let kept = list.filter { !names.contains($0.name) && !$0.name.hasPrefix("_soup") }
        let added = stamp.members.compactMap { member in member.value.map { (member.name, $0.description) } }
        return "{" + (kept + added).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}

/// A random record of a test.
struct Record {
    static let words = ["red", "green", "blue"]

    var members: Members
    var entryId: Int64?

    var text: JSONText {
        let system = entryId.map { [("_soupEntryId", "\($0)"), ("_soupLastModifiedDate", "5")] } ?? []
        var list = members.list
        list.insert(contentsOf: system.map { (name: $0, text: $1) }, at: list.count / 2)
        return JSONText(
            trusted: Array(("{" + list.map { "\"\($0.name)\":\($0.text)" }.joined(separator: ",") + "}").utf8)[...])
    }

    static func random(_ random: inout Randomness) -> Record {
        var list: [(name: String, text: String)] = [("Id", "\"\(random.next(10))\"")]
        if random.next(3) > 0 { list.append(("n", "\(random.next(5))")) }
        if random.next(3) > 0 {
            list.append(
                ("words", "\"" + (0..<random.next(3)).map { _ in words[random.next(3)] }.joined(separator: " ") + "\""))
        }
        if random.next(4) == 0 { list.append(("__local__", random.next(2) == 0 ? "true" : "false")) }
        if random.next(4) == 0 { list.append(("a", "{\"b\":[\(random.next(3))]}")) }
        return Record(members: Members(list), entryId: random.next(3) == 0 ? Int64(1 + random.next(20)) : nil)
    }
}

/// A generator of random numbers that are the same in every run.
struct Randomness {
    private var state: UInt64
    init(seed: UInt64) { state = seed | 1 }

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
