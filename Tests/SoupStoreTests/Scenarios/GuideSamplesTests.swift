// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupTestStores
import SoupSQLite
import SoupStore
import SoupCore
import SoupTesting
import Testing

#if canImport(Combine)
    import Combine
#endif

/// The Swift declarations that the guide's pages on upserts and queries print, as requirements.
private protocol PrintedDeclarations {
    func upsert(entries: [Any], forSoupNamed: String, withExternalIdPath: String) throws -> [Any]
    func upsert(entries: [[AnyHashable: Any]], forSoupNamed: String) throws -> [[AnyHashable: Any]]
    func query(_ smartSql: String) -> Result<[Any], SmartStoreError>
    #if canImport(Combine)
        func publisher(for smartSql: String) -> Future<[Any], SmartStoreError>
    #endif
}

extension SmartStore: PrintedDeclarations {}

/// The Swift samples of the guide's pages on upserts and queries.
///
/// Where a line differs from the page, the article `From Salesforce Mobile SDK` contains the difference.
@Suite struct GuideSamplesTests {
    let folder: TemporaryFolder
    let store: SmartStore
    let soupName = "accounts"

    init() async throws {
        folder = try TemporaryFolder()
        store = SmartStore(try await SQLiteStore.open(.test(path: folder.path + "/s.sqlite")))
        _ = try store.registerSoup(withName: soupName, withIndexPaths: ["id", "Name"]).get()
    }

    private func names() throws -> [[String]] {
        try store.query("select {accounts:Name} from {accounts} order by {accounts:Name}").get() as? [[String]] ?? []
    }

    /// The page has no `try`, and declares the variable with its own name on both sides.
    @Test func `The sample for an upsert by external ID works`() throws {
        let path = "id"
        let entries: [Any] = [["id": "1", "Name": "Cloud Inc"], ["id": "2", "Name": "Acme"]]
        let stored = try store.upsert(entries: entries, forSoupNamed: soupName, withExternalIdPath: path)
        #expect(stored.compactMap { ($0 as? [String: Any])?["_soupEntryId"] as? Int } == [1, 2])
        let change: [Any] = [["id": "1", "Name": "Cloud Ltd"]]
        #expect(try store.upsert(entries: change, forSoupNamed: soupName, withExternalIdPath: path).count == 1)
        #expect(try names() == [["Acme"], ["Cloud Ltd"]])
    }

    @Test func `The sample for an upsert by entry ID works`() throws {
        var entries: [[AnyHashable: Any]] = [["Name": "Cloud Inc"]]
        entries = try store.upsert(entries: entries, forSoupNamed: soupName)
        entries[0]["Name"] = "Cloud Ltd"
        entries = try store.upsert(entries: entries, forSoupNamed: soupName)
        #expect(entries.count == 1 && entries[0]["_soupEntryId"] as? Int == 1)
        #expect(try names() == [["Cloud Ltd"]])
    }

    /// Values from a server's response or from Foundation.
    @Test func `Entries of other types are accepted`() throws {
        let response = try JSONSerialization.jsonObject(with: Data(#"[{"id": "1", "Name": "A", "n": 1.5}]"#.utf8))
        let records = try #require(response as? [Any])
        try store.upsert(entries: records, forSoupNamed: soupName, withExternalIdPath: "id")
        try store.upsert(entries: [["id": "2", "Name": "B"]], forSoupNamed: soupName, withExternalIdPath: "id")
        let optional: [[String: Any?]] = [["id": "3", "Name": nil]]
        try store.upsert(entries: optional as [Any], forSoupNamed: soupName)
        let empty: [Any] = []
        #expect(try store.upsert(entries: empty, forSoupNamed: soupName).isEmpty)
        #expect(try store.query("select {accounts:id} from {accounts}").get().count == 3)
    }

    @Test func `A value that is not an entry is an error with a place`() throws {
        for (entries, place) in [
            ([["id": "1"], "text"] as [Any], "entries[1]"), ([[1: "number"]], "entries[0]"),
            ([[["id": "1"]]], "entries[0]"),
        ] {
            let byPath = #expect(throws: SoupError.self) {
                try store.upsert(entries: entries, forSoupNamed: soupName, withExternalIdPath: "id")
            }
            #expect(byPath?.code == .json && byPath?.place?.path == place)
            let byId = #expect(throws: SoupError.self) { try store.upsert(entries: entries, forSoupNamed: soupName) }
            #expect(byId?.code == .json && byId?.place?.path == place)
        }
        #expect(try names() == [], "a batch with an invalid entry writes nothing")
        let missing = #expect(throws: SoupError.self) {
            try store.upsert(entries: [["Name": "no id"]] as [Any], forSoupNamed: soupName, withExternalIdPath: "id")
        }
        #expect(missing?.code == .externalIdMissing)
    }

    @Test func `Smart SQL returns a result with a concrete error`() throws {
        try store.upsert(entries: [["id": "1", "Name": "A"]], forSoupNamed: soupName)
        let result: Result<[Any], SmartStoreError> = store.query("select count(*) from {accounts}")
        switch result {
        case .success(let rows): #expect(rows as? [[Int]] == [[1]])
        case .failure(.error(let error)): Issue.record("\(String(describing: error))")
        case .failure(.unknown): Issue.record("unknown")
        }
        guard case .failure(.error(let error as SoupError)) = store.query("select nothing from {nowhere}") else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .unknownSoup)
    }

    #if canImport(Combine)
        @Test func `A publisher returns the same rows`() async throws {
            try store.upsert(entries: [["id": "1", "Name": "A"]], forSoupNamed: soupName)
            let rows = try await store.publisher(for: "select {accounts:Name} from {accounts}").value
            #expect(rows as? [[String]] == [["A"]])
        }
    #endif
}
