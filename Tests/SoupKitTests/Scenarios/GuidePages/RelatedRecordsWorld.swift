// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// An app with the two files of the guide's page on related records, and an org with accounts and contacts.
struct RelatedRecordsWorld {
    let clock = ManualClock()
    let org: LocalOrg
    let kit: SoupClient
    private let folder: TemporaryFolder

    static let accounts: SoupName = "AccountSoup"
    static let contacts: SoupName = "ContactSoup"

    /// Returns the two files, byte for byte as printed.
    static func files() throws -> [String: String] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/guide-related-records")
        var files: [String: String] = [:]
        for name in ["userstore.json", "usersyncs.json"] {
            files[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }
        return files
    }

    init(files: [String: String]? = nil) async throws {
        org = try LocalOrg(seed: OrgSeed(json: Array("{}".utf8)), clock: clock)
        folder = try TemporaryFolder(try files ?? Self.files())
        for (name, contacts) in [("Acme", ["Abe", "Ann"]), ("Apple", ["Alf"]), ("Avon", ["Amy"]), ("Beta", ["Bob"])] {
            let account = try org.insert("Account", ["Name": .string(name), "Description": "First"])
            for contact in contacts {
                try org.insert("Contact", ["LastName": .string(contact), "AccountId": .string(account)])
            }
        }
        kit = try await SoupClient.open(
            at: folder.url, options: .init(transport: org.authorizedTransport, clock: clock, environment: [:]))
    }

    /// Advances the clock by ten seconds and runs a sync.
    @discardableResult
    func run(_ name: String) async throws -> SyncResult {
        clock.advance(by: .seconds(10))
        let result = try await kit.syncs.reSync(named: name).result
        #expect(result.state.status == .done, "\(name): \(result.state.error)")
        return result
    }

    /// Returns the entry with a value at a path.
    func entry(_ value: String, at path: JSONPath, in soup: SoupName) async throws -> SoupEntry {
        let found = try await kit.store.query(.all(soup, pageSize: 100)).entries.filter { $0[path] == .string(value) }
        #expect(found.count == 1, "\(path) \(value)")
        return try #require(found.first)
    }

    /// Returns every record of the org that is not deleted: the ID, the values, and the ID of the parent.
    func orgRecords() throws -> [String] {
        func rows(_ object: String) throws -> [JSONValue] {
            try org.state(of: object).filter { $0["IsDeleted"] != true }
        }
        return try rows("Account").map { Self.account($0) } + rows("Contact").map { Self.contact($0) }
    }

    /// Returns every entry of the store in the same form, followed by its local flags and its error.
    func storeRecords() async throws -> [String] {
        func marks(_ entry: SoupEntry) -> String {
            let flags = EntryField.localFlags.filter { entry[JSONPath($0)] == true }
            return (flags + [entry["__last_error__"]?.stringValue].compactMap { $0 }).map { " \($0)" }.joined()
        }
        let accounts = try await kit.store.query(.all(Self.accounts, pageSize: 100)).entries
        let contacts = try await kit.store.query(.all(Self.contacts, pageSize: 100)).entries
        return accounts.map { Self.account($0.json.value) + marks($0) }
            + contacts.map { Self.contact($0.json.value) + marks($0) }
    }

    private static func account(_ row: JSONValue) -> String {
        line(row, ["Id", "Name", "Description"])
    }

    private static func contact(_ row: JSONValue) -> String {
        line(row, ["Id", "LastName", "AccountId"])
    }

    private static func line(_ row: JSONValue, _ fields: [String]) -> String {
        fields.map { row[$0]?.stringValue ?? "-" }.joined(separator: " ")
    }

    /// Returns records without IDs, with the name of the parent instead of its ID.
    static func named(_ records: [String]) -> [String] {
        let levels = records.map { $0.split(separator: " ").map(String.init) }
        let names = Dictionary(uniqueKeysWithValues: levels.map { ($0[0], $0[1]) })
        return levels.map { ([$0[1]] + $0.dropFirst(2).map { names[$0] ?? $0 }).joined(separator: " ") }.sorted()
    }
}
