// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

/// Brings the records of a SOQL query: all of them the first time, then those that changed.
///
/// The query gets what a sync needs and its author left out: the id, the modification date and an order by the latter.
/// See the README for the keys.
public struct SOQLSyncDownTarget: SyncDownTarget {
    /// The `type` of this target: `soql`.
    public static let name: PluginName = "soql"
    /// The names that the mobile SDKs have for a sync down by query.
    public static let aliases = PluginName.mobileSDKClass("SoqlSyncDownTarget")
    /// A target object with the one key that must be there.
    public static let sample = try? JSONText(
        #"{"type": "soql", "query": "SELECT FirstName, LastName, Title FROM Contact LIMIT 10000"}"#)

    /// Names the member of a record that entries are matched by; with `"rewrite": false` the query must select it.
    public let idField: String
    /// The field of the filter that a later run adds to the query.
    public let modificationDateField: String
    /// Whether that field is the query's first sort key, ascending; false for a query that cannot be read.
    public let ordersByModificationDate: Bool
    let query: SOQLPlan
    let maxBatchSize: Int
    let bulk: BulkMode
    let bulkThreshold: Int
    let deletes: DeleteMode
    /// The object that the query is about; nil for a query that cannot be read.
    let object: String?

    /// - Throws: ``SoupError`` with the place of what cannot be, such as a `query` that cannot be read;
    ///   `ConfigurationError` when there are several.
    public init(configuration: Configuration) throws {
        query = try configuration.checkedPlan()
        idField = configuration.idFieldName
        modificationDateField = configuration.modificationDateFieldName
        maxBatchSize = configuration.maxBatchSize
        bulk = configuration.bulk
        bulkThreshold = configuration.bulkThreshold
        deletes = configuration.deletes
        object = query.object
        ordersByModificationDate = query.isOrdered(by: modificationDateField)
    }

    /// A page of the query, which is narrowed to what changed since the high-water mark unless it is to be left alone.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`; `cursorExpired` when the server has forgotten the query.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page {
        try await unreadPage(after: cursor, in: context).read()
    }

    /// The same page; of the query's own pages the records are still to be read.
    ///
    /// - Throws: as ``page(after:in:)``, but for records that cannot be read.
    public func unreadPage(after cursor: PageCursor?, in context: SyncContext) async throws -> UnreadPage {
        if let cursor, let place = BulkQueryCursor(cursor) {
            // A job is only begun for a query of a known object: this one was another query's.
            guard let object else { return try await pageAgain(after: nil, in: context) }
            return try await bulkPage(at: place, of: object, in: context)
        }
        if let place = cursor.flatMap(Self.placeAgain) { return try await pageAgain(after: place, in: context) }
        let page = try await queryPage(after: cursor, in: context)
        guard cursor == nil, let first = try await bulkStart(for: page.head, in: context) else { return page }
        // The job brings these records again, so they are not written twice.
        var start = Page(
            .empty, next: first.pageCursor, totalSize: page.head.totalSize, serverTime: page.head.serverTime)
        start.job = .used
        return UnreadPage(start)
    }

    /// A page of the query itself, whose next page is announced.
    func queryPage(after cursor: PageCursor?, in context: SyncContext) async throws -> UnreadPage {
        let (answer, head) = try await context.queryPage(
            after: cursor, of: query.text(from: context.highWaterMark), batchSize: maxBatchSize,
            announcing: context.announceNext)
        return try UnreadPage(query: answer, head: head, limit: query.limit, bounds: query.bounds)
    }

    /// The number of records that the query finds now, by one request; nil for a query that cannot be counted.
    ///
    /// A query that is to be left alone is counted as it is, whatever the time: its object may not have the date.
    public func currentCount(unchangedSince time: Int64?, in context: SyncContext) async throws -> Int? {
        try await context.currentCount(
            of: query.text(from: context.highWaterMark), dateField: query.rewrites ? modificationDateField : nil,
            unchangedSince: time)
    }

    /// Whether a text has the form of an ID, if that is the field by which records are known.
    public func isPossibleId(_ id: String, part: Int) -> Bool { SalesforceID.isPossible(id, in: idField) }

    /// The fields that the query selects; none when it has functions such as `FIELDS()` among them, or cannot be read.
    public func broughtFields(part: Int) -> [BroughtFields] {
        guard let object, let fields = query.rowFields else { return [] }
        return [
            BroughtFields(of: object, fields, aliases: query.rowAliases, isWhole: !query.rewrites, at: "query")
        ]
    }

    /// Those of the ids that the query still finds; a LIMIT, and an OFFSET beside it, does not count.
    ///
    /// Without a limit, and with `"rewrite": false`, all of the query is read; else the ids are asked for in slices.
    /// Never nil.
    public func survivors(of ids: [String], part: Int, in context: SyncContext) async throws -> Set<String>? {
        guard query.isCut else {
            return try await context.found(
                ids, by: query.idsText, at: idField, dateField: query.rewrites ? modificationDateField : nil)
        }
        // A record that fell out of the first n by a change is no ghost: what counts is whether the rest of the query
        // finds it, asked for by id, since without its limit the query may find very many.
        var survivors: Set<String> = []
        for slice in SOQLIdList.slices(of: ids) {
            try Task.checkCancellation()
            survivors.formUnion(
                try await context.found(
                    slice.ids, by: query.idsText(among: slice), at: idField, asksForIds: true))
        }
        return survivors
    }
}
