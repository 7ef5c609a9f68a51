// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// The configuration that the guide's page on related records prints, unchanged.
@Suite struct RelatedRecordsTests {
    private let accounts = RelatedRecordsWorld.accounts
    private let contacts = RelatedRecordsWorld.contacts

    @Test func `The files have no problems`() throws {
        let folder = try TemporaryFolder(try RelatedRecordsWorld.files())
        let configuration = ConfigurationFolder(reading: folder.url, environment: [:])
        #expect(configuration.problems.map(\.description) == [])
    }

    @Test func `Every offline change reaches the org`() async throws {
        let world = try await RelatedRecordsWorld()
        try await world.run("DownSync")
        #expect(
            try await RelatedRecordsWorld.named(world.storeRecords()) == [
                "Abe Acme", "Acme First", "Alf Apple", "Amy Avon", "Ann Acme", "Apple First", "Avon First",
            ])

        let store = world.kit.store
        let acme = try await world.entry("Acme", at: "Name", in: accounts)
        let apple = try await world.entry("Apple", at: "Name", in: accounts)
        let avon = try await world.entry("Avon", at: "Name", in: accounts)
        let ann = try await world.entry("Ann", at: "LastName", in: contacts)
        let abe = try await world.entry("Abe", at: "LastName", in: contacts)
        let alf = try await world.entry("Alf", at: "LastName", in: contacts)
        try await store.edit(acme.id, setting: ["Name": "Ajax", "Description": "Edited"], in: accounts)
        try await store.edit(ann.id, setting: ["LastName": "Anna"], in: contacts)
        try await store.edit(alf.id, setting: ["AccountId": acme["Id"] ?? .null], in: contacts)
        try await store.delete(abe.id, in: contacts)
        try await store.delete(avon.id, in: accounts)
        let atlas = try await store.create(["Name": "Atlas", "Description": "New"], type: "Account", in: accounts)
        try await store.create(
            ["LastName": "Ari", "AccountId": atlas["Id"] ?? .null], type: "Contact", in: contacts)
        try await store.create(
            ["LastName": "Ada", "AccountId": apple["Id"] ?? .null], type: "Contact", in: contacts)

        let requests = world.org.journal.count
        let result = try await world.run("UpSync")
        #expect([result.created, result.updated, result.failed] == [3, 3, 0])
        #expect(
            try RelatedRecordsWorld.named(world.orgRecords()) == [
                "Ada Apple", "Ajax Edited", "Alf Ajax", "Anna Ajax", "Apple First", "Ari Atlas", "Atlas New",
                "Beta First", "Bob Beta",
            ])
        // The account outside the filter and its contact exist only in the org.
        let shared = try world.orgRecords().filter { record in
            !["Beta First", "Bob"].contains { record.contains(" \($0)") }
        }
        #expect(try await world.storeRecords().sorted() == shared.sorted())
        try expectNoIdInABody(world.org.journal.dropFirst(requests))

        // A second run of both syncs changes nothing.
        #expect(try await world.run("UpSync").state.totalSize == 0)
        try await world.run("DownSync")
        #expect(try await world.storeRecords().sorted() == shared.sorted())
    }

    /// An ID in a field list is not sent, even if the record contains one that the app chose.
    @Test func `An ID that the app chose is not sent`() async throws {
        let world = try await RelatedRecordsWorld()
        try await world.kit.store.upsert(
            [
                try JSONText(
                    """
                    {"Id": "new", "Name": "Arc", "Description": "Created by the app", "attributes": {"type": "Account"},
                     "__local__": true, "__locally_created__": true, "__locally_updated__": false,
                     "__locally_deleted__": false}
                    """)
            ], into: accounts)
        #expect(try await world.run("UpSync").created == 1)
        #expect(try RelatedRecordsWorld.named(world.orgRecords()).contains("Arc Created by the app"))
        try expectNoIdInABody(world.org.journal[...])
    }

    @Test func `A class that only androidImpl names is found`() async throws {
        var files = try RelatedRecordsWorld.files()
        for direction in ["Down", "Up"] {
            let key = "\"iOSImpl\": \"SFParentChildrenSync\(direction)Target\","
            files["usersyncs.json"] = files["usersyncs.json"]?.replacing(key, with: "")
        }
        let folder = try TemporaryFolder(files)
        #expect(ConfigurationFolder(reading: folder.url, environment: [:]).problems.map(\.description) == [])
        let world = try await RelatedRecordsWorld(files: files)
        #expect(try await world.run("DownSync").saved == 7)
        try await world.kit.store.edit(1, setting: ["Name": "Ajax"], in: accounts)
        #expect(try await world.run("UpSync").updated == 1)
    }

    @Test func `A second field list with other fields is an error`() throws {
        var files = try RelatedRecordsWorld.files()
        let last = #"""
            "parentUpdateFieldlist": ["Name", "Description"],
                    "idFieldName": "Id"
            """#
        let text = try #require(files["usersyncs.json"])
        #expect(text.contains(last))
        files["usersyncs.json"] = text.replacing(last, with: last.replacing(#", "Description""#, with: ""))
        let folder = try TemporaryFolder(files)
        #expect(
            ConfigurationFolder(reading: folder.url, environment: [:]).problems.map(\.description) == [
                "usersyncs.json:62:9: syncs[1].target.parentUpdateFieldlist: the key occurs twice in "
                    + "its object with different values; the first one is in line 44. Remove one of the two."
            ])
    }

    private func expectNoIdInABody(_ entries: ArraySlice<OrgJournal.Entry>) throws {
        var bodies: [JSONValue] = []
        for entry in entries where !entry.body.isEmpty {
            let requests = try JSONValue(parsing: entry.body)["compositeRequest"]?.arrayValue ?? []
            bodies += requests.compactMap { $0["body"] }
        }
        #expect(!bodies.isEmpty)
        for body in bodies { #expect(body["Id"] == nil, "\(body)") }
    }
}
