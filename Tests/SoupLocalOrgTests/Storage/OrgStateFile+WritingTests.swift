// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import HTTPTypes
import SoupCore
import Synchronization
import Testing

@testable import SoupLocalOrg

/// When a state file is written, and its contents.
@Suite final class OrgStateFileWritingTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "soup-writes-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String = "org.db") -> String { folder.appending(path: name).path }

    private func open(_ name: String = "org.db") throws -> OrgClient {
        var options = OrgOptions()
        options.stateFile = URL(filePath: path(name))
        options.admin = true
        return try OrgClient(options: options)
    }

    /// Returns the files that a process would leave if it were killed now.
    private func killed(_ name: String) throws -> String {
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path() + suffix) {
            try FileManager.default.copyItem(atPath: path() + suffix, toPath: path(name) + suffix)
        }
        return name
    }

    private func inDatabase<T: Sendable>(
        _ client: OrgClient, _ body: @Sendable (Database) throws -> T
    ) throws -> T {
        try client.org.core.withLock { core in try core.queue.inDatabase { try body($0) } }
    }

    private func rowsWritten(_ client: OrgClient) throws -> Int { try inDatabase(client) { $0.totalChangesCount } }

    private func tokens(_ client: OrgClient) throws -> JSONValue {
        let text = try inDatabase(client) {
            try String.fetchOne($0, sql: "SELECT value FROM _org WHERE name = 'tokens'")
        }
        return try JSONValue(parsing: try #require(text))
    }

    private func logIn(_ client: OrgClient) async throws -> String {
        let form = "grant_type=password&client_id=emu-client&username=demo@example.org&password=demo"
        let answer = try await client.org.transport.send(
            HTTPRequest(
                method: .post, scheme: nil, authority: nil, path: "/services/oauth2/token",
                headerFields: [.contentType: "application/x-www-form-urlencoded"]), body: Array(form.utf8))
        return try JSONValue(parsing: answer.body).access_token?.stringValue ?? ""
    }

    private func status(_ client: OrgClient, token: String) async throws -> Int {
        try await client.send(.get, "limits", headers: [.authorization: "Bearer \(token)"]).status
    }

    @Test func `Reading writes nothing`() async throws {
        let client = try open()
        let before = try rowsWritten(client)
        for _ in 0..<3 { #expect(try await client.values("select Name from Account").count == 3) }
        #expect(try rowsWritten(client) == before)
        // A token with a limited number of calls is written after each of them.
        _ = try await client.send(
            .post, "/_emu/faults",
            body: ["match": ["path": "/limits"], "when": ["count": 1], "do": ["kind": "expireToken", "afterCalls": 3]])
        #expect(try await client.send(.get, "limits").status == 200)
        let limited = try rowsWritten(client)
        #expect(try await client.send(.get, "sobjects").status == 200)
        #expect(try rowsWritten(client) == limited + 1)
        let second = try open(try killed("limited"))
        #expect(try await second.send(.get, "sobjects").status == 200)
        #expect(try await second.send(.get, "sobjects").status == 401)
    }

    @Test func `The next login removes expired tokens`() async throws {
        let client = try open()
        client.org.setOptions { $0.tokenLifetime = .milliseconds(60_000) }
        let old = try await logIn(client)
        #expect(try await status(client, token: old) == 200)
        client.org.advanceClock(by: .milliseconds(60_000))
        #expect(try await status(client, token: old) == 401)
        let fresh = try await logIn(client)
        #expect(
            try Set(tokens(client).access?.objectValue?.keys ?? []) == [fresh, client.org.accessToken])
    }

    @Test func `Administrator changes survive a kill`() async throws {
        let client = try open()
        let first = try client.org.insert("Account", ["Name": "First"])
        let second = try open(try killed("inserted"))
        let next = try second.org.insert("Account", ["Name": "Second"])
        #expect(next > first)
        #expect(try second.org.state(of: "Account").suffix(2).map { $0.Name } == ["First", "Second"])
        _ = try await client.json(.post, "sobjects/Account", body: ["Name": "Third"])
        let third = try open(try killed("posted"))
        let answer = try await third.json(.post, "sobjects/Account", body: ["Name": "Fourth"])
        #expect(answer.success == true)
        #expect(try third.org.state(of: "Account").suffix(3).map { $0.Name } == ["First", "Third", "Fourth"])
        let token = try await logIn(client)
        #expect(try await status(try open(try killed("login")), token: token) == 200)
    }

    @Test func `A restored snapshot keeps the current tokens`() async throws {
        let objects = [("Account", ["Name"]), ("Contact", ["LastName"])]
        let client = try open()
        let ended = client.org.accessToken
        try client.org.insert("Account", ["Name": "Before"])
        let before = try client.state(objects)
        let key = client.org.id(of: "acc1")
        try client.org.takeSnapshot()
        client.org.expireTokens()
        let token = try await logIn(client)
        try client.org.reset(to: .large(2))
        client.org.advanceClock(by: .milliseconds(5000))
        try client.org.restoreSnapshot()
        for name in ["restored", "again"] {
            #expect(try client.state(objects) == before)
            let other = try open(try killed(name))
            #expect(try other.state(objects) == before)
            #expect(other.org.id(of: "acc1") == key && other.org.now.millisecondsSince1970 == 1_705_320_300_000)
            #expect(try await status(other, token: token) == 200)
            #expect(try await status(other, token: ended) == 401)
            #expect(try other.org.insert("Account", ["Name": "After"]) == "001000000000006AAA")
            // The same by request, and a second time.
            try client.org.delete("Account", id: key ?? "")
            let restore = try await client.org.transport.send(
                HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/_emu/restore"), body: nil)
            #expect(restore.status == 200)
        }
    }

    @Test func `New options keep the state file`() throws {
        let client = try open()
        client.org.setOptions { $0 = OrgOptions() }
        let id = try client.org.insert("Account", ["Name": "Kept"])
        #expect(try open(try killed("options")).org.insert("Account", ["Name": "Next"]) > id)
    }

    @Test func `Statistics are updated only for new indexes`() throws {
        let counted = "SELECT count(*) FROM sqlite_stat1"
        let count: (_ change: String) throws -> Int = { change in
            try self.inDatabase(self.open()) { db in
                let count = try Int.fetchOne(db, sql: counted)
                try db.execute(sql: change)
                return count ?? 0
            }
        }
        #expect(try count("DELETE FROM sqlite_stat1") > 10)
        #expect(try count("DROP INDEX \"Account.LastModifiedDate\"") == 0)
        #expect(try count("SELECT 1") > 10)
    }

    @Test func `A file without current indexes gets them`() throws {
        let names = "SELECT name FROM sqlite_master WHERE type IN ('index', 'table') AND sql IS NOT NULL ORDER BY 1"
        var today: [String] = []
        do {
            today = try inDatabase(open()) { db in
                let today = try String.fetchAll(db, sql: names)
                for name in today where name.contains(".") { try db.execute(sql: "DROP INDEX \"\(name)\"") }
                // The format of files of earlier versions.
                try db.execute(
                    sql: """
                        CREATE UNIQUE INDEX Account_Id ON Account (Id);
                        CREATE INDEX Account_LastModifiedDate ON Account (LastModifiedDate);
                        DROP TABLE _gone;
                        """)
                return today
            }
        }
        let client = try open()
        #expect(try inDatabase(client) { try String.fetchAll($0, sql: names) } == today)
        try client.org.purge(id: client.org.id(of: "acc1") ?? "")
        #expect(try client.state([("Account", ["Name"])]).hasPrefix("Account Globex\n"))
    }
}
