// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The merge mode MERGE with records changed on both sides.
@Suite struct MergePolicyTests {
    @Test func `Changes of different fields are merged`() async throws {
        let world = try await World.withMerge()
        try await world.editContact(["Phone": "2"])
        world.editContactRemotely(["Name": "Anna", "Phone": "1", "City": "Oslo"])
        let result = try await world.manager.reSync(named: "down").result
        #expect([result.saved, result.merged, result.conflicted, result.skipped] == [0, 1, 0, 0])
        expect(
            try await world.entries(),
            [#"1 ann {"Name":"Anna","Phone":"2","City":"Oslo"} +20s local+updated sync 1"#])
        expect(try await world.syncs().first, "1 down DONE 100/1 mark > +20s")
        world.server.clearLog()
        try await world.run("up")
        // Only the locally changed field is sent, so that later changes of other clients are kept.
        expect(world.server.log, ["ask for ann", #"push update ann {"Phone":"2"}"#])
        expect(world.server.dump, [#"ann {"Name":"Anna","Phone":"2","City":"Oslo"} +30s"#])
        expect(
            try await world.entries(), [#"1 ann {"Name":"Anna","Phone":"2","City":"Oslo"} +30s clean sync 1"#])
        expect(try await world.contactBase(), nil)
    }

    @Test func `A push first merges the server's changes`() async throws {
        let world = try await World.withMerge()
        try await world.editContact(["Phone": "2"])
        world.editContactRemotely(["Name": "Anna", "Phone": "1", "City": "Oslo"])
        try await world.run("up")
        expect(
            world.server.log, ["ask for ann", "fetch ann", "ask for ann", #"push update ann {"Phone":"2"}"#])
        expect(world.server.dump, [#"ann {"Name":"Anna","Phone":"2","City":"Oslo"} +30s"#])
        expect(
            try await world.entries(), [#"1 ann {"Name":"Anna","Phone":"2","City":"Oslo"} +30s clean sync 1"#])
    }

    @Test func `A push waits if the server's version cannot be fetched`() async throws {
        let world = try await World.withMerge(nil, ["fetches": false])
        try await world.editContact(["Phone": "2"])
        world.editContactRemotely(["Name": "Anna", "Phone": "1", "City": "Oslo"])
        expect(try await world.run("up").dropFirst(2).first, "update 1 ann skipped NEWER_ON_SERVER")
        expect(try await world.manager.conflicts().map(\.code), ["NEWER_ON_SERVER"])
        try await world.run("down")
        expect(try await world.manager.conflicts(), [])
        expect(try await world.run("up").dropFirst(2).first, "update 1 ann ok")
        expect(world.server.dump, [#"ann {"Name":"Anna","Phone":"2","City":"Oslo"} +30s"#])
    }

    @Test func `The same change on both sides is no conflict`() async throws {
        let world = try await World.withMerge()
        try await world.editContact(["Phone": "2"])
        world.editContactRemotely(["Name": "Ann", "Phone": "2", "City": "Oslo"])
        let result = try await world.manager.reSync(named: "down").result
        #expect([result.saved, result.merged] == [1, 0])
        expect(
            try await world.entries(), [#"1 ann {"Name":"Ann","Phone":"2","City":"Oslo"} +20s clean sync 1"#])
        world.server.clearLog()
        expect(try await world.run("up"), ["RUNNING 0/-1", "DONE 100/0"])
        expect(world.server.log, [])
    }

    @Test func `A field changed on both sides stays in conflict`() async throws {
        let world = try await World.withMerge()
        try await world.editContact(["Phone": "2", "City": "Bergen"])
        world.editContactRemotely(["Name": "Anna", "Phone": "3", "City": "Oslo"])
        for _ in 1...2 {
            let result = try await world.manager.reSync(named: "down").result
            #expect(result.merged == 0)
            let mine = #"1 ann {"Name":"Ann","Phone":"2","City":"Bergen"} +0s local+updated sync 1"#
            expect(try await world.entries(), [mine])
            let conflicts = try await world.manager.conflicts()
            #expect(
                conflicts.map(\.json) == [
                    [
                        "soup": "contacts", "entryId": 1, "id": "ann", "code": "CONFLICT",
                        "fields": ["Phone"],
                        "base": [
                            "Id": "ann", "Name": "Ann", "Phone": "1", "City": "Oslo",
                            "LastModifiedDate": .string(DateText.format(Moment.start)),
                        ],
                        "local": [
                            "Id": "ann", "Name": "Ann", "Phone": "2", "City": "Bergen",
                            "LastModifiedDate": .string(DateText.format(Moment.start)),
                        ],
                        "remote": [
                            "Id": "ann", "Name": "Anna", "Phone": "3", "City": "Oslo",
                            "LastModifiedDate": .string(DateText.format(Moment.after(20))),
                        ],
                    ]
                ])
            world.server.clearLog()
            let run = try await world.manager.reSync(named: "up")
            expect(try await world.events(of: run).dropFirst(2).first, "update 1 ann conflicted CONFLICT")
            let pushed = await run.result
            #expect(pushed.conflicted == 1 && !pushed.isComplete && pushed.state.status == .done)
            expect(world.server.log.filter { $0.hasPrefix("push") }, [])
            expect(world.server.dump, [#"ann {"Name":"Anna","Phone":"3","City":"Oslo"} +20s"#])
        }
    }

    @Test(arguments: [
        (ConflictResolution.local, #"{"Name":"Anna","Phone":"2","City":"Bergen"}"#, #"{"Phone":"2","City":"Bergen"}"#),
        (.remote, #"{"Name":"Anna","Phone":"3","City":"Bergen"}"#, #"{"City":"Bergen"}"#),
        (
            .merged(JSONText(trusted: Array(#"{"Phone":"2, 3"}"#.utf8)[...])),
            #"{"Name":"Anna","Phone":"2, 3","City":"Bergen"}"#, #"{"Phone":"2, 3","City":"Bergen"}"#
        ),
    ])
    func `A resolved conflict is pushed`(
        resolution: ConflictResolution, record: String, sent: String
    ) async throws {
        let world = try await World.withMerge()
        try await world.editContact(["Phone": "2", "City": "Bergen"])
        world.editContactRemotely(["Name": "Anna", "Phone": "3", "City": "Oslo"])
        try await world.run("down")
        let conflict = try #require(try await world.manager.conflicts().first)
        try await world.manager.resolveConflict(conflict, as: resolution)
        expect(try await world.entries(), ["1 ann \(record) +20s local+updated sync 1"])
        expect(try await world.manager.conflicts(), [])
        world.server.clearLog()
        try await world.run("up")
        expect(world.server.log, ["ask for ann", "push update ann \(sent)"])
        expect(world.server.dump, ["ann \(record) +30s"])
        expect(try await world.entries(), ["1 ann \(record) +30s clean sync 1"])
        let gone = await #expect(throws: SoupError.self) {
            try await world.manager.resolveConflict(conflict, as: resolution)
        }
        #expect(gone?.code == "notInConflict")
    }

    @Test func `A deletion without changes on the server is pushed`() async throws {
        let world = try await World.withMerge()
        try await world.delete("ann")
        // The server saves the record again with the same values.
        world.editContactRemotely(["Name": "Ann", "Phone": "1", "City": "Oslo"])
        try await world.run("down")
        expect(try await world.manager.conflicts(), [])
        try await world.run("up")
        expect(world.server.dump, [])
        expect(try await world.entries(), [])
    }

    /// A push may fetch fields that no sync down fetches.
    ///
    /// An empty field is not a change, but a value may be one.
    @Test(arguments: [JSONValue.null, "new"]) func `A value in an unsynced field conflicts with a deletion`(
        value: JSONValue
    )
        async throws
    {
        let world = try await World.withMerge()
        try await world.delete("ann")
        world.editContactRemotely(["Name": "Ann", "Phone": "1", "City": "Oslo", "Rank": value])
        try await world.run("up")
        #expect(world.server.dump.isEmpty == (value == .null))
        #expect(try await world.manager.conflicts().isEmpty == (value == .null))
    }

    @Test func `The pushed record is the base of an edit during the push`() async throws {
        let world = try await World.withMerge()
        try await world.editContact(["Phone": "2"])
        let gate = world.server.holdPushes()
        let run = try await world.manager.reSync(named: "up")
        await gate.arrived()
        try await world.editContact(["City": "Bergen"])
        gate.open()
        #expect(await run.result.updated == 1)
        expect(try await world.contactBase(), #"1 ann {"Name":"Ann","City":"Oslo","Phone":"2"} +20s clean"#)
        world.server.with { $0.onPush = nil }
        world.server.clearLog()
        try await world.run("up")
        expect(world.server.log, ["ask for ann", #"push update ann {"City":"Bergen"}"#])
        expect(world.server.dump, [#"ann {"Name":"Ann","Phone":"2","City":"Bergen"} +20s"#])
    }

    @Test func `A change that the app has undone is no conflict`() async throws {
        let world = try await World.withMerge()
        try await world.editContact(["Phone": "2"])
        world.editContactRemotely(["Name": "Ann", "Phone": "3", "City": "Oslo"])
        try await world.run("down")
        expect(try await world.manager.conflicts().count, 1)
        try await world.store.write { writer in
            _ = try writer.stamp([EntryStamp(id: 1, stamp: .clean)], in: "contacts")
        }
        expect(try await world.manager.conflicts(), [])
        world.editContactRemotely(["Name": "Ann", "Phone": "4", "City": "Oslo"])
        try await world.run("down")
        expect(
            try await world.entries(), [#"1 ann {"Name":"Ann","Phone":"4","City":"Oslo"} +30s clean sync 1"#])
        expect(try await world.store.count(.all("syncs_conflicts", pageSize: 1)), 0)
    }

    /// A conflict belongs to one edit; a later edit of the server's version is not part of it.
    @Test(arguments: [true, false]) func `A conflict ends when its edit is replaced`(isFetched: Bool) async throws {
        let world = try await World.withMerge()
        _ = try await world.manager.create(world.down("leave"))
        try await world.editContact(["Phone": "2"])
        world.editContactRemotely(["Name": "Ann", "Phone": "3", "City": "Oslo"])
        expect(try await world.run("up").dropFirst(2).first, "update 1 ann conflicted CONFLICT")
        try await world.store.write { writer in
            let date = DateText.format(Moment.start)
            let record =
                #"{"_soupEntryId":1,"Id":"ann","Name":"Ann","Phone":"1","City":"Oslo","LastModifiedDate":"\#(date)"}"#
            _ = try writer.upsert(
                RecordBatch([try JSONText(record)]), into: "contacts", matching: .entryId, stamping: .clean,
                guarding: .none)
        }
        if isFetched { try await world.run("leave") }
        try await world.editContact(["City": "Bergen"])
        expect(try await world.manager.conflicts().map(\.fields), isFetched ? [] : [["Phone"]])
        #expect(try await world.run("up").contains("update 1 ann ok"))
        let record = #"{"Name":"Ann","Phone":"3","City":"Bergen"}"#
        expect(world.server.dump, ["ann \(record) +30s"])
        expect(
            try await world.entries(), ["1 ann \(record) +30s clean" + (isFetched ? " sync 3" : "")])
        expect(try await world.manager.conflicts(), [])
        expect(try await world.store.count(.all("syncs_conflicts", pageSize: 1)), 0)
    }

    /// A push fetches the fields that it can send; the other fields of the entry stay.
    @Test(arguments: ["remote", #"{"City":"Bergen"}"#])
    func `A resolution keeps the fields that were not fetched`(_ answer: String) async throws {
        let world = try await World.withMerge(answer, ["fetchesOnly": ["Name"]])
        try await world.delete("ann")
        world.editContactRemotely(["Name": "Anna", "Phone": "1", "City": "Oslo"])
        try await world.run("up")
        let isMerged = answer != "remote"
        let record = #"{"Name":"Anna","Phone":"1","City":"\#(isMerged ? "Bergen" : "Oslo")"}"#
        expect(world.server.dump, ["ann \(record) \(isMerged ? "+30s" : "+20s")"])
        expect(try await world.entries(), ["1 ann \(record) \(isMerged ? "+30s" : "+20s") clean sync 1"])
        expect(try await world.manager.conflicts(), [])
    }

    @Test func `A dirty entry without a copy conflicts in changed fields`() async throws {
        let world = try await World.withMerge()
        try await world.store.write { writer in
            try writer.clearSoup("contacts")
            let record = #"{"Id":"ann","Name":"Ann","Phone":"2","Own":1,"__local__":true,"__locally_updated__":true}"#
            try writer.upsert(RecordBatch([try JSONText(record)]), into: "contacts")
        }
        world.editContactRemotely(["Name": "Ann", "Phone": "3"])
        try await world.run("down")
        expect(try await world.manager.conflicts().map(\.fields), [["Phone"]])
        expect(try await world.entries(), [#"2 ann {"Name":"Ann","Phone":"2","Own":1} local+updated"#])
    }
}
