// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupStore
internal import SoupCore

/// Runs the operations of a case on a store, and returns their results in the format of the cases.
struct StoreCaseRunner {
    let store: SmartStore
    let backend: any StoreBackend

    /// Registers the initial soups of a case.
    ///
    /// - Returns: the reason why the case cannot be run with the backend; nil if it can.
    func setUp(_ example: ConformanceCase) async throws -> String? {
        for soup in example.json["soups"]?.arrayValue ?? [] {
            let operation: JSONValue = [
                "op": "registerSoup", "soup": soup["name"] ?? .null, "indexes": soup["indexes"] ?? .null,
            ]
            if let reason = obstacle(to: operation) { return reason }
            _ = try await run(operation)
        }
        return nil
    }

    func result(of operation: JSONValue) async -> OperationResult {
        if let reason = obstacle(to: operation) { return .notRun(reason) }
        do {
            return .found(try await run(operation))
        } catch {
            return .found(["error": .string(error.caseCode)])
        }
    }

    private func obstacle(to operation: JSONValue) -> String? {
        let soup = (operation["soup"]?.stringValue).map { SoupName($0) }
        let capabilities = soup.map { backend.capabilities(of: $0) } ?? backend.capabilities
        return needs(operation).first { !capabilities.contains($0) }
            .map { "the backend does not have the capability \($0.rawValue)" }
    }

    /// Returns the capabilities that an operation requires.
    private func needs(_ operation: JSONValue) -> [StoreCapability] {
        let kinds = (operation["indexes"]?.arrayValue ?? []).compactMap { $0["type"]?.stringValue }
        var needs: [StoreCapability] = kinds.contains("full_text") ? [.fullText] : []
        if kinds.contains("json1") { needs.append(.json1) }
        switch operation["op"]?.stringValue {
        case "tableName", "columns", "indexNames", "indexSpecs", "indexColumn", "convert": needs.append(.sqlTables)
        case "alterSoup", "reIndexSoup": needs.append(.soupAlteration)
        case "query", "count", "cursor", "removeByQuery":
            switch operation["spec"]?["queryType"]?.stringValue {
            case "smart": needs.append(.smartSQL)
            case "match": needs.append(.fullText)
            default: break
            }
        default: break
        }
        return needs
    }

    private func run(_ operation: JSONValue) async throws -> JSONValue {
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
        try (operation["indexes"]?.arrayValue ?? []).map { try JSONText($0).decode(IndexSpec.self) }
    }

    func spec(_ operation: JSONValue) throws -> QuerySpec {
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
        case "remove": try await store.remove(ids, from: soup)
        default: try await store.remove(matching: try spec(operation), from: soup)
        }
        return ["ok": true]
    }

    private func query(_ operation: JSONValue, _ soup: SoupName) async throws -> JSONValue {
        let spec = try spec(operation)
        let page = Int(clamping: operation["page"]?.intValue ?? 0)
        switch operation["op"]?.stringValue {
        case "count": return ["count": .int(Int64(try await store.count(spec)))]
        case "cursor":
            guard spec.yieldsEntries else {
                return .cursor(try await store.move(try await store.rowCursor(spec, id: "1"), toPage: page), ids: [])
            }
            let cursor = try await store.move(try await store.cursor(spec, id: "1"), toPage: page)
            return .cursor(cursor, ids: cursor.page.entries)
        default:
            let arguments = operation["whereArgs"]?.arrayValue ?? []
            let page = try await store.read { try $0.query(spec, page: page, arguments: arguments) }
            return [
                "ids": .ids(page.entries), "rows": .array(page.rows.map { $0.value.withoutDates }),
                "elements": .array(page.entries.map { $0.json.value.withoutDates }),
            ]
        }
    }
}

extension JSONValue {
    fileprivate static func ids(_ entries: [SoupEntry]) -> JSONValue { .array(entries.map { .int($0.id) }) }

    fileprivate static func cursor<Page>(_ cursor: StoreCursor<Page>, ids entries: [SoupEntry]) -> JSONValue {
        [
            "totalEntries": .int(Int64(cursor.totalEntries)), "totalPages": .int(Int64(cursor.totalPages)),
            "pageSize": .int(Int64(cursor.spec.pageSize)), "currentPageIndex": .int(Int64(cursor.pageIndex)),
            "entryCount": .int(Int64(cursor.page.count)), "ids": .ids(entries),
        ]
    }
}
