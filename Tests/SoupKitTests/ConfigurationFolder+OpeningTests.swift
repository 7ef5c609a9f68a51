// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupLocalOrg
import Logging
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

@Suite struct ConfigurationFolderOpeningTests {
    private static let store = #"""
        {"soups": [{"soupName": "notes", "indexes": [{"path": "key", "type": "string"}]}]}
        """#

    @Test func `The user's and the global store are two files`() async throws {
        let folder = try TemporaryFolder(["userstore.json": Self.store, "globalstore.json": Self.store])
        let user = try await SoupClient.openStore(at: folder.url)
        let global = try await SoupClient.openStore(at: folder.url, options: .init(scope: .global))
        try await user.upsert(["key": "mine"], into: "notes")
        #expect(try await user.count(.all("notes")) == 1)
        #expect(try await global.count(.all("notes")) == 0)
        #expect(try folder.files.filter { $0.hasSuffix(".db") } == ["globalstore.db", "userstore.db"])
    }

    @Test func `Missing folders of a given path are created`() async throws {
        let folder = try TemporaryFolder(["userstore.json": Self.store])
        let file = folder.path + "/Application Support/App/user.db"
        let kit = try await SoupClient.open(
            at: folder.url, options: .init(store: URL(filePath: file), environment: [:]))
        try await kit.store.upsert(["key": "a"], into: "notes")
        try await kit.close()
        #expect(
            try await SoupClient.openStore(at: folder.url, options: .init(store: URL(filePath: file))).count(
                .all("notes")) == 1)
        let below = folder.path + "/userstore.json/user.db"
        await #expect {
            try await SoupClient.openStore(at: folder.url, options: .init(store: URL(filePath: below)))
        } throws: { error in
            (error as? SoupError)?.code == .storeUnusable
        }
    }

    @Test func `A missing index fails only the sync that needs it`() async throws {
        func sync(_ name: String, _ soup: String) -> String {
            """
            {"syncName": "\(name)", "syncType": "syncDown", "soupName": "\(soup)", "options": {"mergeMode": "OVERWRITE"},
             "target": {"type": "soql", "query": "SELECT LastName FROM Contact"}}
            """
        }
        let local = #"{"path": "__local__", "type": "string"}"#
        let store = """
            {"soups": [{"soupName": "people", "indexes": [{"path": "Id", "type": "string"}, \(local)]},
                       {"soupName": "bare", "indexes": [{"path": "LastName", "type": "string"}, \(local)]}]}
            """
        let folder = try TemporaryFolder([
            "userstore.json": store,
            "usersyncs.json": #"{"syncs": [\#(sync("broken", "bare")), \#(sync("valid", "people"))]}"#,
        ])
        let problems = ConfigurationFolder(reading: folder.url, environment: [:]).problems
        #expect(problems.map(\.code) == [.indexNotDefined] && problems.map(\.severity) == [.error])
        let (org, lines) = (try LocalOrg(seed: .tiny), LogLines(from: .warning))
        let kit = try await SoupClient.open(
            at: folder.url,
            options: .init(
                transport: org.authorizedTransport, logger: Logger(label: "test") { _ in lines }, environment: [:]))
        #expect(lines.all == problems.map { "warning: \($0)" })
        let broken = try await kit.syncs.reSync(named: "broken").result
        #expect(broken.error?.code == .indexNotDefined && broken.error?.hint != nil && broken.state.status == .failed)
        #expect(try await kit.syncs.reSync(named: "valid").result.state.status == .done)
        #expect(try await kit.store.count(.all("people")) == 3)
        try await kit.close()

        // Any other error prevents the opening, and the missing index is reported with it.
        try folder.write(
            #"{"syncs": [\#(sync("broken", "bare")), \#(sync("lost", "nowhere"))]}"#, to: "usersyncs.json")
        let error = await #expect(throws: ConfigurationError.self) {
            try await SoupClient.open(at: folder.url, options: .init(environment: [:]))
        }
        #expect(error?.problems.map(\.code) == [.indexNotDefined, .soupNotFound])
    }

    @Test func `Soups that the file does not name are reported`() async throws {
        let folder = try TemporaryFolder(["userstore.json": Self.store])
        let first = try await SoupClient.open(at: folder.url, options: .init(environment: [:]))
        #expect(first.drift == [])
        try await first.close()
        try folder.write(Self.store.replacing("notes", with: "others"), to: "userstore.json")
        let second = try await SoupClient.open(at: folder.url, options: .init(environment: [:]))
        #expect(
            second.drift.map { "\($0.place): \($0.message)" } == [
                "userstore.json: soups: the store contains soup \"notes\", which the file does not name"
            ])
        try await second.close()
    }

    @Test func `The configuration can name the store's file`() async throws {
        let folder = try TemporaryFolder([
            "userstore.json": #"{"soups": [], "backend": {"type": "sqlite", "path": "my.sqlite"}}"#
        ])
        _ = try await SoupClient.openStore(at: folder.url)
        #expect(try folder.files.contains("my.sqlite"))
    }

    @Test(arguments: ["My App", "100%", "50%20off", "Überblick"]) func `Any folder name can be opened`(
        _ name: String
    ) async throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url.appending(component: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(Self.store.utf8).write(to: folder.appending(component: "userstore.json"))
        let store = folder.appending(components: name, "\(name).db")
        for options in [SoupClient.Options(environment: [:]), .init(store: store, environment: [:])] {
            try await SoupClient.open(at: folder, options: options).close()
        }
        let path = "\(temporary.path)/\(name)"
        #expect(FileManager.default.fileExists(atPath: path + "/userstore.db"))
        #expect(FileManager.default.fileExists(atPath: path + "/\(name)/\(name).db"))
        #expect(try StoreFolder(at: folder).names(in: .user) == [StoreFolder.defaultName])
    }

    @Test func `The configuration can choose the memory backend`() async throws {
        let soups = #""soups": [{"soupName": "notes", "indexes": [{"path": "key", "type": "string"}]}]"#
        let folder = try TemporaryFolder(["userstore.json": #"{\#(soups), "backend": {"type": "memory"}}"#])
        let store = try await SoupClient.openStore(at: folder.url)
        try await store.upsert(["key": "a"], into: "notes")
        #expect(try await store.count(.exact("notes", "key", equals: "a")) == 1)
        #expect(try await SoupClient.openStore(at: folder.url).count(.all("notes")) == 0)
        #expect(try folder.files == ["userstore.json"])
        try folder.write(
            #"{\#(soups.replacing("string", with: "full_text")), "backend": {"type": "memory"}}"#, to: "userstore.json")
        await #expect { try await SoupClient.openStore(at: folder.url) } throws: { error in
            (error as? SoupError)?.code == .notSupported
        }
    }

    @Test func `Existing soups are not changed`() async throws {
        let folder = try TemporaryFolder(["userstore.json": Self.store])
        let first = try await SoupClient.openStore(at: folder.url)
        try await first.upsert(["key": "a"], into: "notes")
        try folder.write(Self.store.replacing("key", with: "other"), to: "userstore.json")
        let second = try await SoupClient.openStore(at: folder.url)
        #expect(try await second.indexSpecs(of: "notes") == [IndexSpec("key", .string)])
        #expect(try await second.count(.all("notes")) == 1)
    }

    @Test func `Deletion marks synced entries and removes the others`() async throws {
        let folder = try TemporaryFolder(["userstore.json": Self.store])
        let store = try await SoupClient.openStore(at: folder.url)
        let plain = try await store.upsert(["key": "plain"], into: "notes")
        let synced = try await store.upsert(["key": "synced", "__local__": false], into: "notes")
        let results = try await store.delete([plain.id, 99, synced.id], from: "notes", markingSynced: true)
        #expect(results.map { "\($0.id) \($0.result)" } == ["1 removed", "99 absent", "2 marked"])
        let left = try await store.query(.all("notes")).entries
        #expect(left.map { [$0["key"], $0["__local__"], $0["__locally_deleted__"]] } == [["synced", true, true]])
        #expect(try await store.delete([synced.id], from: "notes", markingSynced: false).map(\.result) == [.removed])
        await #expect(throws: SoupError.self) { try await store.delete([1], from: "nowhere", markingSynced: true) }
    }

    @Test func `Record conventions are derived from the soup's syncs`() throws {
        func conventions(_ soup: SoupName, _ syncs: SyncDefinition...) -> RecordConventions {
            RecordConventions(of: soup, in: SyncsConfig(syncs: syncs))
        }
        let query = SyncDefinition(
            name: "a", type: .syncDown, soup: "people",
            target: TargetReference(["type": "soql", "query": "select Id from Contact c limit 5", "idFieldName": "Key"])
        )
        let list = SyncDefinition(
            name: "b", type: .syncDown, soup: "people",
            target: TargetReference(["type": "mru", "sobjectType": "Lead", "fieldlist": ["Name"]]))
        #expect(conventions("people", query) == RecordConventions(type: "Contact", idField: "Key"))
        #expect(conventions("people", list) == RecordConventions(type: "Lead"))
        #expect(conventions("people", query, list).type == nil, "two types are ambiguous")
        #expect(conventions("others", query) == RecordConventions())
        let tree = SyncDefinition(
            name: "c", type: .syncDown, soup: "accounts",
            target: TargetReference([
                "type": "parent_children",
                "parent": ["sobjectType": "Account", "soupName": "accounts", "idFieldName": "AId"],
                "parentFieldlist": ["Name"], "relationshipType": "LOOKUP",
                "children": [
                    "sobjectType": "Contact", "soupName": "people", "sobjectTypePlural": "Contacts",
                    "parentIdFieldName": "AccountId",
                ], "childrenFieldlist": ["LastName"], "parentSoqlFilter": "",
            ]))
        #expect(conventions("accounts", tree) == RecordConventions(type: "Account", idField: "AId"))
        #expect(conventions("people", tree) == RecordConventions(type: "Contact"))
    }

    @Test func `Records for other servers than Salesforce need no type`() throws {
        func needsType(_ targets: JSONValue...) -> Bool {
            let syncs = targets.enumerated().map { number, target in
                SyncDefinition(name: "\(number)", type: .syncUp, soup: "notes", target: TargetReference(target))
            }
            return RecordConventions(of: "notes", in: SyncsConfig(syncs: syncs)).needsType
        }
        let service: JSONValue = ["type": "http", "path": "/notes"]
        #expect(!needsType(service) && !needsType(["type": "http", "path": "/notes", "connection": "crm"]))
        #expect(needsType([:]) && needsType(service, [:]))
        #expect(needsType())
    }
}
