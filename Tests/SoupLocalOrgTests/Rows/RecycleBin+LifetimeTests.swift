// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import HTTPTypes
import SoupCore
import Synchronization
import Testing

@testable import SoupLocalOrg

/// The time and the ways in which deleted records can be found.
@Suite struct RecycleBinLifetimeTests {
    private let client: OrgClient
    private let day: Int64 = 86_400_000
    private let objects = [("Account", ["Name"]), ("Contact", ["LastName"]), ("Visit__c", ["External_Id__c"])]

    init() throws {
        var options = OrgOptions()
        options.admin = true
        client = try OrgClient(options: options)
    }

    private func id(_ key: String) -> String { client.org.id(of: key) ?? "" }

    /// Returns the IDs that were deleted in the last days, and the earliest available date.
    private func deleted(_ object: String = "Account", days: Int64 = 14) async throws -> (ids: [String], since: String)
    {
        let now = client.org.now.millisecondsSince1970
        let answer = try await client.json(
            .get,
            "sobjects/\(object)/deleted?start=\(URLText.query(DateText.format(now - days * day)))"
                + "&end=\(URLText.query(DateText.format(now + 120_000)))")
        let ids = answer.deletedRecords?.arrayValue?.compactMap { $0.id?.stringValue }
        return (ids ?? [client.code(answer) ?? ""], answer.earliestDateAvailable?.stringValue ?? "")
    }

    /// A failed call is rolled back, so the next call has to do its work.
    @Test func `A call that fails does not keep expired records`() throws {
        try client.org.delete("Contact", id: id("con1"))
        #expect(try client.state(objects).contains("[Account Deleted]"))
        client.org.advanceClock(by: .milliseconds(16 * day))
        #expect(throws: SoupError.self) { try client.org.edit("Account", id: "nope", ["Name": "x"]) }
        #expect(throws: ConfigurationError.self) { try client.org.changeSchema(["User": nil]) }
        #expect(try !client.state(objects).contains("["))
    }

    @Test func `Deleted records leave the bin after fifteen days`() async throws {
        client.org.advanceClock(by: .milliseconds(day))
        try client.org.delete("Account", id: id("acc1"))
        let report = try client.org.insert("Visit__c", ["External_Id__c": "V/2", "Account__c": .string(id("acc3"))])
        let all = try client.state(objects)
        #expect(all.hasPrefix("[Account Acme]\nAccount Globex"))
        // The seed's deleted account was deleted a day and five minutes before.
        client.org.advanceClock(by: .milliseconds(14 * day - 300_001))
        #expect(try client.state(objects) == all)
        client.org.advanceClock(by: .milliseconds(1))
        let withoutTheFirst = all.split(separator: "\n").filter { $0 != "[Account Deleted]" }
        #expect(try client.state(objects) == withoutTheFirst.joined(separator: "\n"))
        #expect(try await deleted() == ([id("acc1")], "2024-01-15T12:00:00.000+0000"))
        client.org.advanceClock(by: .milliseconds(day + 299_000))
        #expect(try await client.values("select Name from Account", all: true) == ["Acme", "Globex", "O'Neil 100%_x"])
        client.org.advanceClock(by: .milliseconds(1000))
        #expect(try await client.values("select Name from Account", all: true) == ["Globex", "O'Neil 100%_x"])
        let read = try await client.json(.get, "sobjects/Account/\(id("acc1"))")
        #expect(client.code(read) == "NOT_FOUND")
        #expect(throws: SoupError.self) { try client.org.undelete(id: id("acc1")) }
        #expect(
            try client.state(objects)
                == "Account Globex\nAccount O'Neil 100%_x\nContact Orphan\nVisit__c V/1\nVisit__c V/2")
        // The visit has lost its account, and the org does not store which one it was.
        let remembered = try client.org.core.withLock { core in
            try core.queue.inDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM _cleared") }
        }
        #expect(remembered == 0)
        // IDs are not assigned again.
        #expect(try client.org.insert("Account", ["Name": "New"]) == "001000000000005AAA")
        let kept = try await client.values("select Account__c from Visit__c where Id = '\(report)'")
        #expect(kept == [.string(id("acc3"))])
    }

    @Test func `Purged records are still listed as deleted`() async throws {
        client.org.advanceClock(by: .milliseconds(60_000))
        try client.org.delete("Account", id: id("acc1"))
        client.org.advanceClock(by: .milliseconds(60_000))
        try client.org.purge(id: id("acc3"))
        _ = try await client.send(.post, "/_emu/purge", body: ["ids": [.string(id("acc1"))]])
        #expect(try await client.values("select Name from Account", all: true) == ["Globex", "Deleted"])
        let accounts = try await client.json(
            .get, "sobjects/Account/deleted?start=2024-01-15T12:00:00Z&end=2024-01-15T12:10:00Z")
        #expect(
            accounts.deletedRecords == [
                ["id": .string(id("acc1")), "deletedDate": "2024-01-15T12:06:00.000+0000"],
                ["id": .string(id("acc3")), "deletedDate": "2024-01-15T12:07:00.000+0000"],
                ["id": .string(id("delAcc")), "deletedDate": "2024-01-15T12:00:00.000+0000"],
            ])
        #expect(try await deleted("Contact").ids == [id("con1"), id("con2")])
        // Only while the deleted record exists.
        client.org.advanceClock(by: .milliseconds(15 * day - 60_000))
        #expect(try await deleted(days: 15).ids == [id("acc1"), id("acc3")])
        client.org.advanceClock(by: .milliseconds(60_000))
        #expect(try await deleted(days: 15).ids == [id("acc3")])
    }

    @Test func `An emptied bin forgets deletions`() async throws {
        try client.org.delete("Account", id: id("acc1"))
        client.org.advanceClock(by: .milliseconds(30_000))
        _ = try await client.send(.post, "/_emu/purge", body: ["all": true])
        #expect(
            try client.state(objects) == "Account Globex\nAccount O'Neil 100%_x\nContact Orphan\nVisit__c V/1")
        #expect(try await deleted().ids == ["INVALID_REPLICATION_DATE"])
        client.org.advanceClock(by: .milliseconds(90_000))
        try client.org.delete("Account", id: id("acc3"))
        let answer = try await client.json(
            .get, "sobjects/Account/deleted?start=2024-01-15T12:06:00Z&end=2024-01-15T12:10:00Z")
        #expect(answer.earliestDateAvailable == "2024-01-15T12:06:00.000+0000")
        #expect(answer.deletedRecords?.arrayValue?.map { $0.id } == [.string(id("acc3"))])
        client.org.advanceClock(by: .milliseconds(16 * day))
        #expect(try await deleted(days: 15).ids == [])
        try client.org.emptyRecycleBin()
        #expect(try await deleted().ids == ["INVALID_REPLICATION_DATE"])
    }

    @Test func `An old seed's deleted row is in the recycle bin`() async throws {
        let seed = try OrgSeed(json: Array(#"{"seed": [{"object": "Account", "deleted": true}]}"#.utf8))
        let other = try OrgClient(seed, clock: FixedClock(now: 1_800_000_000_000))
        let stamps = try await other.values("select SystemModstamp from Account", all: true)
        #expect(stamps == ["2027-01-15T08:00:00.000+0000"])
        other.org.advanceClock(by: .milliseconds(15 * day))
        #expect(try other.org.state(of: "Account") == [])
    }

    @Test func `A restored reference does not move a deletion's time`() async throws {
        try client.org.delete("Account", id: id("acc1"))
        client.org.advanceClock(by: .milliseconds(60_000))
        try client.org.delete("Visit__c", id: id("vis1"))
        client.org.advanceClock(by: .milliseconds(60_000))
        try client.org.undelete(id: id("acc1"))
        let visit = try #require(client.org.state(of: "Visit__c").first)
        #expect(visit.Account__c == .string(id("acc1")) && visit.SystemModstamp == "2024-01-15T12:06:00.000+0000")
    }

    @Test func `Deleted records are found by an index`() throws {
        let plans = try client.org.core.withLock { core in
            let object = try #require(core.schema["Account"])
            let statements = [
                RecycleBinSQL.deletedWith(object), RecycleBinSQL.note(object), RecycleBinSQL.remove(object),
                RecycleBinSQL.noteExpired(object), RecycleBinSQL.removeExpired(object), RecycleBinSQL.oldest(object),
                RecycleBinSQL.forgetExpiredReferences(object), RecycleBinSQL.clearedReferences,
                RecycleBinSQL.forgetCleared,
                RecycleBinSQL.log(object),
            ]
            return try core.queue.inDatabase { db in
                try statements.map { sql in
                    try Row.fetchAll(
                        db, sql: "EXPLAIN QUERY PLAN " + sql,
                        arguments: StatementArguments(["?1", "?2", "?3"].filter { sql.contains($0) })
                    )
                    .map { row -> String in row["detail"] }
                }
            }
        }
        let scans = plans.joined().filter { $0.hasPrefix("SCAN") && !$0.contains("INDEX Account._bin") }
        #expect(scans == [])
        #expect(plans.allSatisfy { plan in plan.contains { $0.contains("USING") && $0.contains("INDEX") } })
        #expect(plans[0].contains { $0.contains("INDEX Account._deletedWith") })
        #expect(plans[7].contains { $0.contains("INDEX _cleared.deletedWith") })
    }
}
