// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSQLite
import SoupStore
import SoupCore
import Testing

/// Code in the style of the mobile SDKs, which uses only the methods of the developer guide.
@Suite struct GuideFormsTests {
    let folder: TemporaryFolder
    let store: SmartStore

    init() async throws {
        folder = try TemporaryFolder()
        store = SmartStore(try await SQLiteStore.open(.init(path: folder.path + "/s.sqlite")))
    }

    let employees: [[String: Any]] = [
        ["employeeId": "00010", "firstName": "Christine", "lastName": "Haas", "deptCode": "A00", "salary": 200_000],
        [
            "employeeId": "00020", "firstName": "Michael", "lastName": "Thompson", "deptCode": "A00", "salary": 120_000,
            "managerId": "00010", "education": ["MIT", "Yale"],
        ],
        [
            "employeeId": "00310", "firstName": "Sally", "lastName": "Kwan", "deptCode": "A00", "salary": 100_000,
            "managerId": "00010", "note": "speaks Dutch and Danish",
        ],
        ["employeeId": "00040", "firstName": "John", "lastName": "Geyer", "deptCode": "B00", "salary": 102_000],
        [
            "employeeId": "00050", "firstName": "Irving", "lastName": "Stern", "deptCode": "B00", "salary": 100_000,
            "managerId": "00040", "note": "speaks Danish", "address": ["city": "Aarhus"],
        ],
    ]

    /// Loads the company of the guide: two soups, five employees, two departments.
    func loadCompany() throws {
        guard let id = SoupIndex(path: "employeeId", indexType: "String", columnName: "employeeId"),
            let firstName = SoupIndex(path: "firstName", indexType: kSoupIndexTypeString),
            let lastName = SoupIndex(path: "lastName", indexType: kSoupIndexTypeString, columnName: nil),
            let department = SoupIndex(path: "deptCode", indexType: kSoupIndexTypeString),
            let manager = SoupIndex(path: "managerId", indexType: kSoupIndexTypeJSON1),
            let salary = SoupIndex(path: "salary", indexType: kSoupIndexTypeInteger),
            let note = SoupIndex(path: "note", indexType: kSoupIndexTypeFullText)
        else { return }
        if try !store.soupExists(forName: "employees") {
            try store.registerSoup(
                withName: "employees", withIndices: [id, firstName, lastName, department, manager, salary, note])
        }
        switch store.registerSoup(withName: "departments", withIndexPaths: ["deptCode", "name"]) {
        case .success(let isRegistered): #expect(isRegistered)
        case .failure(let error): throw error
        }
        try store.upsert(entries: employees, forSoupNamed: "employees")
        try store.upsert(
            entries: [["deptCode": "A00", "name": "Sales"], ["deptCode": "B00", "name": "R&D"]],
            forSoupNamed: "departments")
    }

    func lastNames(_ spec: QuerySpec?, page: UInt = 0) throws -> [String] {
        guard let spec else { return ["no spec"] }
        let entries = try store.query(using: spec, startingFromPageIndex: page) as? [[String: Any]]
        return entries?.compactMap { $0["lastName"] as? String } ?? ["no entries"]
    }

    // MARK: Soups

    @Test func `Soups are registered and removed`() throws {
        #expect(try store.soupExists(forName: "employees") == false)
        try loadCompany()
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
        try loadCompany()
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

    // MARK: Queries

    @Test func `All entries are read in order, page by page`() throws {
        try loadCompany()
        let all = QuerySpec.buildAllQuerySpec(
            soupName: "employees", orderPath: "lastName", order: .descending, pageSize: 2)
        #expect(try store.count(using: all) == 5)
        #expect(try lastNames(all) == ["Thompson", "Stern"])
        #expect(try lastNames(all, page: 1) == ["Kwan", "Haas"])
        #expect(try lastNames(all, page: 2) == ["Geyer"])
        #expect(try lastNames(all, page: 3) == [])
        #expect(try lastNames(all, page: .max) == [])
    }

    @Test func `Exact, range, like and match queries find entries`() throws {
        try loadCompany()
        #expect(
            try lastNames(
                .buildExactQuerySpec(
                    soupName: "employees", path: "deptCode", matchKey: "A00", orderPath: "lastName", order: .ascending,
                    pageSize: 10)) == ["Haas", "Kwan", "Thompson"])
        #expect(
            try lastNames(
                .buildRangeQuerySpec(
                    soupName: "employees", path: "lastName", beginKey: "H", endKey: "S", orderPath: "lastName",
                    order: .ascending, pageSize: 10)) == ["Haas", "Kwan"])
        #expect(
            try lastNames(
                .buildRangeQuerySpec(
                    soupName: "employees", path: "salary", beginKey: "102000", endKey: nil, orderPath: "salary",
                    order: .ascending, pageSize: 10)) == ["Geyer", "Thompson", "Haas"])
        #expect(
            try lastNames(
                .buildLikeQuerySpec(
                    soupName: "employees", path: "firstName", likeKey: "%i%", orderPath: "firstName", order: .ascending,
                    pageSize: 10)) == ["Haas", "Stern", "Thompson"])
        #expect(
            try lastNames(
                .buildMatchQuerySpec(
                    soupName: "employees", path: "note", matchKey: "danish NOT dutch", orderPath: nil,
                    order: .ascending,
                    pageSize: 10)) == ["Stern"])
        #expect(
            try lastNames(
                .buildMatchQuerySpec(
                    soupName: "employees", path: nil, matchKey: "danish", orderPath: "lastName", order: .ascending,
                    pageSize: 10)) == ["Kwan", "Stern"])
    }

    @Test func `Select paths return rows`() throws {
        try loadCompany()
        func rows(_ spec: QuerySpec?) throws -> [[String]]? {
            try spec.flatMap { try store.query(using: $0, startingFromPageIndex: 0) as? [[String]] }
        }
        let paths = ["lastName", "firstName"]
        let haas = [["Haas", "Christine"]]
        #expect(
            try rows(
                .buildAllQuerySpec(
                    soupName: "employees", selectPaths: paths, orderPath: "salary", order: .descending, pageSize: 1))
                == haas)
        #expect(
            try rows(
                .buildExactQuerySpec(
                    soupName: "employees", selectPaths: paths, path: "lastName", matchKey: "Haas", orderPath: nil,
                    order: .ascending, pageSize: 1)) == haas)
        #expect(
            try rows(
                .buildRangeQuerySpec(
                    soupName: "employees", selectPaths: paths, path: "lastName", beginKey: "H", endKey: "I",
                    orderPath: "lastName", order: .ascending, pageSize: 5)) == haas)
        #expect(
            try rows(
                .buildRangeQuerySpec(
                    soupName: "employees", selectPaths: paths, path: nil, beginKey: nil, endKey: nil,
                    orderPath: "employeeId", order: .ascending, pageSize: 1)) == haas)
        #expect(
            try rows(
                .buildLikeQuerySpec(
                    soupName: "employees", selectPaths: paths, path: "lastName", likeKey: "H%", orderPath: "lastName",
                    order: .ascending, pageSize: 5)) == haas)
        #expect(
            try rows(
                .buildMatchQuerySpec(
                    soupName: "employees", selectPaths: paths, path: "", matchKey: "dutch", orderPath: "",
                    order: .ascending, pageSize: 5)) == [["Kwan", "Sally"]])
        #expect(
            QuerySpec.buildAllQuerySpec(
                soupName: "employees", selectPaths: [], orderPath: "salary", order: .descending, pageSize: 1) == nil)
    }

    @Test func `Smart SQL supports joins and arguments`() throws {
        try loadCompany()
        let join = try #require(
            QuerySpec.buildSmartQuerySpec(
                smartSql: """
                    select {departments:name}, {employees:firstName} || ' ' || {employees:lastName}, {employees:salary}
                    from {employees}, {departments} where {departments:deptCode} = {employees:deptCode}
                    order by {departments:name}, {employees:lastName}
                    """, pageSize: 3))
        #expect(throws: SoupError.self) { try store.query(using: join, startingFromPageIndex: 0) }
        let named = try #require(
            QuerySpec.buildSmartQuerySpec(
                smartSql: """
                    select d.{departments:name}, e.{employees:lastName}, e.{employees:salary}
                    from {employees} as e, {departments} as d
                    where d.{departments:deptCode} = e.{employees:deptCode} and e.{employees:salary} > ?
                    order by e.{employees:salary} desc
                    """, pageSize: 2))
        let rows = try store.query(using: named, startingFromPageIndex: 0, whereArgs: [100_000])
        #expect(rows as? [[AnyHashable]] == [["Sales", "Haas", 200_000], ["Sales", "Thompson", 120_000]])
        let rest = try store.query(using: named, startingFromPageIndex: 1, whereArgs: [100_000])
        #expect(rest as? [[AnyHashable]] == [["R&D", "Geyer", 102_000]])
        let managers = try #require(
            QuerySpec.buildSmartQuerySpec(
                smartSql: """
                    select e.{employees:lastName}, mgr.{employees:lastName} from {employees} as e
                    left join {employees} as mgr on mgr.{employees:employeeId} = e.{employees:managerId}
                    where e.{employees:deptCode} = 'B00' order by 1
                    """, pageSize: 10))
        let pairs = try #require(try store.query(using: managers, startingFromPageIndex: 0) as? [[Any]])
        #expect(pairs[0][0] as? String == "Geyer")
        #expect(pairs[0][1] is NSNull)
        #expect(pairs[1] as? [String] == ["Stern", "Geyer"])
        #expect(try store.count(using: managers) == 2)
        #expect(try store.query("select count(*) from {employees}").get() as? [[Int]] == [[5]])
        let failed = #expect(throws: SmartStoreError.self) { try store.query("select {employees:").get() }
        guard case .error(let error as SoupError)? = failed else {
            Issue.record("\(String(describing: failed))")
            return
        }
        #expect(failed?.description == error.description)
        #expect(QuerySpec.buildSmartQuerySpec(smartSql: " \n", pageSize: 1) == nil)
    }

    @Test func `Arguments are refused except for smart queries`() throws {
        try loadCompany()
        let all = QuerySpec.buildAllQuerySpec(
            soupName: "employees", orderPath: "lastName", order: .ascending, pageSize: 10)
        let error = #expect(throws: SoupError.self) {
            try store.query(using: all, startingFromPageIndex: 0, whereArgs: ["Haas"])
        }
        #expect(error?.code == .whereArgsNotSupported)
    }

    // MARK: Entries

    @Test func `Entries are upserted and retrieved`() throws {
        try loadCompany()
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
        try loadCompany()
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
        try loadCompany()
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
        try loadCompany()
        let all = QuerySpec.buildAllQuerySpec(
            soupName: "employees", orderPath: "lastName", order: .ascending, pageSize: 10)
        try store.remove(entryIds: [1, 99], forSoupNamed: "employees")
        #expect(try lastNames(all) == ["Geyer", "Kwan", "Stern", "Thompson"])
        try store.removeEntries(
            usingQuerySpec: .buildExactQuerySpec(
                soupName: "employees", path: "deptCode", matchKey: "B00", orderPath: "lastName", order: .ascending,
                pageSize: 10), forSoupNamed: "employees")
        #expect(try lastNames(all) == ["Kwan", "Thompson"])
        let smart = try #require(
            QuerySpec.buildSmartQuerySpec(
                smartSql: "select {employees:_soupEntryId} from {employees} where {employees:lastName} = 'Kwan'",
                pageSize: 10))
        try store.removeEntries(usingQuerySpec: smart, forSoupNamed: "employees")
        #expect(try lastNames(all) == ["Thompson"])
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
