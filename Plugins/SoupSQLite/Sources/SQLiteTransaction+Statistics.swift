// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension SQLiteTransaction {
    func statistics() throws -> StoreStatistics {
        func number(_ sql: String) throws -> Int64 { try Int64.fetchOne(db, sql: sql) ?? 0 }
        let pageSize = try number("PRAGMA page_size")
        let attributes = try? FileManager.default.attributesOfItem(atPath: options.path.withoutLinks + "-wal")
        let log = (attributes?[.size] as? UInt64).map { Int64(clamping: $0) } ?? (attributes?[.size] as? Int64) ?? 0
        return StoreStatistics(
            databaseSize: try number("PRAGMA page_count") * pageSize,
            freeSize: try number("PRAGMA freelist_count") * pageSize, logSize: log,
            soups: try soupNames().map { name in
                let table = try table(name)
                return StoreStatistics.Soup(
                    name: name, entries: Int(clamping: try number("SELECT count(*) FROM \(table.table)")),
                    dirty: Int(
                        clamping: try number("SELECT count(*) FROM \(table.table) WHERE \(table.localCondition(true))"))
                )
            })
    }
}

extension SQLiteConnections {
    /// - Throws: ``SoupError`` with `badConfiguration`.
    func check(_ fullText: FullTextOptions) async throws {
        guard fullText != FullTextOptions() else { return }
        try await withWriter { db in try fullText.check(in: db) }
    }

    func compact() async throws {
        do {
            try await withWriter { db in try db.execute(sql: "VACUUM") }
        } catch {
            throw SoupError.fromStore(error, file: options.path)
        }
        try await emptyLog()
    }

    func emptyLog() async throws {
        do {
            try await withWriter { db in _ = try db.checkpoint(.truncate) }
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            // A read is in progress: the log will be emptied later.
        } catch {
            throw SoupError.fromStore(error, file: options.path)
        }
    }
}
