// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// The tables of a SmartStore database that describe its soups.
struct MobileSDKCatalog {
    let db: Database
    let file: MobileSDKFile

    init(_ db: Database, file: MobileSDKFile) {
        self.db = db
        self.file = file
    }

    /// Reads the soups, and checks the structure of all tables that an import reads.
    ///
    /// - Throws: ``SoupError``; `DatabaseError`.
    func soups() throws -> [MobileSDKDatabase.Soup] {
        guard try Int64.fetchOne(db, sql: "PRAGMA application_id") != 0x536F_7570 else { throw file.ownStore }
        // Versions before 4.3 of the mobile SDKs named the table `soup_names`.
        guard let names = try ["soup_attrs", "soup_names"].first(where: { try db.tableExists($0) }),
            try db.tableExists("soup_index_map")
        else {
            throw file.unusable(
                "the file is a database of another program: it has no tables of SmartStore",
                hint: "Give the path of a SmartStore database.")
        }
        try checkStructure(of: [names, "soup_index_map"])
        let alterations = try alterations()
        let columns = try columns(of: names)
        let usesFiles = columns.contains("externalStorage") ? "externalStorage" : "0"
        let specs = try specs()
        var soups: [MobileSDKDatabase.Soup] = []
        let rows = try Row.fetchAll(db, sql: "SELECT id, soupName, \(usesFiles) FROM \(names) ORDER BY id")
        for row in rows {
            let (id, title, flag): (DatabaseValue, DatabaseValue, DatabaseValue) = (row[0], row[1], row[2])
            guard case .int64(let number) = id.storage, number > 0, case .string(let name) = title.storage else {
                throw file.damaged("a row of \(names) has no number or no name")
            }
            guard !soups.contains(where: { $0.name == SoupName(name) }) else {
                throw file.damaged("soup \"\(name)\" is registered twice")
            }
            let alteredSpecs = alterations[SoupName(name)]
            let newest = "TABLE_\(number)"
            let table = try alteredSpecs != nil && db.tableExists("\(newest)_old") ? "\(newest)_old" : newest
            guard try db.tableExists(table) else {
                throw file.damaged("the table \(table) of soup \"\(name)\" is missing")
            }
            try checkStructure(of: [table])
            let own = try self.columns(of: table)
            guard own.isSuperset(of: ["id", "created", "lastModified"]) else {
                throw file.damaged("the table \(table) of soup \"\(name)\" has no id, created or lastModified")
            }
            soups.append(
                .init(
                    name: SoupName(name), specs: alteredSpecs ?? specs[SoupName(name)] ?? [],
                    lastId: try lastId(of: table),
                    storesTextsInFiles: !own.contains("soup") || (Int64.fromDatabaseValue(flag) ?? 0) != 0,
                    number: number, table: table))
        }
        return soups
    }

    private func columns(of table: String) throws -> Set<String> { Set(try db.columns(in: table).map(\.name)) }

    private func specs() throws -> [SoupName: [IndexSpec]] {
        var specs: [SoupName: [IndexSpec]] = [:]
        let rows = try Row.fetchAll(db, sql: "SELECT soupName, path, columnType FROM soup_index_map ORDER BY rowid")
        for row in rows {
            guard let soup = String.fromDatabaseValue(row[0]), let path = String.fromDatabaseValue(row[1]) else {
                throw file.damaged("a row of soup_index_map has no soup or no path")
            }
            let kind = Self.kind(String.fromDatabaseValue(row[2]))
            specs[SoupName(soup), default: []].append(IndexSpec(JSONPath(path), kind))
        }
        return specs
    }

    /// Returns the last ID that SQLite assigned in a table, or a greater one that it contains.
    private func lastId(of table: String) throws -> Int64 {
        var last: Int64 = 0
        if try db.tableExists("sqlite_sequence") {
            let counter = try DatabaseValue.fetchOne(
                db, sql: "SELECT max(seq) FROM sqlite_sequence WHERE name = ?", arguments: [table])
            if let counter, !counter.isNull {
                guard let seq = Int64.fromDatabaseValue(counter), MobileSDKDatabase.ids.contains(max(seq, 1)) else {
                    throw file.damaged("the counter of \(table) is \(counter)")
                }
                last = max(seq, 0)
            }
        }
        return max(last, try Int64.fetchOne(db, sql: "SELECT max(id) FROM \(table)") ?? 0)
    }

    /// Returns the soups whose alteration was interrupted, with the index specs that they were to get.
    ///
    /// The mobile SDKs rename the table of the soup to `TABLE_n_old`, copy the entries to a new `TABLE_n`, and drop the
    /// old table. So the old table has all entries as long as it exists, in every step.
    private func alterations() throws -> [SoupName: [IndexSpec]] {
        guard try db.tableExists("long_operations_status") else { return [:] }
        var alterations: [SoupName: [IndexSpec]] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT type, details FROM long_operations_status ORDER BY id") {
            let (type, details) = (String.fromDatabaseValue(row[0]), String.fromDatabaseValue(row[1]))
            guard type?.lowercased() == "altersoup", let json = details.flatMap({ try? JSONText($0).value }),
                let soup = json["soupName"]?.stringValue, let specs = json["newIndexSpecs"]?.arrayValue
            else {
                throw file.unusable(
                    "an operation of the mobile SDK is not complete, and it is not known: \(type ?? "no type")",
                    hint: "Open the database once with the mobile SDK, which completes it, and decrypt it again.")
            }
            alterations[SoupName(soup)] = specs.compactMap { spec in
                spec["path"]?.stringValue.map { IndexSpec(JSONPath($0), Self.kind(spec["type"]?.stringValue)) }
            }
        }
        return alterations
    }

    /// Returns the kind of an index; iOS accepts any name of a kind, and stores the values as text.
    private static func kind(_ name: String?) -> IndexSpec.Kind { name.flatMap(IndexSpec.Kind.init) ?? .string }

    /// Checks the pages of tables, but not the contents of their indexes, which an import does not read.
    private func checkStructure(of tables: [String]) throws {
        for table in tables {
            let result = try String.fetchOne(db, sql: "PRAGMA quick_check('\(table)')")
            guard result == "ok" else { throw file.damaged("\(table): \(result ?? "no result of the check")") }
        }
    }
}
