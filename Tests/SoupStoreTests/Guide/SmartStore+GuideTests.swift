// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSQLite
import SoupStore
import SoupCore
import Testing

/// Soups and entries in the style of the mobile SDKs, with the methods of the developer guide only.
@Suite struct SmartStoreGuideTests {
    let company: GuideCompany
    var store: SmartStore { company.store }

    init() async throws { company = try await GuideCompany() }

    @Test func `Soups are registered and removed`() throws {
        #expect(try store.soupExists(forName: "employees") == false)
        try company.load()
        #expect(try store.soupExists(forName: "employees"))
        #expect(
            try store.indices(forSoupNamed: "departments").map { "\($0.path) \($0.indexType)" } == [
                "deptCode json1", "name json1",
            ])
        #expect(try store.indices(forSoupNamed: "employees").first?.columnName == nil)
        try store.clearSoup("departments")
        #expect(try store.soupExists(forName: "departments"))
        try store.removeSoup("departments")
        try store.removeSoup("departments")
        #expect(try store.soupExists(forName: "departments") == false)
        try store.removeAllSoups()
        #expect(try store.soupExists(forName: "employees") == false)
    }

    @Test func `An index of an unknown type is refused`() {
        #expect(SoupIndex(path: "a", indexType: "date", columnName: nil) == nil)
        #expect(SoupIndex(path: "a", indexType: "FULL_TEXT")?.spec == IndexSpec("a", .fullText))
    }

    @Test func `A soup is altered and reindexed`() throws {
        try company.load()
        let byName = try #require(SoupIndex(path: "name", indexType: kSoupIndexTypeString))
        try store.alterSoup(named: "departments", indexSpecs: [byName], reIndexData: false)
        #expect(try store.indices(forSoupNamed: "departments") == [byName])
        let sales = QuerySpec.buildExactQuerySpec(
            soupName: "departments", path: "name", matchKey: "Sales", orderPath: "name", order: .ascending, pageSize: 10
        )
        #expect(try store.count(using: sales) == 0)
        try store.reIndexSoup(named: "departments", indexPaths: ["name"])
        #expect(try store.count(using: sales) == 1)
        let byCode = try #require(SoupIndex(path: "deptCode", indexType: kSoupIndexTypeString))
        try store.alterSoup(named: "departments", indexSpecs: [byName, byCode], reIndexData: true)
        #expect(try store.lookupSoupEntryId(soupNamed: "departments", fieldPath: "deptCode", fieldValue: "B00") == 2)
    }

    @Test func `Entries are upserted and retrieved`() throws {
        try company.load()
        let stored = try store.retrieve(usingSoupEntryIds: [5, 2, 99], fromSoupNamed: "employees")
        #expect(stored.map { $0["_soupEntryId"] as? Int } == [2, 5])
        #expect(stored[0]["education"] as? [String] == ["MIT", "Yale"])
        #expect((stored[1]["address"] as? [String: Any])?["city"] as? String == "Aarhus")
        #expect((stored[0]["_soupLastModifiedDate"] as? Int ?? 0) > 1_600_000_000_000)

        var michael = stored[0]
        michael["salary"] = 125_000.5
        michael["managerId"] = NSNull()
        let updated = try store.upsert(entries: [michael, ["lastName": "Lutz"]], forSoupNamed: "employees")
        #expect(updated.map { $0["_soupEntryId"] as? Int } == [2, 6])
        #expect(updated[0]["salary"] as? Double == 125_000.5)
        #expect(updated[0]["managerId"] is NSNull)
        #expect(try store.upsert(entries: [], forSoupNamed: "employees").isEmpty)
    }

    @Test func `Entries are upserted by external ID`() throws {
        try company.load()
        let entries = try store.upsert(
            entries: [["employeeId": "00310", "lastName": "King"], ["employeeId": "00400", "lastName": "Wong"]],
            forSoupNamed: "employees", withExternalIdPath: "employeeId")
        #expect(entries.map { $0["_soupEntryId"] as? Int } == [3, 6])
        #expect(
            try store.lookupSoupEntryId(soupNamed: "employees", fieldPath: "employeeId", fieldValue: "00310") == 3)
        #expect(try store.lookupSoupEntryId(soupNamed: "employees", fieldPath: "employeeId", fieldValue: "1") == nil)
        let codes = [("deptCode", SoupError.Code.notUnique), ("address.city", .indexNotDefined)]
        for (path, code) in codes {
            let error = #expect(throws: SoupError.self) {
                try store.lookupSoupEntryId(soupNamed: "employees", fieldPath: path, fieldValue: "A00")
            }
            #expect(error?.code == code)
        }
    }

    @Test func `A batch is atomic`() throws {
        try company.load()
        let all = QuerySpec.buildAllQuerySpec(soupName: "employees", orderPath: nil, order: .ascending, pageSize: 10)
        let missing = #expect(throws: SoupError.self) {
            try store.upsert(
                entries: [["employeeId": "1"], ["lastName": "Kent"]], forSoupNamed: "employees",
                withExternalIdPath: "employeeId")
        }
        #expect(missing?.code == .externalIdMissing)
        let invalid = #expect(throws: SoupError.self) {
            try store.upsert(entries: [["a": 1], ["b": ["c": [1, Date()] as [Any]]]], forSoupNamed: "employees")
        }
        #expect(invalid?.code == .json)
        #expect(invalid?.place?.path == "entries[1].b.c[1]")
        #expect(throws: SoupError.self) {
            try store.upsert(entries: [["a": Double.nan]], forSoupNamed: "employees")
        }
        #expect(try store.count(using: all) == 5)
    }

    @Test func `Entries are removed by ID and by query`() throws {
        try company.load()
        let all = QuerySpec.buildAllQuerySpec(
            soupName: "employees", orderPath: "lastName", order: .ascending, pageSize: 10)
        try store.remove(entryIds: [1, 99], forSoupNamed: "employees")
        #expect(try company.lastNames(all) == ["Geyer", "Kwan", "Stern", "Thompson"])
        try store.removeEntries(
            usingQuerySpec: .buildExactQuerySpec(
                soupName: "employees", path: "deptCode", matchKey: "B00", orderPath: "lastName", order: .ascending,
                pageSize: 10), forSoupNamed: "employees")
        #expect(try company.lastNames(all) == ["Kwan", "Thompson"])
        let smart = try #require(
            QuerySpec.buildSmartQuerySpec(
                smartSql: "select {employees:_soupEntryId} from {employees} where {employees:lastName} = 'Kwan'",
                pageSize: 10))
        try store.removeEntries(usingQuerySpec: smart, forSoupNamed: "employees")
        #expect(try company.lastNames(all) == ["Thompson"])
        try store.clearSoup("employees")
        #expect(try store.count(using: all) == 0)
    }

    @Test func `A missing soup is an error`() {
        func code(_ work: () throws -> Void) -> SoupError.Code? {
            do { try work() } catch { return (error as? SoupError)?.code }
            return nil
        }
        let all = QuerySpec.buildAllQuerySpec(soupName: "none", orderPath: nil, order: .ascending, pageSize: 10)
        #expect(code { try store.upsert(entries: [["a": 1]], forSoupNamed: "none") } == .soupNotFound)
        #expect(code { _ = try store.retrieve(usingSoupEntryIds: [1], fromSoupNamed: "none") } == .soupNotFound)
        #expect(code { try store.remove(entryIds: [1], forSoupNamed: "none") } == .soupNotFound)
        #expect(code { try store.clearSoup("none") } == .soupNotFound)
        #expect(code { _ = try store.indices(forSoupNamed: "none") } == .soupNotFound)
        #expect(code { try store.reIndexSoup(named: "none", indexPaths: ["a"]) } == .soupNotFound)
        #expect(code { _ = try store.query(using: all, startingFromPageIndex: 0) } != nil)
        #expect(code { try store.removeEntries(usingQuerySpec: all, forSoupNamed: "none") } != nil)
        #expect(code { try store.registerSoup(withName: "", withIndices: []) } != nil)
        #expect(throws: SmartStoreError.self) { try store.registerSoup(withName: "", withIndexPaths: ["a"]).get() }
    }
}
