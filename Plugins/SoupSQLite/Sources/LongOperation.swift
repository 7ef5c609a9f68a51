// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Work on a soup that must be completed once it has begun, even if the process ends.
///
/// One transaction adds the operation to `long_operations_status`; the next one performs it and removes it from the
/// list. If the list is not empty when a store is opened, the operations in it were interrupted between the two, and
/// are performed then. The second transaction is not split into smaller ones: a soup with a part of its entries indexed
/// would return wrong results to every concurrent reader.
struct LongOperation: Sendable {
    /// The work of an operation.
    enum Work: Sendable {
        /// Changes the specs; `reIndex` is whether new specs get their values from the entries.
        case alter(to: [IndexSpec], reIndex: Bool)
        /// Reads the values of these paths from the entries again.
        case reIndex([JSONPath])
    }

    let soup: SoupName
    let work: Work
    /// The table of the soup when the operation began; nil if it has not begun.
    private var table: String?

    init(_ work: Work, on soup: SoupName) {
        self.soup = soup
        self.work = work
    }

    /// Returns the pending operations, by their numbers in the list, the oldest first.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` for an operation that this version does not know.
    static func pending(in transaction: SQLiteTransaction) throws -> [(number: Int64, operation: LongOperation)] {
        let rows = try Row.fetchAll(
            transaction.db, sql: "SELECT id, type, details FROM long_operations_status ORDER BY id")
        return try rows.map { row in
            let (number, type, details): (Int64, String?, String?) = (row[0], row[1], row[2])
            guard let json = details.flatMap({ try? JSONValue(parsing: $0) }),
                let operation = LongOperation(type ?? "", json)
            else {
                throw SoupError(
                    .storeUnusable, "this version does not know an interrupted operation: \(type ?? "")",
                    hint: "Open the store with the version that began the operation.")
            }
            return (number, operation)
        }
    }

    /// Adds the operation to the list.
    ///
    /// - Throws: ``SoupError`` if it cannot be performed; then nothing is written.
    /// - Returns: its number in the list.
    func begin(in transaction: SQLiteTransaction) throws -> Int64 {
        let table = try transaction.table(soup)
        if case .alter(let specs, _) = work { try IndexSpec.check(specs, of: soup) }
        try transaction.db.execute(
            sql: """
                INSERT INTO long_operations_status (type, details, status, created, lastModified)
                VALUES (?, ?, 'Starting', ?, ?)
                """,
            arguments: [type, try JSONText(details(of: table)).description, transaction.date, transaction.date])
        return transaction.db.lastInsertedRowID
    }

    /// Performs the operation and removes it from the list; does nothing if another process has performed it, or if the
    /// soup was removed.
    ///
    /// - Returns: whether this call performed it.
    @discardableResult
    func finish(_ number: Int64, in transaction: SQLiteTransaction) throws -> Bool {
        try Self.remove(number, in: transaction)
        guard transaction.db.changesCount > 0, let present = try transaction.catalog().tables[soup],
            table == nil || table == present.table
        else { return false }
        switch work {
        case .alter(let specs, let reIndex): try transaction.alterSoup(soup, to: specs, reIndex: reIndex)
        case .reIndex(let paths): try transaction.reIndexSoup(soup, paths: paths)
        }
        return true
    }

    /// Performs the operation for the caller that began it, and reports its result.
    ///
    /// If another process opened the store in between, that process has removed the operation from the list, whether it
    /// succeeded or failed.
    ///
    /// - Throws: ``SoupError``: `soupNotFound` if the soup was removed; `storeUnusable` if another process took over
    ///   the operation and the soup does not have the requested specs.
    func finishForCaller(_ number: Int64, in transaction: SQLiteTransaction) throws {
        if try finish(number, in: transaction) { return }
        let present = try transaction.table(soup).specs
        switch work {
        // The other process read the values from the same entries; repeating this has no effect.
        case .reIndex(let paths): try transaction.reIndexSoup(soup, paths: paths)
        case .alter(let specs, _) where present == specs: return
        case .alter:
            throw SoupError(
                .storeUnusable,
                "another process took over the change of the indexes of soup \"\(soup)\" and did not complete it: the soup has "
                    + present.map(\.description).joined(separator: ", "),
                hint: "Alter the soup again.")
        }
    }

    /// Removes an operation from the list, whether it was performed or not.
    static func remove(_ number: Int64, in transaction: SQLiteTransaction) throws {
        try transaction.db.execute(sql: "DELETE FROM long_operations_status WHERE id = ?", arguments: [number])
    }
}

/// The stored form of operations: the keys of the mobile SDKs, which have no resumable re-indexing.
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

    /// Returns nil if a spec cannot be read.
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
