// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupKit
import SoupTesting

/// An app that edits, creates and deletes rows of a store, and records the expected rows.
///
/// It makes one edit at a time; later calls wait.
actor Editor {
    private struct Row {
        var soup: SoupName
        var entry: Int64
        var name: String
        var number: Int
        /// The index of the contact's account in `rows`.
        var account: Int?
    }

    private let store: SmartStore
    private let isTree: Bool
    private var random: SeededRandom
    private var rows: [Row] = []
    private var createdCount = 0
    private var lastEdit: Task<Void, any Error>?
    /// The number of remaining edits.
    private(set) var remaining: Int
    /// The rows that did not have the values of their last edit at the next edit.
    private(set) var faults: [String] = []

    init(_ store: SmartStore, isTree: Bool, edits: Int, seed: UInt64) {
        self.store = store
        self.isTree = isTree
        remaining = edits
        random = SeededRandom(seed: seed)
    }

    /// The rows that both sides must have at the end, by name, with the numbers of their last edits.
    var expected: [String: [Int]] { Dictionary(uniqueKeysWithValues: rows.map { ($0.name, [$0.number]) }) }

    /// Records the rows of the first sync.
    func start() async throws {
        for soup in ["accounts", "contacts"] as [SoupName] where soup == "accounts" || isTree {
            for entry in try await store.query(.all(soup, pageSize: 500)).entries {
                let (name, number) = EditedRow.parts(entry.stored.value)
                let account = rows.firstIndex { row in row.name == "Acme \(name.dropFirst(3))" }
                rows.append(
                    Row(
                        soup: soup, entry: entry.id, name: name, number: number,
                        account: soup == "contacts" ? account : nil))
            }
        }
    }

    /// Makes up to two of the remaining edits.
    func editSome() async throws {
        for _ in 0..<Int.random(in: 0...2, using: &random) where remaining > 0 { try await edit() }
    }

    /// Makes one edit, after all edits that were requested earlier.
    func edit() async throws {
        let earlier = lastEdit
        let task = Task {
            try await earlier?.value
            if remaining > 0 { try await next() }
        }
        lastEdit = task
        try await task.value
    }

    private func next() async throws {
        remaining -= 1
        let kind = Int.random(in: 0..<20, using: &random)
        if kind < 3 || rows.isEmpty { return try await create() }
        let position = Int.random(in: 0..<rows.count, using: &random)
        // Accounts with contacts are not deleted: the org would delete the contacts, which this test does not expect.
        let hasNoContacts = !rows.contains { $0.account == position }
        if kind == 3, rows.count > 4, hasNoContacts { return try await delete(position) }
        try await change(position)
    }

    private func change(_ position: Int) async throws {
        let row = rows[position]
        guard let entry = try await store.retrieve([row.entry], from: row.soup).first else {
            faults.append("\(row.name) is missing in the store")
            return
        }
        let found = EditedRow.parts(entry.stored.value)
        if found != (row.name, row.number) { faults.append("\(row.name) \(row.number) became \(found)") }
        rows[position].number += 1
        try await store.edit(
            row.entry, setting: EditedRow.members(row.name, row.number + 1, isAccount: row.soup == "accounts"),
            in: row.soup)
    }

    private func create() async throws {
        createdCount += 1
        let accounts = rows.indices.filter { rows[$0].soup == "accounts" }
        let isAccount = !isTree || accounts.isEmpty || Bool.random(using: &random)
        let name = isAccount ? "Created \(createdCount)" : "Child \(createdCount)"
        var record = EditedRow.members(name, 1, isAccount: isAccount)
        var account: Int?
        if isAccount {
            record["Name"] = .string(name)
            record["Code__c"] = .string("M\(createdCount)")
        } else if let parent = accounts.randomElement(using: &random) {
            account = parent
            return rows.append(
                Row(
                    soup: "contacts", entry: try await createChild(record, of: rows[parent].entry), name: name,
                    number: 1,
                    account: account))
        }
        let entry = try await store.create(record, type: "Account", in: "accounts")
        rows.append(Row(soup: "accounts", entry: entry.id, name: name, number: 1, account: account))
    }

    /// Creates a contact of an account in one transaction, so that no sync replaces the account's ID between the read
    /// and the write.
    private func createChild(_ record: JSONObject, of account: Int64) async throws -> Int64 {
        var record = record
        record["attributes"] = ["type": "Contact"]
        record["Id"] = .string("local_child\(createdCount)")
        for flag in ["__local__", "__locally_created__"] { record[flag] = true }
        for flag in ["__locally_updated__", "__locally_deleted__"] { record[flag] = false }
        let child = record
        return try await store.write { writer in
            var child = child
            child["AccountId"] = try writer.retrieve([account], from: "accounts").first?["Id"]
            let batch = RecordBatch([try JSONText(.object(child))])
            return try writer.upsert(batch, into: "contacts", matching: .entryId).first?.id ?? 0
        }
    }

    private func delete(_ position: Int) async throws {
        let row = rows.remove(at: position)
        for index in rows.indices {
            if let account = rows[index].account, account > position { rows[index].account = account - 1 }
        }
        try await store.delete(row.entry, in: row.soup)
    }
}
