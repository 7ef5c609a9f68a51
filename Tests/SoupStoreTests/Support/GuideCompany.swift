// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupTestStores
import SoupSQLite
import SoupStore
import SoupCore
import SoupTesting
import Testing

/// A store for the company of the guide: two soups, five employees, two departments.
struct GuideCompany {
    let folder: TemporaryFolder
    let store: SmartStore

    init() async throws {
        folder = try TemporaryFolder()
        store = SmartStore(try await SQLiteStore.open(.test(path: folder.path + "/s.sqlite")))
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

    /// Registers the soups and upserts the entries.
    func load() throws {
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

}
