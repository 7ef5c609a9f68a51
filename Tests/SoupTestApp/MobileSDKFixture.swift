// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
internal import SoupCore

/// A SmartStore database in the layout of Salesforce Mobile SDK, as the SQL that creates it.
package struct MobileSDKFixture: Sendable {
    /// The versions of the mobile SDKs whose layouts differ.
    package enum Platform: String, Sendable, CaseIterable {
        case iOS
        case android
        /// Android before 4.3: the soups are in `soup_names`.
        case android42
        /// iOS with the feature columns of versions before 11.0.
        case iOS10
    }

    /// A soup and its entries.
    package struct Soup: Sendable {
        package var name: String
        package var specs: [(path: String, type: String)]
        package var entries: [Entry]
        /// The last assigned ID; nil for the greatest ID of the entries.
        package var lastId: Int64?
        package var storesTextsInFiles = false

        package init(
            _ name: String, _ specs: [(path: String, type: String)], entries: [Entry], lastId: Int64? = nil,
            storesTextsInFiles: Bool = false
        ) {
            (self.name, self.specs, self.entries, self.lastId) = (name, specs, entries, lastId)
            self.storesTextsInFiles = storesTextsInFiles
        }
    }

    /// An entry: its ID, its dates, and its text, which contains the system fields as the mobile SDKs store them.
    package struct Entry: Sendable {
        package var id: Int64
        package var created: Int64
        package var lastModified: Int64
        package var text: String?

        /// Creates an entry from its members without the system fields, such as `"Id":"1","n":2`.
        package init(_ id: Int64, created: Int64, lastModified: Int64, members: String) {
            self.init(
                id, created: created, lastModified: lastModified,
                text: #"{\#(members),"_soupEntryId":\#(id),"_soupLastModifiedDate":\#(lastModified)}"#)
        }

        package init(_ id: Int64, created: Int64, lastModified: Int64, text: String?) {
            (self.id, self.created, self.lastModified, self.text) = (id, created, lastModified, text)
        }
    }

    package var platform: Platform
    package var soups: [Soup]
    /// SQL to run at the end.
    package var extra: String

    package init(_ platform: Platform, _ soups: [Soup], extra: String = "") {
        (self.platform, self.soups, self.extra) = (platform, soups, extra)
    }

    /// Creates the database in a new file, and closes it.
    package func write(to file: URL) throws {
        let queue = try DatabaseQueue(path: file.path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// The statements that create the database.
    package var sql: String {
        let names = platform == .android42 ? "soup_names" : "soup_attrs"
        var lines = [
            "CREATE TABLE \(names) (id INTEGER PRIMARY KEY AUTOINCREMENT, soupName TEXT"
                + (platform == .iOS10 ? ", externalStorage INTEGER DEFAULT 0)" : ")"),
            "CREATE INDEX \(names)_0 ON \(names) ( soupName )",
            "CREATE TABLE soup_index_map (soupName TEXT, path TEXT, columnName TEXT, columnType TEXT)",
            "CREATE TABLE long_operations_status (id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT, details TEXT, "
                + "status TEXT, created INTEGER, lastModified INTEGER)",
        ]
        if platform == .android || platform == .android42 {
            lines += [
                "CREATE INDEX soup_index_map_0 ON soup_index_map ( soupName )",
                "CREATE TABLE android_metadata (locale TEXT)", "INSERT INTO android_metadata VALUES ('en_US')",
                "PRAGMA user_version = \(platform == .android ? 3 : 2)",
            ]
        }
        for (position, soup) in soups.enumerated() { lines += statements(of: soup, number: position + 1, names) }
        return (lines + [extra]).joined(separator: ";\n")
    }

    private func statements(of soup: Soup, number: Int, _ names: String) -> [String] {
        let table = "TABLE_\(number)"
        let own = soup.specs.enumerated().filter { $0.element.type != "json1" }
        let columns = own.map { ", \(table)_\($0.offset) \(Self.columnType($0.element.type))" }.joined()
        let text = soup.storesTextsInFiles ? "" : "soup TEXT, "
        var lines = [
            "INSERT INTO \(names) (id, soupName) VALUES (\(number), \(Self.literal(soup.name)))",
            "CREATE TABLE \(table) (id INTEGER PRIMARY KEY AUTOINCREMENT, \(text)created INTEGER, "
                + "lastModified INTEGER\(columns))",
            "CREATE INDEX \(table)_created_idx ON \(table) ( created )",
            "CREATE INDEX \(table)_lastModified_idx ON \(table) ( lastModified )",
        ]
        if soup.storesTextsInFiles, platform == .iOS10 {
            lines.append("UPDATE soup_attrs SET externalStorage = 1 WHERE id = \(number)")
        }
        for (index, spec) in soup.specs.enumerated() {
            let column =
                spec.type == "json1" ? "json_extract(soup, '$.\(spec.path)')" : "\(table)_\(index)"
            lines.append("CREATE INDEX \(table)_\(index)_idx ON \(table) ( \(column) )")
            lines.append(
                "INSERT INTO soup_index_map VALUES (\(Self.literal(soup.name)), \(Self.literal(spec.path)), "
                    + "\(Self.literal(column)), \(Self.literal(spec.type)))")
        }
        let searched = own.filter { $0.element.type == "full_text" }.map { "\(table)_\($0.offset)" }
        if !searched.isEmpty {
            lines.append("CREATE VIRTUAL TABLE \(table)_fts USING fts5(\(searched.joined(separator: ",")))")
        }
        for entry in soup.entries { lines += statements(of: entry, in: soup, table: table, own.map(\.element.path)) }
        if !searched.isEmpty {
            let list = searched.joined(separator: ", ")
            lines.append("INSERT INTO \(table)_fts (rowid, \(list)) SELECT id, \(list) FROM \(table)")
        }
        if let lastId = soup.lastId {
            lines += [
                "DELETE FROM sqlite_sequence WHERE name = '\(table)'",
                "INSERT INTO sqlite_sequence VALUES ('\(table)', \(lastId))",
            ]
        }
        return lines
    }

    private func statements(of entry: Entry, in soup: Soup, table: String, _ paths: [String]) -> [String] {
        let text = entry.text.map(Self.literal) ?? "NULL"
        let isIndexed = !soup.storesTextsInFiles && entry.text.map { (try? JSONText($0)) != nil } == true
        let values = paths.map { isIndexed ? "json_extract(\(text), '$.\($0)')" : "NULL" }
        let head = [String(entry.id)] + (soup.storesTextsInFiles ? [] : [text])
        return [
            "INSERT INTO \(table) VALUES ("
                + (head + [String(entry.created), String(entry.lastModified)] + values).joined(separator: ", ") + ")"
        ]
    }

    private static func columnType(_ type: String) -> String {
        switch type {
        case "integer": "INTEGER"
        case "floating": "REAL"
        default: "TEXT"
        }
    }

    private static func literal(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "'", with: "''") + "'"
    }
}
