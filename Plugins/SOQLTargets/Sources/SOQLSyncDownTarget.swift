// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Fetches the records of a SOQL query: all of them the first time, then those that changed.
///
/// The target adds the missing parts that a sync needs: the ID, the modification date and an order by it. See the
/// README for the keys.
public struct SOQLSyncDownTarget: SyncDownTarget {
    /// The `type` of this target: `soql`.
    public static let name: PluginName = "soql"
    /// The names of the mobile SDKs for a sync down by query.
    public static let aliases = PluginName.mobileSDKClass("SoqlSyncDownTarget")
    /// A target object with only the required key.
    public static let sample = try? JSONText(
        #"{"type": "soql", "query": "SELECT FirstName, LastName, Title FROM Contact LIMIT 10000"}"#)

    /// The member of a record by which entries are matched; with `"rewrite": false` the query must select it.
    public let idField: String
    /// The field of the filter that a later run adds to the query.
    public let modificationDateField: String
    /// Whether that field is the query's first sort key, ascending; false for a query that cannot be parsed.
    public let ordersByModificationDate: Bool
    let query: SOQLPlan
    let maxBatchSize: Int
    let bulk: BulkMode
    let bulkThreshold: Int
    let deletes: DeleteMode?
    /// The key `lookback`.
    public let lookback: Duration
    /// The object of the query; nil for a query that cannot be parsed.
    let object: String?

    /// - Throws: ``SoupError`` with the place of the invalid key, such as a `query` that cannot be parsed;
    ///   `ConfigurationError` for several problems.
    public init(configuration: Configuration) throws {
        query = try configuration.checkedPlan()
        idField = configuration.idFieldName
        modificationDateField = configuration.modificationDateFieldName
        maxBatchSize = configuration.maxBatchSize
        bulk = configuration.bulk
        bulkThreshold = configuration.bulkThreshold
        deletes = configuration.deletes
        lookback = configuration.lookback
        object = query.object
        ordersByModificationDate = query.isOrdered(by: modificationDateField)
    }

    /// Fetches a page of the query, which is limited to records that changed since the high-water mark unless it must
    /// be sent unchanged.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`; `cursorExpired` if the server no longer has the query.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        try await unreadPage(after: cursor, in: context).read()
    }

    /// Fetches the same page; the records of the query's own pages are not parsed yet.
    ///
    /// - Throws: as ``page(after:in:)``, except for records that cannot be read.
    public func unreadPage(after cursor: PageCursor?, in context: SyncContext) async throws -> UnreadPage {
        if let cursor, let place = BulkQueryCursor(cursor) {
            // A job is started only for a query of a known object, so this job belongs to another query.
            guard let object else { return try await restartedPage(after: nil, in: context) }
            return try await bulkPage(at: place, of: object, in: context)
        }
        if let place = cursor.flatMap(Self.queryCursor(ofRestart:)) {
            return try await restartedPage(after: place, in: context)
        }
        let page = try await queryPage(after: cursor, in: context)
        guard cursor == nil, let first = try await bulkStart(for: page.head, in: context) else { return page }
        // The job also returns these records, so they are not written twice.
        var start = RecordPage(
            .empty, next: first.pageCursor, totalSize: page.head.totalSize, serverTime: page.head.serverTime)
        start.bulkQuery = .used
        return UnreadPage(start)
    }

    /// Fetches a page of the query itself, and announces its next page.
    func queryPage(after cursor: PageCursor?, in context: SyncContext) async throws -> UnreadPage {
        let client = SalesforceClient(context)
        let (answer, head) = try await client.byDateOfAnyChange { dateField in
            try await client.queryPage(
                after: cursor, of: query.text(from: context.highWaterMark, by: dateField), batchSize: maxBatchSize)
        }
        var page = try UnreadPage(query: answer, head: head, limit: query.limit, bounds: query.bounds)
        page.head.hasAllChanges = query.rewrites && !query.isCut
        return page
    }

    /// Returns the number of records that the query finds now, with one request; nil for a query that cannot be
    /// counted.
    ///
    /// A query that must be sent unchanged is counted without the time, because its object may not have the date field.
    public func currentCount(unchangedSince time: Date?, in context: SyncContext) async throws -> Int? {
        let client = SalesforceClient(context)
        return try await client.byDateOfAnyChange { dateField in
            try await client.currentCount(
                of: query.text(from: context.highWaterMark, by: dateField),
                dateField: query.rewrites ? modificationDateField : nil, unchangedSince: time)
        }
    }

    /// Returns whether a text can be a value of the ID field; a value of `Id` must have the form of an ID.
    public func isPossibleId(_ id: String, level: Int) -> Bool { SalesforceID.isPossible(id, in: idField) }

    /// Returns a warning for a query that must be sent unchanged and does not select the modification date.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        FieldListCheck.unchanged(selecting: query.rewrites ? nil : query.rowFields, date: modificationDateField)
    }

    /// Returns the selected fields; empty if the query uses functions such as `FIELDS()`, or cannot be parsed.
    public func fetchedFields(level: Int) -> [FetchedFields] {
        guard let object, let fields = query.rowFields else { return [] }
        return [
            FetchedFields(of: object, fields, aliases: query.rowAliases, isWhole: !query.rewrites, at: "query")
        ]
    }

    /// Returns the given IDs that the query still finds; a LIMIT, and an OFFSET with it, is ignored.
    ///
    /// Without a limit, and with `"rewrite": false`, the whole query is read; otherwise the IDs are requested in
    /// slices. Never returns nil.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        let client = SalesforceClient(context)
        guard query.isCut || query.rewrites && client.prefersSlices(ids) else {
            return try await client.found(
                ids, by: query.idsText, at: idField, dateField: query.rewrites ? modificationDateField : nil)
        }
        // A record that a change moved out of the first n is not a ghost: it survives if the query without its limit
        // finds it. The records are requested by ID, because that query may find very many.
        var survivors: Set<String> = []
        for slice in SOQLIdList.slices(of: ids) {
            try Task.checkCancellation()
            survivors.formUnion(
                try await client.found(
                    slice.ids, by: query.idsText(among: slice), at: idField, asksForIds: true))
        }
        return survivors
    }
}
