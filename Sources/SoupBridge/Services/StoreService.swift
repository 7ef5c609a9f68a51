// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import SoupStore

/// The service `com.salesforce.smartstore`: soups, entries, queries and stores.
struct StoreService: BridgeService {
    let name = "com.salesforce.smartstore"
    let stores: any BridgeStores

    var actionNames: [String] { Self.actions.keys.sorted() }
    let readingActions: Set = [
        "pgSoupExists", "pgGetSoupIndexSpecs", "pgRetrieveSoupEntries", "pgQuerySoup", "pgRunSmartQuery",
        "pgMoveCursorToPageIndex", "pgCloseCursor", "pgGetDatabaseSize", "pgGetAllStores", "pgGetAllGlobalStores",
    ]

    func action(_ name: String) -> Action? {
        guard let action = Self.actions[name] else { return nil }
        return { try await action(self)($0) }
    }

    private static let actions: [String: @Sendable (Self) -> Action] = [
        "pgRegisterSoup": { $0.registerSoup }, "pgSoupExists": { $0.soupExists }, "pgRemoveSoup": { $0.removeSoup },
        "pgClearSoup": { $0.clearSoup }, "pgGetSoupIndexSpecs": { $0.indexSpecs }, "pgAlterSoup": { $0.alterSoup },
        "pgReIndexSoup": { $0.reIndexSoup }, "pgUpsertSoupEntries": { $0.upsert },
        "pgRetrieveSoupEntries": { $0.retrieve }, "pgRemoveFromSoup": { $0.remove }, "pgQuerySoup": { $0.query },
        "pgRunSmartQuery": { $0.runSmartQuery }, "pgMoveCursorToPageIndex": { $0.moveCursor },
        "pgCloseCursor": { $0.closeCursor }, "pgGetDatabaseSize": { $0.databaseSize },
        "pgGetAllStores": { service in { _ in try await service.list(isGlobal: false) } },
        "pgGetAllGlobalStores": { service in { _ in try await service.list(isGlobal: true) } },
        "pgRemoveStore": { $0.removeStore },
        "pgRemoveAllStores": { service in { try await service.removeAll(isGlobal: false, $0) } },
        "pgRemoveAllGlobalStores": { service in { try await service.removeAll(isGlobal: true, $0) } },
        "pgShowInspector": { _ in { _ in throw SoupError.noInspector } },
    ]

    private func store(of request: BridgeRequest) async throws -> SmartStore {
        try await stores.open(request.store).store
    }

    // MARK: - Soups

    private func registerSoup(_ request: BridgeRequest) async throws -> JSONText? {
        let soup = try request.writableSoup
        try await store(of: request).registerSoup(soup, try request.indexSpecs)
        return .string(soup.rawValue)
    }

    private func soupExists(_ request: BridgeRequest) async throws -> JSONText? {
        try await store(of: request).soupExists(try request.soup) ? .true : .false
    }

    private func removeSoup(_ request: BridgeRequest) async throws -> JSONText? {
        try await store(of: request).removeSoup(try request.writableSoup)
        return .done
    }

    private func clearSoup(_ request: BridgeRequest) async throws -> JSONText? {
        try await store(of: request).clearSoup(try request.writableSoup)
        return .done
    }

    private func indexSpecs(_ request: BridgeRequest) async throws -> JSONText? {
        let specs = try await store(of: request).indexSpecs(of: try request.soup)
        return .array(
            specs.map { .object([("path", .string($0.path.rawValue)), ("type", .string($0.kind.rawValue))]) })
    }

    private func alterSoup(_ request: BridgeRequest) async throws -> JSONText? {
        let soup = try request.writableSoup
        let reIndex = try request.arguments.flag("reIndexData") ?? false
        try await store(of: request).alterSoup(soup, to: try request.indexSpecs, reIndex: reIndex)
        return .string(soup.rawValue)
    }

    private func reIndexSoup(_ request: BridgeRequest) async throws -> JSONText? {
        let soup = try request.writableSoup
        let paths = try request.arguments.requiredTexts("paths").map { JSONPath($0) }
        try await store(of: request).reIndexSoup(soup, paths: paths)
        return .string(soup.rawValue)
    }

    // MARK: - Entries

    private func upsert(_ request: BridgeRequest) async throws -> JSONText? {
        let path = try request.arguments.text("externalIdPath").flatMap {
            $0 == EntryField.entryId ? nil : JSONPath($0)
        }
        let entries = try await store(of: request).upsert(
            try request.arguments.requiredList("entries"), into: try request.writableSoup, externalIdPath: path)
        return .array(entries.map(\.json))
    }

    private func retrieve(_ request: BridgeRequest) async throws -> JSONText? {
        let ids = try request.arguments.requiredIntegers("entryIds")
        let found = try await store(of: request).retrieve(ids, from: try request.soup)
        let entries = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        return .array(ids.compactMap { entries[$0]?.json })
    }

    private func remove(_ request: BridgeRequest) async throws -> JSONText? {
        let soup = try request.writableSoup
        let store = try await store(of: request)
        if request.arguments["entryIds"] != nil {
            try await store.remove(try request.arguments.requiredIntegers("entryIds"), from: soup)
            return .done
        }
        guard let json = request.arguments["querySpec"] else { throw BridgeArguments.missing("entryIds or querySpec") }
        let spec = try QuerySpec(json: json.value, soup: soup)
        try await store.write { writer in
            // The spec's page size is the number of entries that one removal deletes; the API removes all of them.
            var all = spec
            all.pageSize = max(1, try writer.count(spec))
            _ = try writer.remove(matching: all, from: soup)
        }
        return .done
    }

    // MARK: - Queries

    private func query(_ request: BridgeRequest) async throws -> JSONText? {
        let json = try request.querySpec
        guard json["queryType"]?.stringValue != "smart" else {
            throw SoupError(
                .badQuerySpec, "querySoup cannot run smart queries", hint: "Pass the query spec to runSmartQuery.")
        }
        return try await openCursor(QuerySpec(json: json, soup: try request.soup), request)
    }

    private func runSmartQuery(_ request: BridgeRequest) async throws -> JSONText? {
        let json = try request.querySpec
        guard json["queryType"]?.stringValue == "smart" else {
            throw SoupError(
                .badQuerySpec, "runSmartQuery can only run smart queries", hint: #"Use "queryType": "smart"."#)
        }
        return try await openCursor(QuerySpec(json: json, soup: nil), request)
    }

    private func openCursor(_ spec: QuerySpec, _ request: BridgeRequest) async throws -> JSONText? {
        let session = request.session
        let (place, page) = try await store(of: request).openCursor(spec, id: session.newCursorId())
        session.save(place, of: try request.store)
        return place.json(page.texts)
    }

    private func moveCursor(_ request: BridgeRequest) async throws -> JSONText? {
        let index = try request.arguments.requiredInteger("index")
        let cursor = try request.session.cursor(try request.cursorId, of: try request.store)
        let (place, page) = try await store(of: request).move(cursor, toPage: Int(clamping: index))
        request.session.replace(place)
        return place.json(page.texts)
    }

    private func closeCursor(_ request: BridgeRequest) async throws -> JSONText? {
        request.session.closeCursor(try request.cursorId, of: try request.store)
        return .done
    }

    // MARK: - Stores

    private func databaseSize(_ request: BridgeRequest) async throws -> JSONText? {
        .integer(try await store(of: request).databaseSize())
    }

    private func list(isGlobal: Bool) async throws -> JSONText? {
        .array(
            try await stores.names(isGlobal: isGlobal).map { name in
                .object([("storeName", .string(name)), ("isGlobalStore", isGlobal ? .true : .false)])
            })
    }

    private func removeStore(_ request: BridgeRequest) async throws -> JSONText? {
        try await remove(try request.store, request)
        return .true
    }

    private func removeAll(isGlobal: Bool, _ request: BridgeRequest) async throws -> JSONText? {
        for name in try await stores.names(isGlobal: isGlobal) {
            try await remove(BridgeStoreName(name, isGlobal: isGlobal), request)
        }
        return .true
    }

    private func remove(_ name: BridgeStoreName, _ request: BridgeRequest) async throws {
        try await stores.remove(name)
        request.closeCursors(name)
    }
}

extension BridgeRequest {
    /// The soup that the call names, for an action that writes.
    ///
    /// - Throws: ``SoupError`` with `badSoupName` for a soup of the syncs: without their data, no sync can run.
    fileprivate var writableSoup: SoupName {
        get throws {
            let soup = try soup
            guard let purpose = soup.purpose else { return soup }
            throw SoupError(
                .badSoupName, "the syncs maintain the soup \"\(soup)\": \(purpose)",
                hint: "Use another name. Delete a sync with deleteSync.")
        }
    }

    fileprivate var querySpec: JSONValue {
        get throws {
            guard let json = arguments["querySpec"] else { throw BridgeArguments.missing("querySpec") }
            return json.value
        }
    }

    /// The identifier of a cursor, which some libraries send as a number.
    fileprivate var cursorId: String {
        get throws {
            guard let json = arguments["cursorId"] else { throw BridgeArguments.missing("cursorId") }
            return json.string ?? json.description
        }
    }

    fileprivate var indexSpecs: [IndexSpec] {
        get throws {
            try arguments.requiredList("indexes").enumerated().map { index, json in
                let spec = json.value
                guard let path = spec["path"]?.stringValue, !path.isEmpty else {
                    throw BridgeArguments.missing("indexes[\(index)].path")
                }
                let type = spec["type"]?.stringValue ?? ""
                guard let known = IndexSpec.Kind(rawValue: type) else {
                    throw SoupError(
                        .badArgument, "indexes[\(index)].type must be a type of an index, not \"\(type.excerpt(100))\"",
                        hint: "Known: \(IndexSpec.Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
                }
                return IndexSpec(JSONPath(path), known)
            }
        }
    }
}

extension SoupError {
    fileprivate static let noInspector = SoupError(
        .notSupported, "a page cannot open the inspector", hint: "Run soup inspect.")
}
