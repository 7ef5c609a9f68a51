// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

extension SOQLSyncDownTarget {
    /// The target object of a `soql` sync.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The query, with LIMIT and ORDER BY if needed, without the parts that a sync adds.
        public var query: String
        /// Whether the target may complete and filter the query.
        ///
        /// If false, it is sent unchanged every time.
        public var rewrite: Bool
        /// The number of records per page, from 200 to 2000; the server may send fewer.
        public var maxBatchSize: Int
        /// The field with the server's ID; it is selected if the query omits it.
        public var idFieldName: String
        /// The field by which later runs are filtered; selected, and used for ordering unless the query has an order.
        public var modificationDateFieldName: String
        /// The way to find records that were deleted on the server; nil for the setting of the app.
        public var deletes: DeleteMode?
        /// The time before the high-water mark from which later runs fetch changes again; see `SyncDownTarget`.
        public var lookback: Duration
        /// Whether a first run with many records may read them with a Bulk 2.0 query job.
        public var bulk: BulkMode
        /// The number of records above which a job is used.
        public var bulkThreshold: Int

        /// Creates a configuration with its batch size clamped to 200...2000; the target checks the rest.
        public init(
            query: String, rewrite: Bool = true, maxBatchSize: Int = 2000, idFieldName: String = "Id",
            modificationDateFieldName: String = "LastModifiedDate", deletes: DeleteMode? = nil,
            bulk: BulkMode = .auto, bulkThreshold: Int = 100_000, lookback: Duration = .seconds(600)
        ) {
            self.query = query
            self.rewrite = rewrite
            self.maxBatchSize = min(max(maxBatchSize, 200), 2000)
            self.idFieldName = idFieldName
            self.modificationDateFieldName = modificationDateFieldName
            self.deletes = deletes
            self.bulk = bulk
            self.bulkThreshold = bulkThreshold
            self.lookback = lookback
        }

        private enum CodingKeys: String, CodingKey {
            case query
            case rewrite
            case maxBatchSize
            case deletes
            case bulk
            case bulkThreshold
        }

        /// Reads `query`, which is required, `rewrite`, `maxBatchSize`, `deletes`, `bulk`, `bulkThreshold`,
        /// `lookback` in seconds, and the keys of `RecordFieldNames`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let names = try RecordFieldNames(from: decoder)
            self.init(
                query: try container.decode(String.self, forKey: .query),
                rewrite: try container.decodeIfPresent(Bool.self, forKey: .rewrite) ?? true,
                maxBatchSize: try container.decodeIfPresent(Int.self, forKey: .maxBatchSize) ?? 2000,
                idFieldName: names.id, modificationDateFieldName: names.modificationDate,
                deletes: try container.decodeIfPresent(DeleteMode.self, forKey: .deletes),
                bulk: try container.decodeIfPresent(BulkMode.self, forKey: .bulk) ?? .auto,
                bulkThreshold: try container.decodeIfPresent(Int.self, forKey: .bulkThreshold) ?? 100_000,
                lookback: try Lookback(from: decoder).duration)
        }
    }
}

extension SOQLSyncDownTarget.Configuration {
    /// Returns the parsed query.
    ///
    /// - Throws: the problems of all keys, as the target's initializer does.
    func checkedPlan() throws -> SOQLPlan {
        var faults = ConfigurationFaults()
        faults.check { try SOQLCheck.field(idFieldName, at: "idFieldName") }
        faults.check { try SOQLCheck.field(modificationDateFieldName, at: "modificationDateFieldName") }
        var query = self
        let hasNames = faults.errors.isEmpty
        // A problem of the names must not be reported as a problem of the query.
        if !hasNames { (query.idFieldName, query.modificationDateFieldName) = ("Id", "LastModifiedDate") }
        let plan = faults.check { try SOQLPlan(query) }
        let names = RecordFieldNames(id: idFieldName, modificationDate: modificationDateFieldName)
        if hasNames, let problem = names.problem(with: deletes) { faults.add(problem) }
        if bulkThreshold < 0 {
            faults.add(
                SoupError(
                    .badConfiguration, "\(bulkThreshold) is not a number of records",
                    place: SoupError.Place(path: "bulkThreshold"),
                    hint: "Write 0 or more, or set \"bulk\": \"never\" to always read page by page."))
        }
        return try faults.finish(returning: plan)
    }
}

/// The queries of a target.
struct SOQLPlan: Sendable {
    /// The completed query; nil if it must be sent unchanged and cannot be parsed.
    private let rewriter: SOQLRewriter?
    private let original: String
    let rewrites: Bool
    private let names: RecordFieldNames

    init(_ configuration: SOQLSyncDownTarget.Configuration) throws {
        original = configuration.query
        rewrites = configuration.rewrite
        names = RecordFieldNames(
            id: configuration.idFieldName, modificationDate: configuration.modificationDateFieldName)
        do {
            guard rewrites else {
                rewriter = try? SOQLRewriter(original)
                if let query = rewriter?.query { try Self.requireIds(in: query, at: names.id) }
                return
            }
            let parsed = try SOQLRewriter(original)
            try Self.requireIds(in: parsed.query, at: names.id)
            rewriter = parsed.completed(idField: names.id, modificationDateField: names.modificationDate)
        } catch var error as SoupError {
            error.place = error.place ?? SoupError.Place()
            error.place?.path = "query"
            throw error
        }
    }

    /// Throws for a query that counts, sums or groups records, unless each of its rows has a value that identifies it.
    private static func requireIds(in query: SOQLQuery, at idField: String) throws {
        guard query.isAggregate else { return }
        let names = query.items.map { item -> String? in
            switch item {
            case .path(let path, let alias): alias ?? path.last
            case .call(_, let alias): alias
            case .child, .typeOf: nil
            }
        }
        guard query.grouping == nil || !names.contains(where: { $0?.lowercased() == idField.lowercased() }) else {
            return
        }
        throw SoupError(
            .badConfiguration,
            "the query counts or groups records, so its rows have no \"\(idField)\" by which they can be saved",
            hint:
                "Select the fields of records, without GROUP BY and functions such as count(). Group and count in the "
                + "store, with Smart SQL.")
    }

    func isOrdered(by field: String) -> Bool { rewriter?.isOrdered(by: field) ?? false }

    /// Returns the query for the records that changed after a time; for nil, of all records.
    ///
    /// - Parameter dateField: the field with the time of a change.
    func text(from mark: HighWaterMark?, by dateField: RecordFieldNames.DateField) -> String {
        guard rewrites, let rewriter else { return original }
        return mark.map { rewriter.changed(after: $0, modificationDateField: names.name(of: dateField)).text }
            ?? rewriter.text
    }

    /// The object of the query; nil if it cannot be parsed, or starts at another kind of source.
    var object: String? {
        guard let path = rewriter?.query.source.path, path.names.count == 1 else { return nil }
        return path.names.first
    }

    /// The fields of the rows; nil if the query does not determine them, or cannot be parsed.
    var rowFields: [String]? { rewriter?.query.rowFields }
    /// The row fields whose names the query itself defines.
    var rowAliases: [String] { rewriter?.query.rowAliases ?? [] }

    /// The selected fields, if a job can run the query and returns the same records: only fields of the object itself,
    /// no deleted records, no limit.
    var plainFields: [String]? {
        guard rewrites, let text = rewriter?.text, let query = try? SOQLRewriter(text).query, query.limit == nil,
            query.offset == nil, !query.allRows,
            query.joins.isEmpty, query.scope == nil, query.with == nil, query.grouping == nil, query.purposes.isEmpty,
            query.tracking.isEmpty
        else { return nil }
        var fields: [String] = []
        for item in query.items {
            guard case .path(let path, nil) = item, path.names.count == 1, let name = path.names.first else {
                return nil
            }
            fields.append(name)
        }
        return fields
    }

    /// The query for a job: without an order, which would prevent the server from dividing the work.
    var jobText: String { rewriter?.ordered(by: nil).text ?? original }

    /// The maximum number of records of the query; nil if it has none, or must be sent unchanged.
    var limit: Int? { rewrites ? rewriter?.query.limit : nil }

    /// The LIMIT and the OFFSET of the query as it is sent; empty for a query that cannot be parsed.
    var bounds: QueryBounds { QueryBounds(limit: rewriter?.query.limit, offset: rewriter?.query.offset) }

    /// Whether a record can leave the query by a change; false for a query that must be sent unchanged.
    var hasConditions: Bool {
        guard rewrites, let query = rewriter?.query else { return false }
        return query.condition != nil || query.scope != nil || query.with != nil
    }

    /// Whether a LIMIT or an OFFSET excludes records that match the conditions.
    var isCut: Bool { rewrites && (rewriter?.query.limit != nil || rewriter?.query.offset != nil) }

    /// The query for the IDs of all records; the query itself if it must be sent unchanged.
    var idsText: String {
        guard rewrites, let rewriter else { return original }
        return rewriter.remoteIds(idField: names.id).text
    }

    /// Returns the query for those of some IDs whose records match, at any position in the order.
    func idsText(among slice: SOQLIdList.Slice) -> String {
        guard rewrites, let rewriter else { return original }
        return rewriter.unlimited.adding(condition: "\(names.id) IN \(slice.text)").remoteIds(idField: names.id).text
    }
}
