// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupKit
import SoupLocalOrg
import SoupTesting
import Synchronization
import Testing

/// Creations without an external ID whose responses are lost, and that are looked up by a random key.
@Suite struct ClientKeyTests {
    static let targets = ["", #", "type": "batch""#, #", "type": "single""#]

    /// A transport that loses the response to the first creation.
    private struct LostAnswer: HTTPTransport {
        let base: any HTTPTransport
        private let losses = Losses()

        private final class Losses: Sendable { let count = Mutex(0) }

        init(base: any HTTPTransport) { self.base = base }

        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            let answer = try await base.send(request, body: body)
            guard request.method == .post else { return answer }
            let number = losses.count.withLock { count in
                count += 1
                return count
            }
            if number == 1 { throw SoupError(.network, "the connection was lost") }
            return answer
        }
    }

    private func world(_ target: String = "") async throws -> TeamWorld {
        try await TeamWorld(target: #"{"clientKeyFieldName": "Key__c"\#(target)}"#, fields: ["Title__c"])
    }

    private func keys(_ world: TeamWorld) throws -> [String?] {
        try world.org.state(of: "Person__c").map { $0["Key__c"]?.stringValue }
    }

    @Test(arguments: targets) func `Every creation has a key of its own`(_ target: String) async throws {
        let world = try await world(target)
        for name in ["ann", "bob"] { try await world.create(name) }
        try await world.create("cid", ["Key__c": "mine"])
        #expect(try await world.run("peopleUp").created == 3)
        let keys = try keys(world)
        #expect(Set(keys).count == 3 && keys.contains("mine"))
        #expect(keys.compactMap(\.?.count).sorted() == [4, 32, 32])
        #expect(
            try await world.entries("people").map { $0["Key__c"]?.stringValue }.sorted { ($0 ?? "") < ($1 ?? "") }
                == keys.sorted { ($0 ?? "") < ($1 ?? "") })
        try await world.expectEqualSides(["ann", "bob", "cid"])
    }

    @Test(arguments: targets) func `A created record is found by its key`(_ target: String) async throws {
        let world = try await world(target)
        for name in ["ann", "bob"] { try await world.create(name) }
        world.org.add(OrgFault(.drop(.afterCommit), method: "POST", count: 1))
        // With a request for each record, the run fails.
        #expect(try await world.kit.syncs.reSync(named: "peopleUp").result.unknown > 0)
        // An edit in between is sent as an update.
        try await world.edit("ann", ["Title__c": "anna"])
        let result = try await world.run("peopleUp")
        #expect([result.failed, result.unknown] == [0, 0])
        #expect(try keys(world).count == 2)
        try await world.expectEqualSides(["anna", "bob"])
    }

    /// Another user sets a field that the created record lacks; updates send it, creations do or do not.
    @Test(arguments: targets, ["createFieldlist", "updateFieldlist"])
    func `A value that was not sent is not overwritten`(_ target: String, list: String) async throws {
        let lists = #""createFieldlist": ["Title__c"], "updateFieldlist": ["Title__c", "Note__c"]"#
        for isEdited in [false, true] {
            let world = try await TeamWorld(
                peopleTarget:
                    #"{"clientKeyFieldName": "Key__c"\#(target)\#(list == "createFieldlist" ? "" : ", " + lists)}"#,
                mode: .leaveIfChanged, fields: ["Title__c", "Note__c"])
            try await world.create("ann")
            world.org.add(OrgFault(.drop(.afterCommit), method: "POST", count: 1))
            #expect(try await world.kit.syncs.reSync(named: "peopleUp").result.unknown == 1)
            world.clock.advance(by: .seconds(60))
            let id = try #require(try world.org.state(of: "Person__c").first?["Id"]?.stringValue)
            try world.org.edit("Person__c", id: id, ["Note__c": "theirs"])
            world.clock.advance(by: .seconds(60))
            if isEdited { try await world.edit("ann", ["Note__c": "mine"]) }
            let result = try await world.run("peopleUp")
            #expect(result.unknown == 0 && result.updated == 0)
            #expect(try world.org.state(of: "Person__c").first?["Note__c"] == "theirs")
            #expect(try await world.kit.syncs.conflicts().count == (isEdited ? 1 : 0))
            if !isEdited { #expect(try await world.entries("people").first?["Note__c"] == "theirs") }
        }
    }

    /// The user has deleted the entry without having seen the value.
    @Test(arguments: [nil, "theirs"]) func `A deletion does not remove a later value`(note: String?) async throws {
        let world = try await TeamWorld(
            peopleTarget: #"{"clientKeyFieldName": "Key__c"}"#, mode: .leaveIfChanged, fields: ["Title__c", "Note__c"])
        try await world.create("ann")
        world.org.add(OrgFault(.drop(.afterCommit), method: "POST", count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        world.clock.advance(by: .seconds(60))
        let id = try #require(try world.org.state(of: "Person__c").first?["Id"]?.stringValue)
        if let note { try world.org.edit("Person__c", id: id, ["Note__c": .string(note)]) }
        world.clock.advance(by: .seconds(60))
        try await world.kit.store.delete(1, in: "people")
        try await world.run("peopleUp")
        #expect(try world.org.state(of: "Person__c").map { $0["IsDeleted"] } == [.bool(note == nil)])
        #expect(try await world.kit.syncs.conflicts().count == (note == nil ? 0 : 1))
    }

    /// A creation does not send the field, so its value in the entry proves nothing.
    @Test func `A field that only updates send does not differ`() async throws {
        let lists = #""createFieldlist": ["Title__c"], "updateFieldlist": ["Title__c", "Note__c"]"#
        let world = try await TeamWorld(
            peopleTarget: #"{"clientKeyFieldName": "Key__c", \#(lists)}"#, mode: .leaveIfChanged)
        try await world.create("ann", ["Note__c": "mine"])
        world.org.add(OrgFault(.drop(.afterCommit), method: "POST", count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        world.clock.advance(by: .seconds(60))
        #expect(try await world.run("peopleUp").unknown == 0)
        try await world.edit("ann", ["Note__c": "later"])
        #expect(try await world.run("peopleUp").updated == 1)
        #expect(try world.org.state(of: "Person__c").first?["Note__c"] == "later")
        #expect(try await world.kit.syncs.conflicts() == [])
    }

    @Test func `A record that is not found is sent again later`() async throws {
        let world = try await world()
        try await world.create("ann")
        world.org.add(OrgFault(.drop(.beforeHeaders), method: "POST", count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        // The server may still commit the creation.
        #expect(try await world.run("peopleUp").unknown == 1)
        let failure = try #require(try await world.kit.syncs.failures().first).failure
        #expect(failure.message.contains("has no record with its key yet"))
        #expect(try keys(world).isEmpty)
        world.clock.advance(by: .seconds(1200))
        #expect(try await world.run("peopleUp").created == 1)
        #expect(try keys(world).count == 1)
        try await world.expectEqualSides(["ann"])
    }

    /// The time of the mark is then unknown, as in marks of earlier versions.
    @Test(arguments: [Int64.min, Int64.max]) func `A damaged mark does not end the process`(time: Int64) async throws {
        let world = try await world()
        try await world.create("ann")
        world.org.add(OrgFault(.drop(.beforeHeaders), method: "POST", count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        let rows = try await world.kit.store.query(.all("syncs_in_flight", pageSize: 10)).entries
        let damaged = try rows.map {
            try JSONText($0.stored.description.replacing(/"time":[0-9]+/, with: #""time":\#(time)"#))
        }
        #expect(damaged != rows.map(\.stored))
        _ = try await world.kit.store.write {
            try $0.upsert(RecordBatch(damaged), into: "syncs_in_flight", matching: .path("key"))
        }
        #expect(try await world.run("peopleUp").created == 1)
        #expect(try keys(world).count == 1)
        try await world.expectEqualSides(["ann"])
    }

    /// The creation of the entry that the mark named could be sent a second time.
    @Test(arguments: [
        #"{"key":"1@people"}"#, #"{"key":"1@people","marks":null}"#, #"{"key":"1@people","marks":[]}"#,
        #"{"key":"1@people","marks":[{}]}"#, #"{"key":"1@people","marks":[{"soup":7,"entryId":1}]}"#,
        #"{"key":"1@people","marks":[{"soup":"people","entryId":"1"}]}"#,
        #"{"key":"1@people","marks":[{"soup":"people","entryId":1},7]}"#, #"{}"#,
    ])
    func `A mark that names no entry stops the sync`(text: String) async throws {
        let world = try await world()
        try await world.create("ann")
        world.org.add(OrgFault(.drop(.afterCommit), method: "POST", count: 1))
        #expect(try await world.kit.syncs.reSync(named: "peopleUp").result.unknown == 1)
        let before = try world.org.state(of: "Person__c")
        #expect(before.count == 1)
        let (store, rows) = (world.kit.store, QuerySpec.all("syncs_in_flight", pageSize: 10))
        try await store.write {
            _ = try $0.remove(matching: rows, from: "syncs_in_flight")
            try $0.upsert(RecordBatch([try JSONText(text)]), into: "syncs_in_flight")
        }
        let id = try #require(try await store.query(rows).entries.first).id
        let state = try await world.kit.syncs.reSync(named: "peopleUp").result.state
        #expect(state.status == .failed)
        #expect(state.error.contains("row \(id) of syncs_in_flight is damaged"))
        #expect(try world.org.state(of: "Person__c") == before)
        #expect(try await world.entries("people").map { $0["__local__"] } == [true])
        // The correction that the error names; the server has the record.
        _ = try await store.write {
            _ = try $0.remove(matching: .all("people", pageSize: 10), from: "people")
            try $0.remove([id], from: "syncs_in_flight")
        }
        #expect(try await world.run("peopleUp").created == 0)
        #expect(try world.org.state(of: "Person__c") == before)
    }

    @Test func `A late commit is not doubled`() async throws {
        let world = try await TeamWorld(
            target: #"{"clientKeyFieldName": "Key__c"}"#, fields: ["Title__c"], transport: { LostAnswer(base: $0) })
        try await world.create("ann")
        world.org.add(OrgFault(.lateCommit(.seconds(300)), method: "POST", count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        for _ in 1...7 {
            _ = try await world.run("peopleUp")
            world.clock.advance(by: .seconds(200))
        }
        #expect(try keys(world).count == 1)
        try await world.expectEqualSides(["ann"])
    }

    @Test func `The wait begins again if the clock is set back`() async throws {
        let world = try await world()
        try await world.create("ann")
        world.org.add(OrgFault(.drop(.beforeHeaders), method: "POST", count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        world.clock.advance(by: .seconds(-3600))
        #expect(try await world.run("peopleUp").unknown == 1)
        world.clock.advance(by: .seconds(1200))
        #expect(try await world.run("peopleUp").created == 1)
        #expect(try keys(world).count == 1)
        try await world.expectEqualSides(["ann"])
    }

    /// The app saves a copy of the record from before the key was set.
    @Test func `A missing key is no edit`() async throws {
        let world = try await world()
        try await world.create("ann")
        let entry = try #require(try await world.entries("people").first)
        world.org.add(OrgFault(.drop(.afterCommit), method: "POST", count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        var record = entry.stored.value
        record["Title__c"] = "anna"
        record["_soupEntryId"] = .int(entry.id)
        try await world.kit.store.upsert(record, into: "people")
        let result = try await world.run("peopleUp")
        #expect([result.created, result.updated, result.unknown] == [1, 1, 0])
        #expect(try keys(world).count == 1)
        try await world.expectEqualSides(["anna"])
    }

    // MARK: - Copied keys

    /// Creates ann on both sides, and a copy of her entry with the same key, whose creation is lost.
    private func worldWithCopy(_ fields: JSONObject = ["Title__c": "copy"]) async throws -> TeamWorld {
        let world = try await world()
        try await world.create("ann")
        try await world.run("peopleUp")
        let key = try #require(try await world.entries("people").first?["Key__c"])
        var values: JSONObject = ["Key__c": key, "Title__c": "ann"]
        for member in fields.members { values[member.key] = member.value }
        try await world.kit.store.create(values, type: "Person__c", in: "people")
        world.org.add(OrgFault(.drop(.beforeHeaders), method: "POST", count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        return world
    }

    @Test func `A copied entry gets a key of its own`() async throws {
        let world = try await worldWithCopy()
        world.clock.advance(by: .seconds(1200))
        #expect(try await world.run("peopleUp").created == 1)
        #expect(Set(try keys(world)).count == 2)
        try await world.expectEqualSides(["ann", "copy"])
    }

    @Test func `A deleted copy does not delete the original`() async throws {
        let world = try await worldWithCopy()
        let copy = try #require(try await world.entries("people").last)
        try await world.kit.store.delete(copy.id, in: "people")
        world.clock.advance(by: .seconds(1200))
        _ = try await world.run("peopleUp")
        _ = try await world.run("peopleUp")
        try await world.expectEqualSides(["ann"])
    }

    /// The original has a key that the app has set, so that the copy cannot be recognized.
    @Test(arguments: [true, false]) func `A key of the app can belong to another record`(isDeleted: Bool) async throws {
        let world = try await TeamWorld(target: #"{"clientKeyFieldName": "Note__c"}"#, fields: ["Title__c"])
        try await world.create("ann", ["Note__c": "mine"])
        try await world.run("peopleUp")
        try await world.create("copy", ["Note__c": "mine"])
        world.org.add(OrgFault(.drop(.beforeHeaders), method: "POST", count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        if isDeleted {
            let copy = try #require(try await world.entries("people").last)
            try await world.kit.store.delete(copy.id, in: "people")
        }
        world.clock.advance(by: .seconds(1200))
        #expect(try await world.run("peopleUp").unknown == 1)
        #expect(try world.orgLines() == ["ann"])
        #expect(try await world.storeLines() == ["ann", "copy"])
        #expect(try await world.dirty() == ["copy ID_OF_ANOTHER_RECORD"])
    }

    /// A user has copied the record on the server, with its key.
    @Test func `A key of several records decides nothing`() async throws {
        let world = try await TeamWorld(target: #"{"clientKeyFieldName": "Note__c"}"#, fields: ["Title__c"])
        for name in ["ann", "bob"] { try await world.create(name) }
        world.org.add(OrgFault(.drop(.afterCommit), method: "POST", count: 1))
        #expect(try await world.run("peopleUp").unknown == 2)
        let row = try #require(try world.org.state(of: "Person__c").first { $0["Title__c"] == "ann" })
        try world.org.insert("Person__c", ["Title__c": "copy", "Note__c": row["Note__c"] ?? .null])
        let result = try await world.run("peopleUp")
        #expect([result.created, result.unknown] == [1, 1])
        let failure = try #require(try await world.kit.syncs.failures().first).failure
        #expect(failure.message.contains("several records have the value"))
        #expect(try world.orgLines() == ["ann", "bob", "copy"])
        #expect(try await world.storeLines() == ["ann", "bob"])
    }

    @Test func `Records of a tree are found by their keys`() async throws {
        let world = try await TeamWorld(treeKeys: true)
        let red = try await world.create("red", in: "teams")
        for name in ["ann", "bob"] { try await world.create(name, ["Team__c": .string(red)]) }
        world.org.add(OrgFault(.drop(.afterCommit), path: "/composite", count: 1))
        #expect(try await world.run("treeUp").unknown > 0)
        let result = try await world.run("treeUp")
        #expect([result.failed, result.unknown] == [0, 0])
        #expect(try keys(world).count == 2)
        try await world.expectEqualSides(["ann, Team__c red", "bob, Team__c red", "red"])
    }
}
