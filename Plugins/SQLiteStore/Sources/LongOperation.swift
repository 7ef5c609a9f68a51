// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Work on a soup that must be finished once it has begun, whatever happens to the process.
///
/// It is written down in `long_operations_status` in one transaction, done and struck out in the next; what the list
/// holds when a store is opened was cut off between the two, and is done then.
struct LongOperation: Sendable {
    let soup: SoupName
    let specs: [IndexSpec]
    let reIndex: Bool
    /// The table that the soup had when the operation began; nil when it has not begun.
    private var table: String?

    private static let type = "AlterSoup"

    init(altering soup: SoupName, to specs: [IndexSpec], reIndex: Bool) {
        self.soup = soup
        self.specs = specs
        self.reIndex = reIndex
    }

    /// The operations that wait, by their numbers in the list.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` for one that this version does not know.
    static func pending(in transaction: SQLiteTransaction) throws -> [(number: Int64, operation: LongOperation)] {
        let rows = try Row.fetchAll(
            transaction.db, sql: "SELECT id, type, details FROM long_operations_status ORDER BY id")
        return try rows.map { row in
            let (number, type, details): (Int64, String?, String?) = (row[0], row[1], row[2])
            guard let json = details.flatMap({ try? JSONValue(parsing: $0) }), type == Self.type,
                let operation = LongOperation(json)
            else {
                throw SoupError(
                    .storeUnusable, "an operation was cut off that this version does not know: \(type ?? "")",
                    hint: "Open the store with the version that began it")
            }
            return (number, operation)
        }
    }

    /// Writes the operation down.
    ///
    /// - Throws: ``SoupError`` when it cannot be done: then nothing is written.
    /// An older operation on the same soup that is still in the list is struck out: this one takes its place.
    ///
    /// - Returns: its number in the list.
    func begin(in transaction: SQLiteTransaction) throws -> Int64 {
        let table = try transaction.table(soup)
        try SQLiteTransaction.check(specs, of: soup)
        for (number, older) in try Self.pending(in: transaction) where older.soup == soup {
            try Self.strikeOut(number, in: transaction)
        }
        try transaction.db.execute(
            sql: """
                INSERT INTO long_operations_status (type, details, status, created, lastModified)
                VALUES (?, ?, 'Starting', ?, ?)
                """,
            arguments: [Self.type, try JSONText(details(of: table)).description, transaction.now, transaction.now])
        return transaction.db.lastInsertedRowID
    }

    /// Does the operation and strikes it out; nothing when somebody else has done so, or when the soup has gone since.
    func finish(_ number: Int64, in transaction: SQLiteTransaction) throws {
        try Self.strikeOut(number, in: transaction)
        guard transaction.db.changesCount > 0, let present = try transaction.catalog().tables[soup],
            table == nil || table == present.table
        else { return }
        try transaction.alterSoup(soup, to: specs, reIndex: reIndex)
    }

    /// Takes an operation from the list, done or not.
    static func strikeOut(_ number: Int64, in transaction: SQLiteTransaction) throws {
        try transaction.db.execute(sql: "DELETE FROM long_operations_status WHERE id = ?", arguments: [number])
    }

    /// The keys of the mobile SDKs.
    private func details(of table: SoupTable) -> JSONValue {
        [
            "soupName": .string(soup.rawValue), "soupTableName": .string(table.table),
            "oldIndexSpecs": Self.json(table.specs), "newIndexSpecs": Self.json(specs), "reIndexData": .bool(reIndex),
        ]
    }

    private init?(_ details: JSONValue) {
        guard let soup = details["soupName"]?.stringValue, let specs = details["newIndexSpecs"]?.arrayValue else {
            return nil
        }
        let read = specs.compactMap { spec -> IndexSpec? in
            guard let path = spec["path"]?.stringValue, let type = spec["type"]?.stringValue,
                let kind = IndexSpec.Kind(rawValue: type)
            else { return nil }
            return IndexSpec(JSONPath(path), kind)
        }
        guard read.count == specs.count else { return nil }
        self.init(altering: SoupName(soup), to: read, reIndex: details["reIndexData"]?.boolValue ?? true)
        table = details["soupTableName"]?.stringValue
    }

    private static func json(_ specs: [IndexSpec]) -> JSONValue {
        .array(specs.map { ["path": .string($0.path.rawValue), "type": .string($0.kind.rawValue)] })
    }
}
