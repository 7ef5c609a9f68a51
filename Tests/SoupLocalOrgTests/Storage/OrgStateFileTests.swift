// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import HTTPTypes
import SoupCore
import Synchronization
import Testing

@testable import SoupLocalOrg

/// Orgs that are stored in a file.
@Suite final class OrgStateFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "soup-state-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String = "org.db") -> String { folder.appending(path: name).path }

    private func open(
        _ seed: OrgSeed = .tiny, _ name: String = "org.db", clock: any SoupClock = SystemClock()
    ) throws -> OrgClient {
        var options = OrgOptions()
        options.stateFile = URL(filePath: path(name))
        options.admin = true
        return try OrgClient(seed, clock: clock, options: options)
    }

    private func state(_ client: OrgClient) throws -> [[JSONValue]] {
        try ["Account", "Contact", "Visit__c", "Visit_Item__c", "User", "RecordType"].map {
            try client.org.state(of: $0)
        }
    }

    /// A file without an org is not marked as an org's file.
    @Test func `An interrupted filling leaves a file without an org`() async throws {
        var options = OrgOptions()
        options.stateFile = URL(filePath: path())
        let cut = Task { [options] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try LocalOrg(seed: .large(10), options: options).isFromSeed
        }
        await #expect(throws: CancellationError.self) { try await cut.value }
        let client = try open(.tiny)
        #expect(client.org.isFromSeed)
        #expect(try state(client) == state(OrgClient(.tiny)))
    }

    /// The file contains tokens, and records that may be copies of real ones.
    @Test func `Only the owner can read the file`() throws {
        let client = try open()
        #expect(client.org.isFromSeed)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let modes = try files.map {
            try FileManager.default.attributesOfItem(atPath: path($0))[.posixPermissions] as? Int
        }
        #expect(files.contains("org.db") && modes.allSatisfy { $0 == 0o600 }, "\(files) \(modes)")
    }

    @Test func `A restart keeps everything`() async throws {
        var before: [[JSONValue]] = []
        var token = ""
        var refresh = ""
        var visit = ""
        do {
            let client = try open()
            #expect(client.org.isFromSeed)
            token = client.org.accessToken
            refresh = client.org.refreshToken
            visit = try client.org.insert("Visit__c", ["External_Id__c": "N"], as: "me")
            _ = try await client.json(.post, "sobjects/Account", body: ["Name": "Kept"])
            try client.org.delete("Account", id: client.org.id(of: "acc1") ?? "")
            // The ID of a purged record is not assigned again.
            let gone = try client.org.insert("Lead", ["LastName": "x", "Company": "y"])
            _ = try await client.send(.post, "/_emu/purge", body: ["ids": [.string(gone)]])
            client.org.advanceClock(by: .milliseconds(60_000))
            before = try state(client)
        }
        let client = try open(.medium)
        #expect(!client.org.isFromSeed)
        #expect(try state(client) == before)
        #expect(client.org.now.millisecondsSince1970 == 1_705_320_360_000)
        #expect(client.org.accessToken == token && client.org.refreshToken == refresh)
        #expect(try await client.send(.get, "limits").status == 200)
        #expect(try await client.values("select Name from Account where Name = 'Kept'") == ["Kept"])
        let next = try client.org.insert("Visit__c", [:])
        #expect(next > visit)
        #expect(try client.org.state(of: "Visit__c").last?.Name == "V-00003")
        #expect(try client.org.insert("Lead", ["LastName": "x", "Company": "y"]) == "00Q000000000004EAA")
        try client.org.undelete(id: client.org.id(of: "acc1") ?? "")
        #expect(try await client.query("select count() from Contact where Account.Name = 'Acme'").totalSize == 2)
    }

    @Test func `A running clock continues`() throws {
        let clock = FixedClock(now: 1_800_000_000_000)
        do { try open(.large(3), clock: clock).org.advanceClock(by: .milliseconds(5000)) }
        #expect(
            try open(clock: FixedClock(now: 1_800_000_100_000)).org.now.millisecondsSince1970 == 1_800_000_105_000)
    }

    @Test func `Ended tokens stay ended and a new one exists`() async throws {
        var old = ""
        do {
            let client = try open()
            old = client.org.accessToken
            client.org.expireTokens()
        }
        let client = try open()
        #expect(client.org.accessToken != old)
        #expect(try await client.send(.get, "limits").status == 200)
        let stale = HTTPFields([HTTPField(name: .authorization, value: "Bearer \(old)")])
        #expect(try await client.send(.get, "limits", headers: stale).status == 401)
    }

    @Test func `A reset is saved too`() throws {
        do { try open().org.reset(to: .large(5)) }
        let client = try open()
        #expect(try client.org.state(of: "Account").count == 5)
        #expect(client.org.id(of: "acc1") == nil && client.org.id(of: "me") != nil)
        #expect(throws: SoupError.self) { try client.org.reset(to: .large(-1)) }
        #expect(try client.org.state(of: "Account").count == 5)
    }

    @Test func `Custom objects are saved`() throws {
        let seed = try OrgSeed(
            json: Array(
                #"{"objects": {"A__c": {"fields": {"N__c": {"type": "int"}}}}, "seed": [{"object": "A__c"}]}"#.utf8))
        do { _ = try open(seed) }
        let client = try open()
        try client.org.edit("A__c", id: try #require(client.org.state(of: "A__c").first?.Id?.stringValue), ["N__c": 7])
        #expect(try client.org.state(of: "A__c").map { $0.N__c } == [7])
        #expect(throws: SoupError.self) { try client.org.state(of: "Visit__c") }
    }

    @Test func `Objects and fields keep their order and their prefixes`() throws {
        let seed = try OrgSeed(
            json: Array(
                #"""
                {"objects": {"Z__c": {"fields": {"Y__c": {"type": "int"}, "B__c": {"type": "int"}}}, "A__c": {}},
                  "seed": [{"object": "Z__c"}, {"object": "A__c"}]}
                """#.utf8))
        var before: [JSONValue] = []
        do {
            let client = try open(seed)
            before = try client.org.state(of: "Z__c") + client.org.state(of: "A__c")
            #expect(before.map { $0.Id } == ["a00000000000001AAA", "a01000000000001AAA"])
        }
        let client = try open()
        let after = try client.org.state(of: "Z__c") + client.org.state(of: "A__c")
        #expect(after == before && after[0].objectValue?.keys == before[0].objectValue?.keys)
        #expect(try client.org.insert("A__c", [:]) == "a01000000000002AAA")
    }

    @Test func `Additions of a newer version are added`() throws {
        do {
            let client = try open()
            try client.org.core.withLock { core in
                try core.queue.inDatabase { db in
                    try db.execute(sql: "DROP TABLE Note; DROP INDEX \"Account.LastModifiedDate\"")
                    try db.execute(
                        sql: "ALTER TABLE Account DROP COLUMN Rating; ALTER TABLE Contact DROP COLUMN DoNotCall")
                }
            }
        }
        let client = try open()
        #expect(try client.org.state(of: "Note").isEmpty)
        #expect(try client.org.state(of: "Account").allSatisfy { $0.Rating == .null })
        #expect(try client.org.state(of: "Contact").allSatisfy { $0.DoNotCall == false })
        try client.org.edit("Account", id: client.org.id(of: "acc1") ?? "", ["Rating": "Cold"])
    }

    private func refusal(_ name: String) -> SoupError? {
        do { _ = try open(.tiny, name) } catch { return error as? SoupError }
        return nil
    }

    @Test func `A file of another program is not changed`() throws {
        let text = Data("not a database, but long enough to be taken for one; ".utf8)
        let long = Data((0..<40).flatMap { _ in text })
        try long.write(to: folder.appending(path: "text"))
        #expect(refusal("text")?.code == .storeUnusable)
        #expect(refusal("text")?.message == "\(path("text")) is not the state of a local org")
        #expect(try Data(contentsOf: folder.appending(path: "text")) == long)
        do {
            let queue = try OrgDatabase.open(file: path("other"), memory: 1024)
            try queue.inDatabase { try $0.execute(sql: "CREATE TABLE a (b)") }
        }
        let other = try Data(contentsOf: folder.appending(path: "other"))
        #expect(refusal("other")?.message == "\(path("other")) is not the state of a local org")
        #expect(try Data(contentsOf: folder.appending(path: "other")) == other)
        #expect(
            refusal("none/org.db")?.message.hasPrefix("the state file \(path("none/org.db")) cannot be opened") == true)
        #expect(refusal("")?.code == .storeUnusable)
        try Data().write(to: folder.appending(path: "empty"))
        #expect(try open(.tiny, "empty").org.isFromSeed)
    }

    @Test func `A newer format is reported with both numbers`() throws {
        do {
            let client = try open()
            try client.org.core.withLock { core in
                try core.queue.inDatabase { try $0.execute(sql: "PRAGMA user_version = 7") }
            }
        }
        #expect(
            refusal("org.db")?.message
                == "the state file \(path()) has the format 7, and this version reads 1")
        do {
            let queue = try OrgDatabase.open(file: path(), memory: 1024)
            try queue.inDatabase {
                try $0.execute(sql: "PRAGMA user_version = 1; DELETE FROM _org WHERE name = 'tokens'")
            }
        }
        #expect(refusal("org.db")?.message.hasPrefix("the state file \(path()) is damaged") == true)
    }

    @Test func `One org at a time uses a file`() throws {
        let client = try open()
        #expect(refusal("org.db")?.message == "the state file \(path()) is in use")
        #expect(try client.org.state(of: "Account").count == 4)
    }

    @Test func `A file with an interrupted filling is filled again`() throws {
        do {
            let queue = try OrgDatabase.open(file: path(), memory: 1024)
            // The state after a process was killed: a transaction that has not ended.
            try queue.inDatabase { db in
                try db.inTransaction {
                    try OrgDatabase.createTables(SeedDocuments.tiny.get().schema, in: db)
                    return .rollback
                }
            }
        }
        #expect(try open().org.isFromSeed)
    }
}
