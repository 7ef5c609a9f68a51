// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SQLiteStore
import SmartStore
import SoupCore
import Synchronization

/// Runs the operations of one data case and says what came of each, in the words of the cases.
struct StoreCasePlayer {
    let backend: SQLiteStore
    let store: SmartStore

    func outcome(of operation: JSONValue) async -> JSONValue {
        do {
            return try await run(operation)
        } catch {
            return ["error": .string((error as? SoupError)?.code.rawValue ?? "\(error)")]
        }
    }

    func run(_ operation: JSONValue) async throws -> JSONValue {
        let soup = SoupName(operation["soup"]?.stringValue ?? "")
        switch operation["op"]?.stringValue ?? "" {
        case "registerSoup":
            try await store.registerSoup(soup, try specs(operation))
            return ["ok": true]
        case "removeSoup":
            try await store.removeSoup(soup)
            return ["ok": true]
        case "clearSoup":
            try await store.clearSoup(soup)
            return ["ok": true]
        case "alterSoup":
            try await store.alterSoup(
                soup, to: try specs(operation), reIndex: operation["reIndexData"]?.boolValue ?? true)
            return ["ok": true]
        case "reIndexSoup":
            let paths = (operation["paths"]?.arrayValue ?? []).compactMap(\.stringValue).map { JSONPath($0) }
            try await store.reIndexSoup(soup, paths: paths)
            return ["ok": true]
        case "soupExists": return ["exists": .bool(try await store.soupExists(soup))]
        case "tableName", "columns", "indexNames", "indexSpecs", "indexColumn":
            return try await schema(operation, soup)
        case "project": return try project(operation)
        case "upsert", "retrieve", "lookup", "remove", "removeByQuery": return try await entries(operation, soup)
        case "query", "count", "cursor": return try await query(operation, soup)
        case "specSql":
            let spec = try spec(operation)
            return [
                "smartSql": .string(spec.smartSQL), "countSmartSql": .string(spec.countSmartSQL),
                "idsSmartSql": .string(spec.idsSmartSQL),
            ]
        case "convert": return ["sql": .string(try await backend.convert(operation["smartSql"]?.stringValue ?? ""))]
        case "qualify":
            let key = operation["key"]?.stringValue ?? ""
            return ["key": .string(SmartSQL.qualifyMatchKey(key, field: operation["field"]?.stringValue))]
        case let other: return ["error": .string("unknown operation \(other)")]
        }
    }

    private func specs(_ operation: JSONValue) throws -> [IndexSpec] {
        try JSONText(operation["indexes"] ?? []).decode([IndexSpec].self)
    }

    private func spec(_ operation: JSONValue) throws -> QuerySpec {
        try QuerySpec(
            json: operation["spec"] ?? .null, soup: operation["soup"]?.stringValue.map { SoupName($0) })
    }

    private func project(_ operation: JSONValue) throws -> JSONValue {
        let path = JSONPath(operation["path"]?.stringValue ?? "")
        guard let value = try JSONText(operation["json"] ?? .null)[path] else { return ["missing": true] }
        return ["value": value]
    }

    private func entries(_ operation: JSONValue, _ soup: SoupName) async throws -> JSONValue {
        let ids = (operation["ids"]?.arrayValue ?? []).compactMap(\.intValue)
        switch operation["op"]?.stringValue {
        case "upsert":
            let records = try (operation["entries"]?.arrayValue ?? []).map { try JSONText($0) }
            let path = operation["externalIdPath"]?.stringValue.map { JSONPath($0) }
            return ["ids": .ids(try await store.upsert(records, into: soup, externalIdPath: path))]
        case "retrieve":
            let entries = try await store.retrieve(ids, from: soup)
            return ["elements": .array(entries.map { $0.json.value.withoutDates }), "ids": .ids(entries)]
        case "lookup":
            let path = JSONPath(operation["path"]?.stringValue ?? "")
            let id = try await store.lookup(operation["value"] ?? .null, at: path, in: soup)
            return ["id": id.map { .int($0) } ?? .null]
        case "remove": try await store.delete(ids, from: soup)
        default: try await store.delete(matching: try spec(operation), from: soup)
        }
        return ["ok": true]
    }

    private func query(_ operation: JSONValue, _ soup: SoupName) async throws -> JSONValue {
        let spec = try spec(operation)
        switch operation["op"]?.stringValue {
        case "count": return ["count": .int(Int64(try await store.count(spec)))]
        case "cursor":
            let opened = try await store.cursor(spec, id: "1")
            let cursor = try await store.move(opened, toPage: Int(operation["page"]?.intValue ?? 0))
            return [
                "totalEntries": .int(Int64(cursor.totalEntries)), "totalPages": .int(Int64(cursor.totalPages)),
                "pageSize": .int(Int64(spec.pageSize)), "currentPageIndex": .int(Int64(cursor.pageIndex)),
                "entryCount": .int(Int64(cursor.page.count)), "ids": .ids(cursor.page.entries),
            ]
        default:
            let page = try await store.query(
                spec, page: Int(operation["page"]?.intValue ?? 0), arguments: operation["whereArgs"]?.arrayValue ?? [])
            return [
                "ids": .ids(page.entries), "rows": .array(page.rows.map { $0.value.withoutDates }),
                "elements": .array(page.entries.map { $0.json.value.withoutDates }),
            ]
        }
    }

    // MARK: The tables themselves, which Smart SQL can look at too

    private func schema(_ operation: JSONValue, _ soup: SoupName) async throws -> JSONValue {
        let number = try await column("select id from soup_attrs where soupName = ?", [.string(soup.rawValue)]).first
        let table = "TABLE_\(number ?? .null)"
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

extension JSONValue {
    fileprivate static func ids(_ entries: [SoupEntry]) -> JSONValue { .array(entries.map { .int($0.id) }) }

    /// The value without the dates of its entries, which differ from run to run.
    fileprivate var withoutDates: JSONValue {
        switch self {
        case .array(let values): return .array(values.map(\.withoutDates))
        case .object(var object):
            object[EntryField.lastModified] = nil
            return .object(object)
        default: return self
        }
    }
}

/// A clock that goes on by one millisecond whenever somebody looks at it.
final class TickingClock: SoupClock {
    private let time = Mutex<Int64>(1_700_000_000_000)
    var now: Int64 {
        time.withLock { time in
            time += 1
            return time
        }
    }
    func sleep(milliseconds: Int64) async throws {}
}
