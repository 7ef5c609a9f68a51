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
    /// `{"total", "rejected", "rows": [{"entry", "base", "error"}]}`: `total` is the number of entries on all pages,
    /// and `rejected` that of entries whose last push failed; with `rejectedOnly`, only these are on the pages. `base`
    /// is the version before the local changes, and `error` what the last push reported; each is null if unknown.
    private func dirty(_ request: BridgeRequest) async throws -> JSONText? {
        let soup = SoupName(try request.arguments.requiredText("soupName"))
        let page = Int(clamping: max(0, try request.arguments.integer("page") ?? 0))
        let size = Int(clamping: min(max(1, try request.arguments.integer("pageSize") ?? 25), 200))
        let rejectedOnly = try request.arguments.flag("rejectedOnly") ?? false
        return try await stores.open(store).store.read { reader in
            let dirty = try reader.dirtyIds(in: soup)
            let rejected = try Self.rejectedIds(dirty, of: soup, in: reader)
            let ids = rejectedOnly ? rejected : dirty
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
            return .object([
                ("total", .integer(ids.count)), ("rejected", .integer(rejected.count)), ("rows", .array(rows)),
            ])
        }
    }

    /// Returns the IDs of the entries with an error of their last push; reads a limited number of entries at a time.
    private static func rejectedIds(
        _ ids: [Int64], of soup: SoupName, in reader: any StoreReader
    ) throws -> [Int64] {
        var rejected: [Int64] = []
        for start in stride(from: 0, to: ids.count, by: 500) {
            let batch = Array(ids[start..<min(start + 500, ids.count)])
            let failed = try reader.retrieve(batch, from: soup).filter { entry in
                entry[JSONPath(EntryField.lastError)]?.stringValue?.isEmpty == false
            }
            let failedIds = Set(failed.map(\.id))
            rejected += batch.filter { failedIds.contains($0) }
        }
        return rejected
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
