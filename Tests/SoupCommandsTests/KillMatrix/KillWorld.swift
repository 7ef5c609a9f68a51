// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupLocalOrg
import SoupKit
import SoupTesting
import SoupTestApp
import Testing

/// A store with local changes, an org with changes of somebody else, and what both are to hold in the end.
struct KillWorld {
    let scenario: SyncScenario
    let served: ServedOrg
    let clock: PausingClock
    let folder: WorkFolder
    /// What the changes and the kills depend on.
    let seed: UInt64
    var random: SeededRandom
    /// The accounts of the end, by name; and the contacts, with their accounts.
    private(set) var accounts: [String: Account] = [:]
    private(set) var contacts: [String: String] = [:]
    /// Accounts that were made here, and those that were edited here.
    private var made: [String] = []
    private var edited: [String] = []
    /// The numbers of those that were edited on both sides.
    private var merged: [Int] = []

    var org: LocalOrg { served.org }

    static let count = 24
    /// How many entries there are beside those that are synced.
    static let notes = 600

    struct Account {
        var code: String
        var description: JSONValue = .null
    }

    private var state: AccountsState { AccountsState(org, scenario) }

    static func seed() throws -> Seed { try AccountsState.seed(count) }

    /// Brings everything down, and makes changes on both sides that do not contradict each other.
    init(_ scenario: SyncScenario, _ served: ServedOrg, _ clock: PausingClock, seed: UInt64) async throws {
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
        clock.advance(by: 10_000)
        let first = try await kit.syncs.reSync(named: "down").result()
        try #require(first.state.status == .done, "\(first.state.error)")
        var numbers = Array(1...Self.count).shuffled(using: &random)
        func some(_ range: ClosedRange<Int>) -> [Int] {
            let picked = Array(numbers.prefix(Int.random(in: range, using: &random)))
            numbers.removeFirst(picked.count)
            return picked
        }
        clock.advance(by: 10_000)
        try changeOrg(editing: some(2...4), deleting: some(1...2), both: scenario.mode == .merge ? some(1...2) : [])
        clock.advance(by: 10_000)
        try await changeStore(kit, editing: some(3...5), deleting: some(1...3), family: some(3...3))
        let notes = try (1...Self.notes).map {
            try JSONText(#"{"key": "\#($0)", "text": "word\#($0 % 10) and so on"}"#)
        }
        _ = try await kit.store.upsert(notes, into: "notes")
        try await kit.close()
        clock.advance(by: 10_000)
    }

    /// Puts the files of the app's next version in place; the store waits for `soup migrate`.
    func takeTheNextVersion() throws {
        for (name, text) in scenario.files(isMigrated: true) { try folder.write(text, to: name) }
    }

    /// The store and the syncs, in this process.
    func open() async throws -> SoupClient {
        try await SoupClient.open(configuration: folder.path, transport: org.authorizedTransport, environment: [:])
    }

    // MARK: - What people do

    /// What somebody else does in the org.
    ///
    /// - Parameter both: accounts whose other field is edited here.
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
            forget(number)
        }
        for number in 1...2 {
            _ = try org.insert("Account", ["Name": .string("New there \(number)"), "Code__c": .string("T\(number)")])
            accounts["New there \(number)"] = Account(code: "T\(number)")
        }
    }

    /// What the app does without a network.
    private mutating func changeStore(
        _ kit: SoupClient, editing: [Int], deleting: [Int], family: [Int]
    ) async throws {
        for number in merged + editing {
            try await kit.store.edit(
                entry("a\(number)", kit), setting: ["Description": .string("mine \(number)")], in: "accounts")
        }
        for number in editing { accounts["Acme \(number)"]?.description = .string("mine \(number)") }
        edited = editing.map { "Acme \($0)" }
        for number in deleting {
            try await kit.store.deleteLocally(entry("a\(number)", kit), in: "accounts")
            forget(number)
        }
        for number in 1...Int.random(in: 3...6, using: &random) {
            let name = "New here \(number)"
            let account = try await kit.store.create(
                ["Name": .string(name), "Code__c": .string("H\(number)")], type: "Account", in: "accounts")
            accounts[name] = Account(code: "H\(number)")
            made.append(name)
            guard scenario.isTree, let parent = account["Id"] else { continue }
            try await addChild(kit, "Child of \(name)", parent, name)
        }
        // Nobody ever made these known to the server.
        let gone = try await kit.store.create(["Name": "Made and deleted"], type: "Account", in: "accounts")
        try await kit.store.deleteLocally(gone.id, in: "accounts")
        guard scenario.isTree else { return }
        try await kit.store.edit(
            entry("c\(family[0])", kit, in: "contacts"), setting: ["LastName": .string("Ng mine")], in: "contacts")
        contacts["Ng \(family[0])"] = nil
        contacts["Ng mine"] = "Acme \(family[0])"
        try await kit.store.deleteLocally(entry("c\(family[1])", kit, in: "contacts"), in: "contacts")
        contacts["Ng \(family[1])"] = nil
        try await addChild(kit, "New child", .string(id("a\(family[2])")), "Acme \(family[2])")
    }

    private mutating func addChild(_ kit: SoupClient, _ name: String, _ parent: JSONValue, _ account: String)
        async throws
    {
        _ = try await kit.store.create(
            ["LastName": .string(name), "AccountId": parent], type: "Contact", in: "contacts")
        contacts[name] = account
    }

    /// The app goes on after it was killed: it edits what may be on the server by now.
    ///
    /// Only what no merge mode takes for a contradiction.
    mutating func editOn() async throws -> String {
        let names = made + (scenario.mode == .overwrite ? edited : [])
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

    private mutating func forget(_ number: Int) {
        accounts["Acme \(number)"] = nil
        contacts["Ng \(number)"] = nil
    }

    private func id(_ key: String) -> String { org.id(of: key) ?? "no \(key)" }

    private func entry(_ key: String, _ kit: SoupClient, in soup: SoupName = "accounts") async throws -> Int64 {
        try #require(try await kit.store.lookup(.string(id(key)), at: "Id", in: soup))
    }

    // MARK: - State

    /// What both sides are to hold in the end: each record once, with the changes of both.
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
