// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSQLite
import SoupStore
import SoupCore
import Testing

/// Queries in the style of the mobile SDKs, with the methods of the developer guide only.
@Suite struct SmartStoreGuideQueriesTests {
    let company: GuideCompany
    var store: SmartStore { company.store }

    init() async throws { company = try await GuideCompany() }

    @Test func `All entries are read in order, page by page`() throws {
        try company.load()
        let all = QuerySpec.buildAllQuerySpec(
            soupName: "employees", orderPath: "lastName", order: .descending, pageSize: 2)
        #expect(try store.count(using: all) == 5)
        #expect(try company.lastNames(all) == ["Thompson", "Stern"])
        #expect(try company.lastNames(all, page: 1) == ["Kwan", "Haas"])
        #expect(try company.lastNames(all, page: 2) == ["Geyer"])
        #expect(try company.lastNames(all, page: 3) == [])
        #expect(try company.lastNames(all, page: .max) == [])
    }

    @Test func `Exact, range, like and match queries find entries`() throws {
        try company.load()
        #expect(
            try company.lastNames(
                .buildExactQuerySpec(
                    soupName: "employees", path: "deptCode", matchKey: "A00", orderPath: "lastName", order: .ascending,
                    pageSize: 10)) == ["Haas", "Kwan", "Thompson"])
        #expect(
            try company.lastNames(
                .buildRangeQuerySpec(
                    soupName: "employees", path: "lastName", beginKey: "H", endKey: "S", orderPath: "lastName",
                    order: .ascending, pageSize: 10)) == ["Haas", "Kwan"])
        #expect(
            try company.lastNames(
                .buildRangeQuerySpec(
                    soupName: "employees", path: "salary", beginKey: "102000", endKey: nil, orderPath: "salary",
                    order: .ascending, pageSize: 10)) == ["Geyer", "Thompson", "Haas"])
        #expect(
            try company.lastNames(
                .buildLikeQuerySpec(
                    soupName: "employees", path: "firstName", likeKey: "%i%", orderPath: "firstName", order: .ascending,
                    pageSize: 10)) == ["Haas", "Stern", "Thompson"])
        #expect(
            try company.lastNames(
                .buildMatchQuerySpec(
                    soupName: "employees", path: "note", matchKey: "danish NOT dutch", orderPath: nil,
                    order: .ascending,
                    pageSize: 10)) == ["Stern"])
        #expect(
            try company.lastNames(
                .buildMatchQuerySpec(
                    soupName: "employees", path: nil, matchKey: "danish", orderPath: "lastName", order: .ascending,
                    pageSize: 10)) == ["Kwan", "Stern"])
    }

    @Test func `Select paths return rows`() throws {
        try company.load()
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
        try company.load()
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
        try company.load()
        let all = QuerySpec.buildAllQuerySpec(
            soupName: "employees", orderPath: "lastName", order: .ascending, pageSize: 10)
        let error = #expect(throws: SoupError.self) {
            try store.query(using: all, startingFromPageIndex: 0, whereArgs: ["Haas"])
        }
        #expect(error?.code == .whereArgsNotSupported)
    }
}
