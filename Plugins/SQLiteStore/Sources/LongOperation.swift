// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Work on a soup that must be finished once it has begun, whatever happens to the process.
///
/// It is written down in `long_operations_status` in one transaction, done and struck out in the next; what the list
/// holds when a store is opened was cut off between the two, and is done then. The second transaction is not cut into
/// smaller ones: a soup whose entries are indexed in part gives wrong answers to everybody who reads it in between.
struct LongOperation: Sendable {
    /// What is to be done.
    enum Work: Sendable {
        /// Other specs; `reIndex` says whether those that are new get their values from the entries.
        case alter(to: [IndexSpec], reIndex: Bool)
        /// Values of these paths taken from the entries again.
        case reIndex([JSONPath])
    }

    let soup: SoupName
    let work: Work
    /// The table that the soup had when the operation began; nil when it has not begun.
    private var table: String?

    init(_ work: Work, on soup: SoupName) {
        self.soup = soup
        self.work = work
    }

    /// The operations that wait, by their numbers in the list, the oldest first.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` for one that this version does not know.
    static func pending(in transaction: SQLiteTransaction) throws -> [(number: Int64, operation: LongOperation)] {
        let rows = try Row.fetchAll(
            transaction.db, sql: "SELECT id, type, details FROM long_operations_status ORDER BY id")
        return try rows.map { row in
            let (number, type, details): (Int64, String?, String?) = (row[0], row[1], row[2])
            guard let json = details.flatMap({ try? JSONValue(parsing: $0) }),
                let operation = LongOperation(type ?? "", json)
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
    /// - Returns: its number in the list.
    func begin(in transaction: SQLiteTransaction) throws -> Int64 {
        let table = try transaction.table(soup)
        if case .alter(let specs, _) = work { try IndexSpec.check(specs, of: soup) }
        try transaction.db.execute(
            sql: """
                INSERT INTO long_operations_status (type, details, status, created, lastModified)
                VALUES (?, ?, 'Starting', ?, ?)
                """,
            arguments: [type, try JSONText(details(of: table)).description, transaction.now, transaction.now])
        return transaction.db.lastInsertedRowID
    }

    /// Does the operation and strikes it out; nothing when somebody else has done so, or when the soup has gone since.
    ///
    /// - Returns: whether it was done here.
    @discardableResult
    func finish(_ number: Int64, in transaction: SQLiteTransaction) throws -> Bool {
        try Self.strikeOut(number, in: transaction)
        guard transaction.db.changesCount > 0, let present = try transaction.catalog().tables[soup],
            table == nil || table == present.table
        else { return false }
        switch work {
        case .alter(let specs, let reIndex): try transaction.alterSoup(soup, to: specs, reIndex: reIndex)
        case .reIndex(let paths): try transaction.reIndexSoup(soup, paths: paths)
        }
        return true
    }

    /// Does the operation for the one who began it, and waits to hear whether it is done.
    ///
    /// Another process that opened the store in between has struck it out, when it had done it or could not.
    ///
    /// - Throws: ``SoupError``: `soupNotFound` when the soup has gone since; `storeUnusable` when the operation was
    ///   taken over and the soup has other specs.
    func finishForCaller(_ number: Int64, in transaction: SQLiteTransaction) throws {
        if try finish(number, in: transaction) { return }
        let present = try transaction.table(soup).specs
        switch work {
        // Whoever did it took the values from the same entries: once more does no harm.
        case .reIndex(let paths): try transaction.reIndexSoup(soup, paths: paths)
        case .alter(let specs, _) where present == specs: return
        case .alter:
            throw SoupError(
                .storeUnusable,
                "another process took over the change of the indexes of soup \"\(soup)\" and did not make it: it has "
                    + present.map(\.description).joined(separator: ", "),
                hint: "Alter the soup again")
        }
    }

    /// Takes an operation from the list, done or not.
    static func strikeOut(_ number: Int64, in transaction: SQLiteTransaction) throws {
        try transaction.db.execute(sql: "DELETE FROM long_operations_status WHERE id = ?", arguments: [number])
    }
}

/// How operations are written down: the keys of the mobile SDKs, which know no re-indexing that goes on.
extension LongOperation {
    private static let alterType = "AlterSoup"
    private static let reIndexType = "ReIndexSoup"

    private var type: String {
        switch work {
        case .alter: Self.alterType
        case .reIndex: Self.reIndexType
        }
    }

    private func details(of table: SoupTable) -> JSONValue {
        switch work {
        case .alter(let specs, let reIndex):
            [
                "soupName": .string(soup.rawValue), "soupTableName": .string(table.table),
                "oldIndexSpecs": Self.json(table.specs), "newIndexSpecs": Self.json(specs),
                "reIndexData": .bool(reIndex),
            ]
        case .reIndex(let paths):
            [
                "soupName": .string(soup.rawValue), "soupTableName": .string(table.table),
                "indexPaths": .array(paths.map { .string($0.rawValue) }),
            ]
        }
    }

    private init?(_ type: String, _ details: JSONValue) {
        guard let soup = details["soupName"]?.stringValue else { return nil }
        switch type {
        case Self.alterType:
            guard let specs = Self.specs(details["newIndexSpecs"]) else { return nil }
            work = .alter(to: specs, reIndex: details["reIndexData"]?.boolValue ?? true)
        case Self.reIndexType:
            guard let paths = details["indexPaths"]?.arrayValue else { return nil }
            work = .reIndex(paths.compactMap(\.stringValue).map { JSONPath($0) })
        default: return nil
        }
        self.soup = SoupName(soup)
        table = details["soupTableName"]?.stringValue
    }

    private static func json(_ specs: [IndexSpec]) -> JSONValue {
        .array(specs.map { ["path": .string($0.path.rawValue), "type": .string($0.kind.rawValue)] })
    }

    /// Nil when one of them cannot be read.
    private static func specs(_ json: JSONValue?) -> [IndexSpec]? {
        guard let list = json?.arrayValue else { return nil }
        let specs = list.compactMap { spec -> IndexSpec? in
            guard let path = spec["path"]?.stringValue, let type = spec["type"]?.stringValue,
                let kind = IndexSpec.Kind(rawValue: type)
            else { return nil }
            return IndexSpec(JSONPath(path), kind)
        }
        return specs.count == list.count ? specs : nil
    }
}
