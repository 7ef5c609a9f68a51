// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupKit
import SoupLocalOrg
import SoupTestApp
import SoupTesting
import Testing

/// An app of the mobile SDKs that migrates with unsent edits, and syncs with its org after the import.
@Suite struct ImportedSyncsTests {
    static let store = """
        {"soups": [{"soupName": "contacts", "indexes": [
            {"path": "Id", "type": "string"}, {"path": "LastName", "type": "string"},
            {"path": "__local__", "type": "string"}, {"path": "__locally_created__", "type": "string"},
            {"path": "__locally_updated__", "type": "string"}, {"path": "__locally_deleted__", "type": "string"},
            {"path": "__sync_id__", "type": "integer"}]}]}
        """
    static let syncs = """
        {"syncs": [
          {"syncName": "down", "syncType": "syncDown", "soupName": "contacts",
           "target": {"type": "soql", "query": "SELECT FirstName, LastName, Title FROM Contact LIMIT 10000"},
           "options": {"mergeMode": "OVERWRITE"}},
          {"syncName": "up", "syncType": "syncUp", "soupName": "contacts",
           "target": {"createFieldlist": ["FirstName", "LastName", "Title"]},
           "options": {"mergeMode": "LEAVE_IF_CHANGED", "fieldlist": ["FirstName", "LastName", "Title"]}}
        ]}
        """

    /// The rows of `syncs_soup`, with the marks and the statuses of an app that was ended during a sync.
    static func rows(_ platform: MobileSDKFixture.Platform, mark: Int64) -> [String] {
        let query =
            "select Id,LastModifiedDate,FirstName, LastName, Title from Contact order by LastModifiedDate limit 10000"
        let isAndroid = platform == .android
        let names = #""idFieldName":"Id","modificationDateFieldName":"LastModifiedDate""#
        let package = "com.salesforce.androidsdk.mobilesync.target."
        let down = isAndroid ? #""androidImpl":"\#(package)SoqlSyncDownTarget""# : #""iOSImpl":"SFSoqlSyncDownTarget""#
        let up =
            isAndroid ? #""androidImpl":"\#(package)CollectionSyncUpTarget""# : #""iOSImpl":"SFCollectionSyncUpTarget""#
        let times = #""startTime":\#(mark - 10),"endTime":\#(mark),"error":"""#
        let fields = #"["FirstName","LastName","Title"]"#
        return [
            #""type":"syncDown","name":"down","soupName":"contacts","target":{"type":"soql","query":"\#(query)",\#(names),"#
                + #""maxBatchSize":2000,\#(down)},"options":{"mergeMode":"OVERWRITE"},"status":"RUNNING","progress":50,"#
                + #""totalSize":1000,"maxTimeStamp":\#(mark),\#(times)"#,
            #""type":"syncUp","name":"up","soupName":"contacts","target":{"type":"rest","createFieldlist":\#(fields),"#
                + #"\#(names),"maxBatchSize":200,\#(up)},"options":{"mergeMode":"LEAVE_IF_CHANGED","fieldlist":\#(fields)},"#
                + #""status":"DONE","progress":100,"totalSize":2,"maxTimeStamp":0,\#(times)"#,
        ]
    }

    /// An app whose database was written by a mobile SDK, its org, and the folder of the new version.
    struct World {
        let org: LocalOrg
        let clock = ManualClock()
        let folder: TemporaryFolder
        /// The folder of the database.
        let old: TemporaryFolder
        var file: URL { old.url.appending(path: "smartstore.db") }
        let mark: Int64
        /// The entries of the app, with its edits.
        let entries: [SoupEntry]
        var options: SoupClient.Options {
            .init(transport: org.authorizedTransport, clock: clock, environment: [:])
        }

        /// - Parameter backend: the `backend` of the store configuration.
        init(_ platform: MobileSDKFixture.Platform, backend: String? = nil) async throws {
            let files = ["userstore.json": ImportedSyncsTests.store, "usersyncs.json": ImportedSyncsTests.syncs]
            old = try TemporaryFolder(files)
            folder = try TemporaryFolder(files)
            if let backend {
                let store = ImportedSyncsTests.store.dropLast() + #", "backend": \#(backend)}"#
                try folder.write(String(store), to: "userstore.json")
            }
            org = try LocalOrg(seed: .medium, clock: clock)
            clock.advance(by: .seconds(10))
            let app = try await SoupClient.open(
                at: old.url, options: .init(transport: org.authorizedTransport, clock: clock, environment: [:]))
            let first = try await app.syncs.reSync(named: "down").result
            mark = first.state.maxTimeStamp?.millisecondsSince1970 ?? -1
            // Offline.
            let free = try await Self.entriesWithoutCases(app.store, org)
            try await app.store.edit(free[0].id, setting: ["Title": "Edited"], in: "contacts")
            try await app.store.delete(free[1].id, in: "contacts")
            _ = try await app.store.create(["LastName": "Created"], type: "Contact", in: "contacts")
            entries = try await app.store.query(.all("contacts", orderedBy: "_soupEntryId", pageSize: 10_000)).entries
            try await app.close()
            let soup = MobileSDKFixture.Soup(
                "contacts",
                [
                    ("Id", "string"), ("LastName", "string"), ("__local__", "string"),
                    ("__locally_created__", "string"), ("__locally_updated__", "string"),
                    ("__locally_deleted__", "string"), ("__sync_id__", "integer"),
                ],
                entries: entries.map { .init($0.id, created: 5, lastModified: $0.version, text: $0.json.description) })
            try MobileSDKFixture(
                platform, [ImportFixtures.syncs(ImportedSyncsTests.rows(platform, mark: mark)), soup]
            ).write(to: file)
        }

        private static func entriesWithoutCases(_ store: SmartStore, _ org: LocalOrg) async throws -> [SoupEntry] {
            let needed = Set(try org.state(of: "Case").compactMap { $0["ContactId"]?.stringValue })
            return try await store.query(.all("contacts", orderedBy: "_soupEntryId", pageSize: 10_000)).entries.filter {
                !needed.contains($0["Id"]?.stringValue ?? "")
            }
        }

        /// Returns the values of the app's fields in the org, by ID.
        func orgRows() throws -> [String: [JSONValue]] {
            let rows = try org.state(of: "Contact").filter { $0["IsDeleted"] != true }
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["Id"]?.stringValue ?? "", Self.fields(of: $0)) })
        }

        static func storeRows(_ store: SmartStore) async throws -> [String: [JSONValue]] {
            let entries = try await store.query(.all("contacts", pageSize: 10_000)).entries
            return Dictionary(
                uniqueKeysWithValues: entries.map { ($0["Id"]?.stringValue ?? "", fields(of: $0.json.value)) })
        }

        private static func fields(of record: JSONValue) -> [JSONValue] {
            ["FirstName", "LastName", "Title"].map { record[$0] ?? .null }
        }
    }

    static let backends: [String?] = [
        nil, #"{"type": "memory"}"#, #"{"type": "layered", "back": {"type": "sqlite"}}"#,
        #"{"type": "routed", "default": {"type": "sqlite"}, "routes": {"contacts": {"type": "sqlite"}}}"#,
    ]

    @Test(arguments: [MobileSDKFixture.Platform.iOS, .android], backends)
    func `The next syncs fetch and push only changes`(
        _ platform: MobileSDKFixture.Platform, _ backend: String?
    ) async throws {
        let world = try await World(platform, backend: backend)
        let kit: SoupClient
        if backend?.contains("memory") == true {
            // The content of a store in memory ends with it, so the app imports into its open store.
            kit = try await SoupClient.open(at: world.folder.url, options: world.options)
            _ = try await kit.store.importSmartStore(world.file)
        } else {
            let result = try await SoupClient.importSmartStore(
                world.file, at: world.folder.url, options: world.options)
            #expect(result.soups.map { [$0.entries, $0.unsent] } == [[2, 0], [world.entries.count, 3]])
            kit = try await SoupClient.open(at: world.folder.url, options: world.options)
            #expect(kit.drift == [])
        }
        let imported = try await kit.store.query(.all("contacts", orderedBy: "_soupEntryId", pageSize: 10_000)).entries
        #expect(imported == world.entries)
        let states = try await kit.syncs.syncs()
        #expect(states.map(\.name) == ["down", "up"])
        #expect(states.map(\.id) == [1, 2])
        #expect(states.map(\.status) == [.stopped, .done])
        #expect(states[0].maxTimeStamp == Date(millisecondsSince1970: world.mark))

        // The server has two changes since the mark, one of them of a record that was edited offline.
        world.clock.advance(by: .seconds(10))
        let clean = try #require(world.entries.last { $0["__local__"] == false }?["Id"]?.stringValue)
        try world.org.edit("Contact", id: clean, ["Title": "From the server"])
        _ = try world.org.insert("Contact", ["LastName": "Inserted"])
        world.clock.advance(by: .seconds(10))
        let up = try await kit.syncs.reSync(named: "up").result
        #expect("\(up.created) \(up.updated) \(up.deleted) \(up.failed) \(up.unknown)" == "1 1 1 0 0")
        world.clock.advance(by: .seconds(10))
        let down = try await kit.syncs.reSync(named: "down").result
        #expect(down.state.status == .done)
        // The two changes of the server, the two pushed records, and records at the time of the mark, if any.
        let atMark = try world.org.state(of: "Contact").count { record in
            record["LastModifiedDate"]?.stringValue.flatMap { DateText.milliseconds($0) } == world.mark
        }
        #expect(down.saved >= 2 && down.saved + down.unchanged <= 4 + atMark)
        #expect(atMark < world.entries.count)
        let rows = try await World.storeRows(kit.store)
        #expect(rows == (try world.orgRows()))
        #expect(try await kit.store.read { try $0.dirtyIds(in: "contacts") } == [])
        let quiet = try await kit.syncs.reSync(named: "down").result
        #expect(quiet.saved == 0)
        try await kit.close()
    }

    @Test func `A store that has run a sync is refused`() async throws {
        let world = try await World(.iOS)
        let kit = try await SoupClient.open(at: world.folder.url, options: world.options)
        _ = try await kit.syncs.reSync(named: "up").result
        let error = await #expect(throws: SoupError.self) { try await kit.store.importSmartStore(world.file) }
        #expect(error?.code == .soupNotEmpty)
        #expect(error?.message == #"the store has already run its sync "up""#)
        #expect(try await kit.store.count(.all("contacts")) == 0)
        try await kit.close()
    }

    @Test func `Another definition than the configuration's is kept`() async throws {
        let world = try await World(.iOS)
        try world.folder.write(
            Self.syncs.replacingOccurrences(of: "LastName, Title FROM", with: "LastName FROM"), to: "usersyncs.json")
        _ = try await SoupClient.importSmartStore(world.file, at: world.folder.url, options: world.options)
        let kit = try await SoupClient.open(at: world.folder.url, options: world.options)
        #expect(kit.drift.map(\.place.path) == ["syncs[0]"])
        let query = try await kit.syncs.status(named: "down")?.definition.target.json["query"]?.stringValue
        #expect(query?.hasPrefix("select Id,LastModifiedDate,FirstName, LastName, Title from Contact") == true)
        try await kit.close()
    }
}
