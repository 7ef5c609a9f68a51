// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Published configurations, unchanged, with an org: sync down, offline changes, sync up, and sync down again.
@Suite struct EndToEndTests {
    /// An app: its files, and the soup, object, names and fields of its syncs.
    struct App: Sendable, CustomTestStringConvertible {
        var name: String
        var soup: SoupName
        var object: String
        var down: String
        /// The name of the sync up; nil for an app without one in its files, which pushes with the default target.
        var up: String?
        var fields: [String]
        /// The number of records that the sync down fetches.
        var count: Int
        var testDescription: String { name }
    }

    static let explorerFields = [
        "FirstName", "LastName", "Title", "MobilePhone", "Email", "Department", "HomePhone",
    ]

    static let apps: [App] =
        ["ios__MobileSyncExplorer", "shared__mobilesyncexplorer", "templates__MobileSyncExplorerSwift"].map {
            App(
                name: $0, soup: "contacts", object: "Contact", down: "syncDownContacts", up: "syncUpContacts",
                fields: explorerFields, count: 1000)
        } + [
            App(
                name: "templates__MobileSyncExplorerKotlinTemplate", soup: "contacts", object: "Contact",
                down: "syncDownContacts", up: "syncUpContacts",
                fields: ["FirstName", "LastName", "Title", "Department"], count: 1000),
            App(
                name: "templates__iOSNativeLoginTemplate", soup: "Account", object: "Account", down: "syncDownAccounts",
                fields: ["Name", "Industry"], count: 25),
        ]

    /// An opened app, its org, and their common clock.
    struct World {
        let app: App
        let folder: TemporaryFolder
        let clock = ManualClock()
        let org: LocalOrg
        let kit: SoupClient

        init(_ app: App) async throws {
            self.app = app
            folder = try TemporaryFolder(try PublishedConfigurations.files(of: app.name))
            org = try LocalOrg(seed: .medium, clock: clock)
            kit = try await SoupClient.open(
                at: folder.url, options: .init(transport: org.authorizedTransport, clock: clock, environment: [:]))
        }

        func syncDown() async throws -> SyncResult {
            clock.advance(by: .seconds(10))
            return try await kit.syncs.reSync(named: app.down).result
        }

        /// Pushes, and returns the outcome of each record.
        func syncUp() async throws -> [String] {
            clock.advance(by: .seconds(10))
            let run =
                if let up = app.up {
                    try await kit.syncs.reSync(named: up)
                } else {
                    try await kit.syncs.syncUp(
                        from: app.soup, options: SyncOptions(mergeMode: .leaveIfChanged, fieldlist: app.fields))
                }
            var lines: [String] = []
            for await case .outcome(let outcome) in run.events() {
                lines.append(
                    "\(outcome.action.rawValue) \(outcome.result.rawValue)\(outcome.error.map { " \($0.code)" } ?? "")")
            }
            let result = await run.result
            #expect(result.state.status == .done)
            #expect(result.error == nil)
            return lines.sorted()
        }

        /// Returns the time of each entry's last write.
        func versions() async throws -> [Int64: Int64] {
            var versions: [Int64: Int64] = [:]
            for try await entry in kit.store.entries(matching: .all(app.soup, pageSize: 500)) {
                versions[entry.id] = entry.version
            }
            return versions
        }

        /// Returns the values of the app's fields in the org, by ID.
        func orgRows() throws -> [String: [JSONValue]] {
            Dictionary(
                uniqueKeysWithValues: try org.state(of: app.object).filter { $0["IsDeleted"] != true }.map { row in
                    (row["Id"]?.stringValue ?? "", app.fields.map { row[$0] ?? .null })
                })
        }

        /// Returns the values of the app's fields in the store, by ID.
        func storeRows() async throws -> [String: [JSONValue]] {
            var rows: [String: [JSONValue]] = [:]
            for try await entry in kit.store.entries(matching: .all(app.soup, pageSize: 500)) {
                rows[entry["Id"]?.stringValue ?? ""] = app.fields.map { entry[JSONPath($0)] ?? .null }
            }
            return rows
        }

        /// Returns entries whose records can be deleted in the org: a case prevents the deletion of its contact, and of
        /// the accounts of both.
        func entriesWithoutCases(_ count: Int) async throws -> [SoupEntry] {
            let cases = try org.state(of: "Case")
            var needed = Set(cases.flatMap { [$0["AccountId"], $0["ContactId"]] }.compactMap { $0?.stringValue })
            for contact in try org.state(of: "Contact") where needed.contains(contact["Id"]?.stringValue ?? "") {
                needed.insert(contact["AccountId"]?.stringValue ?? "")
            }
            var found: [SoupEntry] = []
            for try await entry in kit.store.entries(matching: .all(app.soup)) where found.count < count {
                if !needed.contains(entry["Id"]?.stringValue ?? "") { found.append(entry) }
            }
            return found
        }

        func dirtyIds() async throws -> [Int64] {
            let soup = app.soup
            return try await kit.store.read { try $0.dirtyIds(in: soup) }
        }
    }

    @Test(arguments: apps) func `Offline changes reach the org and both sides are equal`(app: App) async throws {
        let world = try await World(app)
        let first = try await world.syncDown()
        #expect(first.state.status == .done)
        #expect(first.saved == app.count)
        var orgRows = try world.orgRows()
        var storeRows = try await world.storeRows()
        #expect(storeRows.count == app.count)
        #expect(storeRows.allSatisfy { orgRows[$0.key] == $0.value })

        // Offline.
        let before = try await world.entriesWithoutCases(2)
        let ids = before.map(\.id)
        let name = app.fields[app.object == "Contact" ? 1 : 0]
        try await world.kit.store.edit(ids[0], setting: [name: "Edited"], in: app.soup)
        try await world.kit.store.delete(ids[1], in: app.soup)
        let created = try await world.kit.store.create([name: "Created"], type: app.object, in: app.soup)
        #expect(try await world.dirtyIds() == [ids[0], ids[1], created.id])

        let outcomes = try await world.syncUp()
        #expect(outcomes == ["create ok", "delete ok", "update ok"])

        // The org contains exactly the edits.
        let edited = try #require(before[0]["Id"]?.stringValue)
        let deleted = try #require(before[1]["Id"]?.stringValue)
        let serverId = try #require(
            try await world.kit.store.retrieve([created.id], from: app.soup).first?["Id"]?.stringValue)
        #expect(!LocalId.isLocal(serverId))
        orgRows[edited]?[app.fields.firstIndex(of: name) ?? 0] = "Edited"
        orgRows[deleted] = nil
        orgRows[serverId] = app.fields.map { $0 == name ? "Created" : .null }
        #expect(try world.orgRows() == orgRows)

        // The store is clean, and has the same values.
        #expect(try await world.dirtyIds() == [])
        storeRows = try await world.storeRows()
        #expect(storeRows.count == app.count)
        #expect(storeRows.allSatisfy { orgRows[$0.key] == $0.value })
        #expect(try await world.syncUp() == [])

        // The next runs fetch only the two records that were pushed, because of their new modification dates, and none
        // after the lookback.
        let versions = try await world.versions()
        let second = try await world.syncDown()
        #expect(second.state.status == .done)
        let touched = try await world.versions().filter { id, version in versions[id, default: version] != version }
        #expect(touched.count <= 2)
        #expect(try world.orgRows() == orgRows)
        #expect(second.saved + second.unchanged <= 2)
        #expect(try await world.storeRows() == storeRows)
        for _ in 1...2 {
            world.clock.advance(by: .seconds(600))
            let third = try await world.syncDown()
            #expect(third.saved == 0 && third.unchanged <= 2)
        }
        let fourth = try await world.syncDown()
        #expect(fourth.saved == 0 && fourth.unchanged == 0)
        #expect(try await world.storeRows() == storeRows)
    }

    @Test func `A limited query still fetches changes beyond its limit`() async throws {
        let app = try #require(Self.apps.last)
        let world = try await World(app)
        #expect(try await world.syncDown().saved == 25)
        let before = try await world.storeRows()
        let quiet = try await world.syncDown()
        #expect(quiet.saved == 0 && quiet.unchanged == 0)

        let outside = try #require(try world.orgRows().keys.sorted().last { before[$0] == nil })
        let inside = try #require(before.keys.sorted().first)
        world.clock.advance(by: .seconds(10))
        for id in [outside, inside] { try world.org.edit("Account", id: id, ["Industry": "Energy"]) }
        #expect(try await world.syncDown().saved == 2)
        let orgRows = try world.orgRows()
        var after = before
        for id in [outside, inside] { after[id] = orgRows[id] }
        #expect(try await world.storeRows() == after)

        // Both are now after the first 25 records in the query's order, and neither is a ghost.
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: app.down) == 0)
        #expect(try await world.storeRows() == after)
    }

    @Test func `A change in the second of a sync is not missed`() async throws {
        let world = try await World(Self.apps[0])
        _ = try await world.syncDown()
        let ids = try await world.storeRows().keys.sorted()

        // One edit in the second in which the sync queries, and one after the query in the same second.
        try world.org.edit("Contact", id: ids[0], ["Title": "before"])
        world.clock.advance(by: .seconds(10))
        try world.org.edit("Contact", id: ids[1], ["Title": "first"])
        let open = try await world.kit.syncs.reSync(named: world.app.down).result
        #expect(open.saved == 2)
        try world.org.edit("Contact", id: ids[2], ["Title": "second"])
        let late = try await world.syncDown()
        #expect(late.saved == 1)
        #expect(late.unchanged <= 2, "only the other two changes may be fetched again")
        let titles = try await world.storeRows()
        #expect(ids[0...2].map { titles[$0]?[2] } == ["before", "first", "second"])
        for _ in 1...2 {
            world.clock.advance(by: .seconds(600))
            #expect(try await world.syncDown().saved == 0)
        }
        let quiet = try await world.syncDown()
        #expect(quiet.saved == 0 && quiet.unchanged == 0)
    }

    @Test func `A refused record stays dirty and the others are pushed`() async throws {
        let world = try await World(Self.apps[0])
        _ = try await world.syncDown()
        let ids = try await world.kit.store.query(.all("contacts", pageSize: 2)).entries.map(\.id)
        try await world.kit.store.edit(
            ids[0], setting: ["LastName": .string(String(repeating: "x", count: 300))], in: "contacts")
        try await world.kit.store.edit(ids[1], setting: ["LastName": "Short"], in: "contacts")
        #expect(try await world.syncUp() == ["update failed STRING_TOO_LONG", "update ok"])
        #expect(try await world.dirtyIds() == [ids[0]])
        let entry = try #require(try await world.kit.store.retrieve([ids[0]], from: "contacts").first)
        #expect(entry["__last_error__"]?.stringValue?.contains("STRING_TOO_LONG") == true)
    }

    @Test func `A second client opens the same store and syncs`() async throws {
        let world = try await World(Self.apps[0])
        _ = try await world.syncDown()
        let rows = try await world.storeRows()
        let again = try await SoupClient.open(
            at: world.folder.url,
            options: .init(transport: world.org.authorizedTransport, clock: world.clock, environment: [:]))
        #expect(try await again.store.count(.all("contacts")) == rows.count)
        #expect(try await again.syncs.status(named: "syncDownContacts")?.status == .done)
        #expect(try await again.syncs.syncs().count == 2)
        #expect(again.drift == [])
    }

    @Test func `Without a server the store works and syncs fail with a hint`() async throws {
        let folder = try TemporaryFolder(try PublishedConfigurations.files(of: "ios__MobileSyncExplorer"))
        let kit = try await SoupClient.open(at: folder.url, options: .init(environment: [:]))
        let result = try await kit.syncs.reSync(named: "syncDownContacts").result
        #expect(result.state.status == .failed)
        #expect(result.error?.hint?.contains("SOUP_INSTANCE_URL") == true)
        try await kit.store.create(["LastName": "Ng"], type: "Contact", in: "contacts")
        #expect(try await kit.store.count(.all("contacts")) == 1)
    }

    @Test func `The credentials are read from the folder`() async throws {
        let folder = try TemporaryFolder(try PublishedConfigurations.files(of: "ios__MobileSyncExplorer"))
        try folder.write(#"{"instanceUrl": "http://127.0.0.1:1", "accessToken": "t"}"#, to: "org.json")
        let kit = try await SoupClient.open(at: folder.url, options: .init(environment: [:]))
        #expect(kit.configuration.credentials?.instanceURL == "http://127.0.0.1:1")
    }
}
