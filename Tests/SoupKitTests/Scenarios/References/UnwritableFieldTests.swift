// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupTesting
import Testing

/// Fields that the user cannot write, according to the description of the object in the store.
@Suite struct UnwritableFieldTests {
    private static let fields = ["Title__c", "Note__c", "Boss__c"]

    /// Saves a description as `MetadataCache` does.
    private func describe(_ permissions: [String: (create: Bool, update: Bool, computed: Bool)], in world: TeamWorld)
        async throws
    {
        let list = permissions.sorted { $0.key < $1.key }.map { name, field -> JSONValue in
            [
                "name": .string(name), "createable": .bool(field.create), "updateable": .bool(field.update),
                "calculated": .bool(field.computed), "type": name == "Boss__c" ? "reference" : "string",
            ]
        }
        try await world.kit.store.registerSoup(MetadataCache.soup, [IndexSpec("Id", .string)])
        let row: JSONValue = ["Id": "Person__c", "fields": .array(list)]
        _ = try await world.kit.store.write { writer in
            try writer.upsert(RecordBatch([try JSONText(row)]), into: MetadataCache.soup, matching: .path("Id"))
        }
    }

    private func outcomes(_ world: TeamWorld) async throws -> [String] {
        let run = try await world.kit.syncs.reSync(named: "peopleUp")
        var lines: [String] = []
        for await event in run.events() {
            guard case .outcome(let outcome) = event else { continue }
            let omitted =
                outcome.omittedFields.isEmpty ? "" : " without \(outcome.omittedFields.joined(separator: " "))"
            lines.append("\(outcome.action) \(outcome.result) \(outcome.error?.code ?? "-")\(omitted)")
        }
        return lines
    }

    private func org(_ world: TeamWorld) throws -> [String] {
        try world.org.state(of: "Person__c").map {
            "\($0["Title__c"]?.stringValue ?? "-") \($0["Note__c"]?.stringValue ?? "-")"
        }.sorted()
    }

    @Test(arguments: LocalReferenceTests.targets) func `Computed fields are not sent`(_ target: String) async throws {
        let world = try await TeamWorld(target: target, fields: Self.fields)
        try await describe(["Note__c": (false, false, true)], in: world)
        try await world.create("ann", ["Note__c": "from a copy"])
        #expect(try await outcomes(world) == ["create ok - without Note__c"])
        #expect(try org(world) == ["ann -"])
        #expect(try await world.dirty() == [])
    }

    /// As for the server, the case of a name has no meaning.
    @Test func `The case of a field's name is ignored`() async throws {
        let world = try await TeamWorld(fields: Self.fields)
        try await describe(["note__C": (false, false, true)], in: world)
        try await world.create("ann", ["Note__c": "from a copy"])
        #expect(try await outcomes(world) == ["create ok - without Note__c"])
        #expect(try org(world) == ["ann -"])
    }

    /// A tree with many children, each with a field that cannot be written.
    @Test func `Every child of a tree is checked`() async throws {
        let world = try await TeamWorld(childUpdates: ["Title__c"])
        try await describe(["Boss__c": (false, false, true)], in: world)
        let red = try await world.create("red", in: "teams")
        let names = (1...30).map { "p\($0)" }
        for name in names { try await world.create(name, ["Team__c": .string(red), "Boss__c": "x"]) }
        #expect(try await world.run("treeUp").created == 31)
        #expect(try world.orgLines() == (names.map { "\($0), Team__c red" } + ["red"]).sorted())
        #expect(try await world.dirty() == [])
    }

    @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge])
    func `A read-only field without an edit is not sent`(_ mode: MergeMode) async throws {
        let world = try await TeamWorld(mode: mode, fields: Self.fields)
        try await world.create("ann", ["Note__c": "first"])
        _ = try await outcomes(world)
        try await describe(["Note__c": (false, false, false)], in: world)
        try await world.edit("ann", ["Title__c": "anna"])
        let isMerged = mode == .merge
        #expect(try await outcomes(world) == ["update ok -" + (isMerged ? "" : " without Note__c")])
        #expect(try org(world) == ["anna first"])
        #expect(try await world.dirty() == [])
    }

    @Test func `An edit of a read-only field fails before the push`() async throws {
        let world = try await TeamWorld(fields: Self.fields)
        try await world.create("ann", ["Note__c": "first"])
        try await world.create("bob")
        _ = try await outcomes(world)
        try await describe(["Note__c": (true, false, false)], in: world)
        try await world.edit("ann", ["Note__c": "second"])
        try await world.edit("bob", ["Title__c": "bobby"])
        #expect(try await outcomes(world).sorted() == ["update failed FIELD_NOT_WRITABLE", "update ok -"])
        #expect(try org(world) == ["ann first", "bobby -"])
        let failure = try #require(try await world.kit.syncs.failures().first).failure
        #expect(failure.fields == ["Note__c"])
        #expect(failure.message.contains("Note__c of Person__c cannot be updated"))
        // The edit is kept, and is sent when the description allows it.
        try await describe(["Note__c": (true, true, false)], in: world)
        #expect(try await outcomes(world) == ["update ok -"])
        #expect(try org(world) == ["ann second", "bobby -"])
    }

    @Test func `A field that only updates can write follows the creation`() async throws {
        let world = try await TeamWorld(fields: Self.fields)
        try await describe(["Note__c": (false, true, false)], in: world)
        try await world.create("ann", ["Note__c": "later"])
        #expect(try await outcomes(world) == ["create ok -", "update ok -"])
        #expect(try org(world) == ["ann later"])
        #expect(try await world.dirty() == [])
    }

    /// Otherwise a clean entry would contain a value that the server does not have.
    @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge])
    func `An edited computed field gets its value back`(_ mode: MergeMode) async throws {
        let world = try await TeamWorld(mode: mode, fields: Self.fields)
        try await world.create("ann", ["Note__c": "computed"])
        _ = try await outcomes(world)
        try await describe(["Note__c": (false, false, true)], in: world)
        try await world.edit("ann", ["Title__c": "anna", "Note__c": "mine"])
        #expect(try await outcomes(world) == ["update ok - without Note__c"])
        #expect(try org(world) == ["anna computed"])
        #expect(try await world.entries("people").map { $0["Note__c"] } == ["computed"])
        #expect(try await world.dirty() == [])
    }

    @Test(arguments: LocalReferenceTests.targets) func `A record can refer to itself`(_ target: String) async throws {
        let world = try await TeamWorld(target: target, fields: Self.fields)
        try await describe(["Boss__c": (true, true, false), "Note__c": (true, true, false)], in: world)
        let ann = try await world.create("ann")
        try await world.edit("ann", ["Boss__c": .string(ann), "Note__c": .string(ann)])
        #expect(try await outcomes(world) == ["create ok -", "update ok -"])
        #expect(try world.org.state(of: "Person__c").map { $0["Note__c"] } == [.string(ann)])
        try await world.expectEqualSides(["ann, Boss__c ann"])
    }

    @Test func `A field that nothing can send is refused`() async throws {
        let world = try await TeamWorld(
            target: #"{"createFieldlist": ["Title__c", "Note__c"], "updateFieldlist": ["Title__c"]}"#)
        try await describe(["Note__c": (false, true, false)], in: world)
        try await world.create("ann", ["Note__c": "later"])
        #expect(try await outcomes(world) == ["create failed FIELD_NOT_WRITABLE"])
        #expect(try org(world) == [])
    }

    @Test func `Fields are checked after the transforms`() async throws {
        let world = try await TeamWorld(
            fields: Self.fields, transforms: #"[{"type": "rename", "fields": {"Note__c": "note"}}]"#)
        try await world.create("ann", ["note": "first"])
        _ = try await outcomes(world)
        try await describe(["Note__c": (true, false, false)], in: world)
        try await world.edit("ann", ["note": "second"])
        #expect(try await outcomes(world) == ["update failed FIELD_NOT_WRITABLE"])
        #expect(try org(world) == ["ann first"])
    }

    @Test func `A field that was left out is no edit`() async throws {
        let world = try await TeamWorld(
            target: #"{"externalIdFieldName": "Key__c", "createFieldlist": ["Title__c", "Key__c", "Note__c"], "#
                + #""updateFieldlist": ["Title__c"]}"#)
        try await describe(["Note__c": (false, false, true)], in: world)
        try await world.create("ann", ["Key__c": "a", "Note__c": "computed"])
        world.org.add(OrgFault(.drop(.afterCommit), count: 1))
        _ = try await outcomes(world)
        try await world.edit("ann", ["Title__c": "anna"])
        #expect(try await outcomes(world) == ["create ok - without Note__c", "update ok -"])
        #expect(try org(world) == ["anna -"])
        #expect(try await world.dirty() == [])
    }

    @Test func `A creation with a value for a read-only field fails`() async throws {
        let world = try await TeamWorld(fields: Self.fields)
        try await describe(["Note__c": (false, false, false)], in: world)
        try await world.create("ann", ["Note__c": "mine"])
        try await world.create("bob")
        #expect(
            try await outcomes(world).sorted() == ["create failed FIELD_NOT_WRITABLE", "create ok -"])
        #expect(try org(world) == ["bob -"])
    }

    /// Both ways of the documentation store the description in the form that a push reads.
    @Test(arguments: ["code", "sync"]) func `A description from the server counts`(_ way: String) async throws {
        let clock = ManualClock.advancing()
        let org = try LocalOrg(seed: OrgSeed(json: Array("{}".utf8)), clock: clock)
        let folder = try TemporaryFolder([
            "userstore.json": #"""
            {"soups": [
              {"soupName": "cases", "indexes": [{"path": "Id", "type": "string"}, {"path": "__local__", "type": "string"}]},
              {"soupName": "sfdcMetadata",
                "indexes": [{"path": "Id", "type": "string"}, {"path": "__local__", "type": "string"}]}]}
            """#,
            "usersyncs.json": #"""
            {"syncs": [
              {"syncName": "casesUp", "syncType": "syncUp", "soupName": "cases", "target": {"createFieldlist": ["Subject", "IsClosed"]},
                "options": {"mergeMode": "OVERWRITE", "fieldlist": ["Subject"]}},
              {"syncName": "describeCases", "syncType": "syncDown", "soupName": "sfdcMetadata",
                "target": {"type": "metadata", "sobjectType": "Case"}, "options": {"mergeMode": "OVERWRITE"}}]}
            """#,
        ])
        let kit = try await SoupClient.open(
            at: folder.url, options: .init(transport: org.authorizedTransport, clock: clock, environment: [:]))
        if way == "code" {
            _ = try await MetadataCache(manager: kit.syncs).metadata(of: "Case", fetching: .serverFirst)
        } else {
            _ = try await kit.syncs.reSync(named: "describeCases").value
        }
        try await kit.store.create(["Subject": "lost", "IsClosed": true], type: "Case", in: "cases")
        let result = try await kit.syncs.reSync(named: "casesUp").value
        #expect([result.created, result.failed] == [1, 0])
        #expect(try org.state(of: "Case").map { [$0["Subject"], $0["IsClosed"]] } == [["lost", false]])
    }
}
