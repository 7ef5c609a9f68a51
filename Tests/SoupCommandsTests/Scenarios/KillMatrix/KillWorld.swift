// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupLocalOrg
import SoupKit
import SoupTesting
import SoupTestApp
import Testing

/// A store with local changes, an org with changes of another user, and the expected contents of both after the run.
struct KillWorld {
    let scenario: SyncScenario
    let served: ServedOrg
    let clock: PausingClock
    let folder: WorkFolder
    /// The seed of the changes and the kills.
    let seed: UInt64
    var random: SeededRandom
    /// The expected accounts by name.
    private(set) var accounts: [String: Account] = [:]
    /// The expected contacts by name, with the names of their accounts.
    private(set) var contacts: [String: String] = [:]
    /// The names of accounts that were created locally.
    private var created: [String] = []
    /// The names of accounts that were edited locally.
    private var edited: [String] = []
    /// The numbers of accounts that were edited on both sides.
    private var merged: [Int] = []

    var org: LocalOrg { served.org }

    /// The number of accounts in the seed.
    static let count = 24
    /// The number of entries that are not synced.
    static let notes = 600

    struct Account {
        var code: String
        var description: JSONValue = .null
    }

    private var state: AccountsState { AccountsState(org, scenario) }

    static func seed() throws -> OrgSeed { try AccountsState.seed(count) }

    /// Fetches all records, and makes changes on both sides that do not conflict with each other.
    init(_ scenario: SyncScenario, _ served: ServedOrg, clock: PausingClock, seed: UInt64) async throws {
        self.scenario = scenario
        self.served = served
        self.clock = clock
        self.seed = seed
        random = SeededRandom(seed: seed)
        folder = try WorkFolder(scenario.files())
        served.org.setOptions { $0.maximumPageSize = 5 }
        for number in 1...Self.count {
            accounts["Acme \(number)"] = Account(code: "C\(number)")
            contacts["Ng \(number)"] = "Acme \(number)"
        }
        let kit = try await open()
        clock.advance(by: .seconds(10))
        let first = try await kit.syncs.reSync(named: "down").result
        try #require(first.state.status == .done, "\(first.state.error)")
        var numbers = Array(1...Self.count).shuffled(using: &random)
        func some(_ range: ClosedRange<Int>) -> [Int] {
            let picked = Array(numbers.prefix(Int.random(in: range, using: &random)))
            numbers.removeFirst(picked.count)
            return picked
        }
        clock.advance(by: .seconds(10))
        try changeOrg(editing: some(2...4), deleting: some(1...2), both: scenario.mode.mergesChanges ? some(1...2) : [])
        clock.advance(by: .seconds(10))
        try await changeStore(kit, editing: some(3...5), deleting: some(1...3), children: some(3...3))
        let notes = try (1...Self.notes).map {
            try JSONText(#"{"key": "\#($0)", "text": "word\#($0 % 10) and so on"}"#)
        }
        _ = try await kit.store.upsert(notes, into: "notes")
        try await kit.close()
        clock.advance(by: .seconds(10))
    }

    /// Writes the files of the app's next version; the store requires `soup migrate` then.
    func installNextVersion() throws {
        for (name, text) in scenario.files(isMigrated: true) { try folder.write(text, to: name) }
    }

    /// Opens the store and its syncs in this process.
    func open() async throws -> SoupClient {
        try await SoupClient.open(at: folder.url, options: .init(transport: org.authorizedTransport, environment: [:]))
    }

    // MARK: - Changes

    /// Makes the changes of another user in the org.
    ///
    /// - Parameter both: accounts of which another field is edited locally.
    private mutating func changeOrg(editing: [Int], deleting: [Int], both: [Int]) throws {
        for number in editing {
            try org.edit("Account", id: id("a\(number)"), ["Description": .string("theirs \(number)")])
            accounts["Acme \(number)"]?.description = .string("theirs \(number)")
        }
        for number in both {
            try org.edit("Account", id: id("a\(number)"), ["Name": .string("Acme \(number) there")])
            accounts["Acme \(number)"] = nil
            accounts["Acme \(number) there"] = Account(code: "C\(number)", description: .string("mine \(number)"))
            contacts["Ng \(number)"] = "Acme \(number) there"
        }
        merged = both
        for number in deleting {
            try org.delete("Account", id: id("a\(number)"))
            removeExpected(number)
        }
        for number in 1...2 {
            _ = try org.insert("Account", ["Name": .string("New there \(number)"), "Code__c": .string("T\(number)")])
            accounts["New there \(number)"] = Account(code: "T\(number)")
        }
    }

    /// Makes local changes without a network.
    ///
    /// - Parameter children: accounts whose contacts are edited, deleted and created.
    private mutating func changeStore(
        _ kit: SoupClient, editing: [Int], deleting: [Int], children: [Int]
    ) async throws {
        for number in merged + editing {
            try await kit.store.edit(
                entry("a\(number)", kit), setting: ["Description": .string("mine \(number)")], in: "accounts")
        }
        for number in editing { accounts["Acme \(number)"]?.description = .string("mine \(number)") }
        edited = editing.map { "Acme \($0)" }
        for number in deleting {
            try await kit.store.delete(entry("a\(number)", kit), in: "accounts")
            removeExpected(number)
        }
        for number in 1...Int.random(in: 3...6, using: &random) {
            let name = "New here \(number)"
            let account = try await kit.store.create(
                ["Name": .string(name), "Code__c": .string("H\(number)")], type: "Account", in: "accounts")
            accounts[name] = Account(code: "H\(number)")
            created.append(name)
            guard scenario.isTree, let parent = account["Id"] else { continue }
            try await addContact("Child of \(name)", parentId: parent, account: name, in: kit)
        }
        // An account that was created and deleted locally is never sent to the server.
        let gone = try await kit.store.create(["Name": "Made and deleted"], type: "Account", in: "accounts")
        try await kit.store.delete(gone.id, in: "accounts")
        guard scenario.isTree else { return }
        try await kit.store.edit(
            entry("c\(children[0])", kit, in: "contacts"), setting: ["LastName": .string("Ng mine")], in: "contacts")
        contacts["Ng \(children[0])"] = nil
        contacts["Ng mine"] = "Acme \(children[0])"
        try await kit.store.delete(entry("c\(children[1])", kit, in: "contacts"), in: "contacts")
        contacts["Ng \(children[1])"] = nil
        try await addContact(
            "New child", parentId: .string(id("a\(children[2])")), account: "Acme \(children[2])", in: kit)
    }

    private mutating func addContact(
        _ name: String, parentId: JSONValue, account: String, in kit: SoupClient
    ) async throws {
        _ = try await kit.store.create(
            ["LastName": .string(name), "AccountId": parentId], type: "Contact", in: "contacts")
        contacts[name] = account
    }

    /// Edits a record after a kill, when the record may already be on the server.
    ///
    /// Edits only records for which no merge mode reports a conflict.
    ///
    /// - Returns: the name of the record.
    mutating func editAfterKill() async throws -> String {
        let names = created + (scenario.mode.detectsConflicts ? [] : edited)
        guard let name = names.randomElement(using: &random) else { return "nothing" }
        let text = JSONValue.string("after \(random.next() % 1000)")
        let kit = try await open()
        let entry = try await kit.store.query(.all("accounts", pageSize: 500)).entries.first {
            $0["Name"] == .string(name)
        }
        try await kit.store.edit(try #require(entry).id, setting: ["Description": text], in: "accounts")
        try await kit.close()
        accounts[name]?.description = text
        return name
    }

    /// Removes an account and its contact from the expected records.
    private mutating func removeExpected(_ number: Int) {
        accounts["Acme \(number)"] = nil
        contacts["Ng \(number)"] = nil
    }

    private func id(_ key: String) -> String { org.id(of: key) ?? "no \(key)" }

    private func entry(_ key: String, _ kit: SoupClient, in soup: SoupName = "accounts") async throws -> Int64 {
        try #require(try await kit.store.lookup(.string(id(key)), at: "Id", in: soup))
    }

    // MARK: - State

    /// The expected records of both sides: each record once, with the changes of both.
    var expected: [String] {
        var lines = accounts.map {
            AccountsState.line(.string($0), $1.description, code: .string($1.code))
        }
        if scenario.isTree { lines += contacts.map { AccountsState.line(.string($0), .string($1)) } }
        return lines.sorted()
    }

    func orgLines() throws -> [String] { try state.orgLines() }

    func storeLines(_ kit: SoupClient) async throws -> [String] { try await state.storeLines(kit) }

    func resolveUnknown(_ kit: SoupClient) async throws -> Int { try await state.resolveUnknown(kit) }
}

#endif
