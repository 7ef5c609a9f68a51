// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupStore
internal import SoupCore

/// The operations that read the tables of the store, by Smart SQL.
extension StoreCaseRunner {
    func schema(_ operation: JSONValue, _ soup: SoupName) async throws -> JSONValue {
        let numbers = try await column("select id from soup_attrs where soupName = ?", [.string(soup.rawValue)])
        guard let number = numbers.first else {
            throw SoupError(.soupNotFound, "no soup \"\(soup)\" is registered")
        }
        let table = "TABLE_\(number)"
        switch operation["op"]?.stringValue {
        case "tableName": return ["table": .string(table)]
        case "columns": return ["columns": .array(try await column("select name from pragma_table_info('\(table)')"))]
        case "indexNames":
            let sql = "select name from pragma_index_list('\(table)') order by name"
            return ["names": .array(try await column(sql))]
        case "indexSpecs":
            let sql = "select path, columnType, columnName from soup_index_map where soupName = ? order by rowid"
            let rows = try await store.rows(sql, [.string(soup.rawValue)])
            return [
                "specs": .array(
                    rows.map { ["path": $0[0] ?? .null, "type": $0[1] ?? .null, "columnName": $0[2] ?? .null] })
            ]
        default:
            let reference = "{\(soup):\(operation["path"]?.stringValue ?? "")}"
            let sql = "select \(reference), typeof(\(reference)) from {\(soup)} order by {\(soup):_soupEntryId}"
            return ["values": .array(try await store.rows(sql))]
        }
    }

    private func column(_ sql: String, _ arguments: [JSONValue] = []) async throws -> [JSONValue] {
        try await store.rows(sql, arguments).compactMap { $0[0] }
    }
}
