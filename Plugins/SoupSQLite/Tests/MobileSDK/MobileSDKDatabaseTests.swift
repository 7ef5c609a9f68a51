// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import SoupCore
import Testing

@testable import SoupSQLite

/// The reading of a database; `SoupKitTests` imports databases of all layouts.
@Suite struct MobileSDKDatabaseTests {
    let temporary: TemporaryStore
    var url: URL { URL(filePath: temporary.folder + "/smartstore.db") }

    init() throws { temporary = try TemporaryStore() }

    static let tables = """
        CREATE TABLE soup_attrs (id INTEGER PRIMARY KEY AUTOINCREMENT, soupName TEXT);
        CREATE TABLE soup_index_map (soupName TEXT, path TEXT, columnName TEXT, columnType TEXT);
        CREATE TABLE TABLE_1 (id INTEGER PRIMARY KEY AUTOINCREMENT, soup TEXT, created INTEGER, lastModified INTEGER,
            TABLE_1_0 TEXT);
        INSERT INTO soup_attrs VALUES (1, 's');
        INSERT INTO soup_index_map VALUES ('s', 'k', 'TABLE_1_0', 'date'), ('s', 'm', 'json_extract(soup, ''$.m'')', 'json1'),
            ('other', 'k', 'TABLE_2_0', 'string');
        """

    func write(_ sql: String) throws {
        let queue = try DatabaseQueue(path: url.path)
        try queue.write { try $0.execute(sql: Self.tables + sql) }
        try queue.close()
    }

    /// Returns the entries and faults of the only soup, one per line.
    func lines() throws -> [String] {
        let database = try MobileSDKDatabase.open(at: url)
        defer { try? database.close() }
        var lines: [String] = []
        for soup in database.soups {
            try database.forEachEntry(of: soup) { entry in
                switch entry {
                case .success(let entry):
                    lines.append("\(entry.id) \(entry.created) \(entry.lastModified) \(entry.stored)")
                case .failure(let fault): lines.append("\(fault.soup) \(fault.id): \(fault.reason)")
                }
            }
        }
        return lines
    }

    @Test func `Specs of unknown kinds are text`() throws {
        try write("")
        let database = try MobileSDKDatabase.open(at: url)
        #expect(database.soups.map(\.name) == ["s"])
        #expect(database.soups[0].specs.map(\.description) == ["k string", "m json1"])
        #expect(database.soups[0].lastId == 0)
        try database.close()
    }

    @Test func `Dates can be whole numbers of any type`() throws {
        try write(
            """
            INSERT INTO TABLE_1 VALUES (1, '{}', 1.0, 2.75, NULL), (2, '{}', 'x', 2, NULL), (3, '{}', NULL, 2, NULL),
                (4, '{}', 1, 253402300800000, NULL), (5, '{}', 1e300, 2, NULL), (6, x'7B7D', 1, 2, NULL);
            """)
        #expect(
            try lines() == [
                "1 1 2 {}", "s 2: its dates are not valid: created x, lastModified 2",
                "s 3: its dates are not valid: created , lastModified 2",
                "s 4: its dates are not valid: created 1, lastModified 253402300800000",
                "s 5: its dates are not valid: created 1.0e+300, lastModified 2",
                "s 6: the column soup contains no text",
            ])
    }

    @Test(arguments: [
        ("INSERT INTO TABLE_1 VALUES (-1, '{}', 1, 2, NULL);", "TABLE_1 has an entry with the ID -1"),
        (
            "INSERT INTO TABLE_1 VALUES (9007199254740992, '{}', 1, 2, NULL);",
            "the counter of TABLE_1 is 9007199254740992"
        ),
        ("INSERT INTO soup_attrs VALUES (2, 's');", "soup \"s\" is registered twice"),
        ("INSERT INTO soup_attrs VALUES (2, NULL);", "a row of soup_attrs has no number or no name"),
        (
            "INSERT INTO soup_index_map VALUES (NULL, 'k', 'c', 'string');",
            "a row of soup_index_map has no soup or no path"
        ),
        (
            "ALTER TABLE TABLE_1 RENAME created TO other;",
            "the table TABLE_1 of soup \"s\" has no id, created or lastModified"
        ),
    ]) func `Impossible values mean a damaged file`(_ sql: String, _ fault: String) throws {
        try write(sql)
        let error = #expect(throws: SoupError.self) { try lines() }
        #expect(error?.code == .importUnusable)
        #expect(error?.message == "the file is damaged: \(fault)")
        #expect(error?.place?.file == url.path)
    }

    @Test func `An error of the caller ends the reading`() throws {
        struct Enough: Error {}
        try write("INSERT INTO TABLE_1 VALUES (1, '{}', 1, 2, NULL), (2, '{}', 1, 2, NULL);")
        let database = try MobileSDKDatabase.open(at: url)
        var count = 0
        #expect(throws: Enough.self) {
            try database.forEachEntry(of: database.soups[0]) { _ in
                count += 1
                throw Enough()
            }
        }
        #expect(count == 1)
        try database.close()
    }
}
