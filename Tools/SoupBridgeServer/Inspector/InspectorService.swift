// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupBridge
internal import SoupCore
internal import SoupStore
internal import SoupSync

/// The service of the inspector's page: what the services of apps do not show.
struct InspectorService: BridgeService {
    let name = "soupkit.inspector"
    let stores: any BridgeStores
    /// The store that is inspected; the page does not name it.
    let store: BridgeStoreName
    let isWritable: Bool

    var actionNames: [String] { Self.actions.keys.sorted() }
    var readingActions: Set<String> { Set(actionNames) }

    func action(_ name: String) -> Action? {
        guard let action = Self.actions[name] else { return nil }
        return { try await action(self)($0) }
    }

    private static let actions: [String: @Sendable (Self) -> Action] = [
        "overview": { $0.overview }, "plan": { $0.plan }, "dirty": { $0.dirty }, "syncs": { $0.syncs },
    ]

    /// Returns the sizes of the store and its soups.
    ///
    /// `{"isGlobalStore", "storeName", "isWritable", "databaseSize", "freeSize", "logSize", "soups": [...]}`, and for
    /// each soup `{"name", "entries", "dirty", "isInternal", "indexes": [{"path", "type"}]}`.
    private func overview(_ request: BridgeRequest) async throws -> JSONText? {
        let opened = try await stores.open(store).store
        let statistics = try await opened.statistics()
        var soups: [JSONText] = []
        for soup in statistics.soups {
            let specs = try await opened.indexSpecs(of: soup.name)
            soups.append(
                .object([
                    ("name", .string(soup.name.rawValue)), ("entries", .integer(soup.entries)),
                    ("dirty", .integer(soup.dirty)),
                    ("isInternal", SoupName.reserved.contains(soup.name) ? .true : .false),
                    (
                        "indexes",
                        .array(
                            specs.map { spec in
                                .object([
                                    ("path", .string(spec.path.rawValue)), ("type", .string(spec.kind.rawValue)),
                                ])
                            })
                    ),
                ]))
        }
        return .object([
            ("isGlobalStore", store.isGlobal ? .true : .false), ("storeName", .string(store.name)),
            ("isWritable", isWritable ? .true : .false), ("databaseSize", .integer(statistics.databaseSize)),
            ("freeSize", .integer(statistics.freeSize)), ("logSize", .integer(statistics.logSize)),
            ("soups", .array(soups)),
        ])
    }

    /// Returns the lines of a query's plan.
    private func plan(_ request: BridgeRequest) async throws -> JSONText? {
        guard let json = request.arguments["querySpec"] else { throw BridgeArguments.missing("querySpec") }
        let soup = try request.arguments.text("soupName").map { SoupName($0) }
        let lines = try await stores.open(store).store.plan(of: QuerySpec(json: json.value, soup: soup))
        return .array(lines.map { .string($0) })
    }

    /// Returns a page of the entries of a soup with local changes.
    ///
    /// `{"total", "rows": [{"entry", "base", "error"}]}`; `base` is the version before the local changes, and `error`
    /// what the last push reported; each is null if unknown.
    private func dirty(_ request: BridgeRequest) async throws -> JSONText? {
        let soup = SoupName(try request.arguments.requiredText("soupName"))
        let page = Int(clamping: max(0, try request.arguments.integer("page") ?? 0))
        let size = Int(clamping: min(max(1, try request.arguments.integer("pageSize") ?? 25), 200))
        return try await stores.open(store).store.read { reader in
            let ids = try reader.dirtyIds(in: soup)
            let start = page.multipliedReportingOverflow(by: size)
            let shown = start.overflow ? [] : Array(ids.dropFirst(start.partialValue).prefix(size))
            let bases = try reader.syncedCopies(of: shown, in: soup)
            let rows = try reader.retrieve(shown, from: soup).map { entry -> JSONText in
                let error = entry[JSONPath(EntryField.lastError)]
                return .object([
                    ("entry", entry.json), ("base", bases[entry.id] ?? .null),
                    ("error", (try? error?.jsonText()) ?? .null),
                ])
            }
            return .object([("total", .integer(ids.count)), ("rows", .array(rows))])
        }
    }

    /// Returns the rows of the syncs; a store without syncs has none.
    private func syncs(_ request: BridgeRequest) async throws -> JSONText? {
        try await stores.open(store).store.read { reader in
            let soup: SoupName = "syncs_soup"
            guard try reader.soupExists(soup) else { return .array([]) }
            var rows: [JSONText] = []
            try reader.walk(.all(soup, orderedBy: JSONPath(EntryField.entryId), pageSize: 500)) { page in
                rows += page.texts
                return true
            }
            return .array(rows)
        }
    }
}
