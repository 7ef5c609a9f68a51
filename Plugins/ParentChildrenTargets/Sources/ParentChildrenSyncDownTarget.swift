// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Fetches record trees: parents with their children, level by level, each level into its own soup.
///
/// A later run fetches the parents that changed, with all their descendants, and then the children that changed while
/// their parents did not. Each level has its own high-water mark.
public struct ParentChildrenSyncDownTarget: SyncDownTarget {
    /// The `type` of this target, `parent_children`, which the sync-up target shares.
    public static let name: PluginName = "parent_children"
    /// The names of the mobile SDKs for sync downs with this target.
    public static let aliases = PluginName.mobileSDKClass("ParentChildrenSyncDownTarget")
    /// Accounts with their contacts, and those with their tasks: a relationship, a filter and a list for each level.
    public static let sample = try? JSONText(
        """
        {"type": "parent_children", "relationshipType": "MASTER_DETAIL",
         "parent": {"sobjectType": "Account", "soupName": "accounts"},
         "parentFieldlist": ["Name", "Description"], "parentSoqlFilter": "Name LIKE 'James%'",
         "children": {"sobjectType": "Contact", "sobjectTypePlural": "Contacts", "soupName": "contacts",
                      "parentIdFieldName": "AccountId", "fieldlist": ["LastName", "AccountId"],
                      "children": {"sobjectType": "Task", "sobjectTypePlural": "Tasks", "soupName": "tasks",
                                   "parentIdFieldName": "WhoId", "fieldlist": ["Subject", "WhoId"]}}}
        """)

    /// The target object of a `parent_children` sync down.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The parent and its children: the keys `parent`, `children` and `relationshipType`.
        public var tree: RecordTreeInfo
        /// The fields of parents to fetch; ID and modification date are added if they are missing.
        public var parentFieldlist: [String]
        /// The fields of the only child level if it has no list of its own; completed like those of the parents.
        public var childrenFieldlist: [String]?
        /// The WHERE condition that parents must meet; empty for all.
        public var parentSoqlFilter: String
        /// The number of records per page, from 200 to 2000; the server also counts children.
        public var maxBatchSize: Int
        /// Whether a later run fetches only those children of a changed parent that changed as well.
        ///
        /// This reduces the number of fetched records. It misses unchanged children whose parent has changed so that it
        /// now meets the filter.
        public var changedChildrenOnly: Bool
        /// Whether a later run also fetches the children that changed while their parents did not.
        ///
        /// This needs one more query for each child level. Default true.
        public var childrenOfUnchangedParents: Bool
        /// The time before the high-water marks from which later runs fetch changes again; see `SyncDownTarget`.
        public var lookback: Duration
        /// The way to find records of each level that were deleted on the server, or left the tree; nil for the setting
        /// of the app.
        public var deletes: DeleteMode?

        /// Creates a configuration with its batch size clamped to 200...2000; the target checks filter and fields.
        public init(
            tree: RecordTreeInfo, parentFieldlist: [String], childrenFieldlist: [String]? = nil,
            parentSoqlFilter: String = "", maxBatchSize: Int = 2000, changedChildrenOnly: Bool = false,
            childrenOfUnchangedParents: Bool = true, lookback: Duration = .seconds(600),
            deletes: DeleteMode? = nil
        ) {
            self.tree = tree
            self.parentFieldlist = parentFieldlist
            self.childrenFieldlist = childrenFieldlist
            self.parentSoqlFilter = parentSoqlFilter
            self.maxBatchSize = min(max(maxBatchSize, 200), 2000)
            self.changedChildrenOnly = changedChildrenOnly
            self.childrenOfUnchangedParents = childrenOfUnchangedParents
            self.lookback = lookback
            self.deletes = deletes
        }

        private enum CodingKeys: String, CodingKey {
            case parentFieldlist
            case childrenFieldlist
            case parentSoqlFilter
            case maxBatchSize
            case changedChildrenOnly
            case childrenOfUnchangedParents
            case deletes
            /// The mobile SDKs write their query here when they save a target.
            case query
        }

        /// Reads the keys that have the names of the properties, and those of ``RecordTreeInfo``.
        ///
        /// A field list is required for each level. A `maxBatchSize` of 0 or below counts as the default, 2000.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let size = try container.decodeIfPresent(Int.self, forKey: .maxBatchSize) ?? 0
            // The key is valid but ignored: the query is built from the other keys.
            _ = container.contains(.query)
            self.init(
                tree: try RecordTreeInfo(from: decoder),
                parentFieldlist: try container.decode([String].self, forKey: .parentFieldlist),
                childrenFieldlist: try container.decodeIfPresent([String].self, forKey: .childrenFieldlist),
                parentSoqlFilter: try container.decodeIfPresent(String.self, forKey: .parentSoqlFilter) ?? "",
                maxBatchSize: size > 0 ? size : 2000,
                changedChildrenOnly: try container.decodeIfPresent(Bool.self, forKey: .changedChildrenOnly) ?? false,
                childrenOfUnchangedParents: try container.decodeIfPresent(
                    Bool.self, forKey: .childrenOfUnchangedParents) ?? true,
                lookback: try Lookback(from: decoder).duration,
                deletes: try container.decodeIfPresent(DeleteMode.self, forKey: .deletes))
        }

        /// The equivalent target object, for a ``SyncDefinition``.
        public var target: TargetReference {
            var json = tree.json
            json["parentFieldlist"] = .strings(parentFieldlist)
            json["childrenFieldlist"] = childrenFieldlist.map { .strings($0) }
            json["parentSoqlFilter"] = .string(parentSoqlFilter)
            json["maxBatchSize"] = .int(Int64(maxBatchSize))
            json["changedChildrenOnly"] = .bool(changedChildrenOnly)
            json["childrenOfUnchangedParents"] = .bool(childrenOfUnchangedParents)
            if lookback != Lookback.standard { json["lookback"] = Lookback.json(lookback) }
            json["deletes"] = deletes.map { .string($0.rawValue) }
            return TargetReference(.object(json))
        }
    }

    /// The parents' ID field; that of the children is in ``layout``.
    public var idField: String { tree.levels[0].info.idFieldName }
    /// The parents' date field; children have their own marks.
    public var modificationDateField: String { tree.levels[0].info.modificationDateFieldName }
    /// True: the query is ordered by the parents' modification date.
    public var ordersByModificationDate: Bool { true }
    /// The parents' soup as level 0, then that of each child level, each before its own children.
    public var layout: RecordLayout? { tree.layout }
    private var tree: RecordTree { queries.tree }
    private let parentFieldlist: [String]
    private let queries: RecordTreeQueries
    private let maxBatchSize: Int
    /// The key `lookback`.
    public let lookback: Duration
    private let deletes: DeleteMode?
    private let childrenOfUnchangedParents: Bool

    /// - Throws: ``SoupError`` with the place of the key that does not form a valid query.
    public init(configuration: Configuration) throws {
        maxBatchSize = configuration.maxBatchSize
        lookback = configuration.lookback
        deletes = configuration.deletes
        parentFieldlist = configuration.parentFieldlist
        childrenOfUnchangedParents = configuration.childrenOfUnchangedParents
        queries = try RecordTreeQueries(configuration)
    }

    /// Returns a warning if the parents' field list is empty; children may be fetched for only their links.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        FieldListCheck.pull(parentFieldlist, at: "parentFieldlist")
    }

    /// Returns the field list of the level; the children's parent IDs are always included.
    public func fetchedFields(level: Int) -> [FetchedFields] {
        guard tree.levels.indices.contains(level) else { return [] }
        return [
            FetchedFields(of: tree.levels[level].info.sobjectType, queries.fields[level], at: queries.listPaths[level])
        ]
    }

    /// Fetches a page of parents with all their descendants, then pages of children that changed while their parents
    /// did not.
    ///
    /// If there is a high-water mark, only parents that changed since are fetched. Children that the server returns on
    /// separate pages follow the page of their parents. Each page needs one request. Changed children below the first
    /// level need a few more, to find their roots.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        let client = SalesforceClient(context)
        var place = try cursor.map { try RecordTreeCursor($0, in: tree) } ?? RecordTreeCursor()
        let page: RecordTreePage
        if let next = place.remaining.popLast() {
            let answer = try await client.nextPage(next.url)
            do {
                page = try RecordTreePage(answer, in: tree, of: next)
            } catch let error as SoupError where error.code == .incompleteAnswer {
                // Children may have been deleted between two pages; the query then finds fewer when it begins again.
                throw SoupError(.cursorExpired, error.message, hint: error.hint, cause: error)
            }
        } else {
            let answer: HTTPAnswer
            if let url = place.url {
                answer = try await client.nextPage(url)
            } else {
                answer = try await client.byDateOfAnyChange { dateField in
                    try await client.query(
                        try soql(ofStep: place.step, by: dateField, in: context), batchSize: maxBatchSize)
                }
            }
            page = try await self.page(of: answer, step: place.step, with: client)
            if place.step > 0 {
                try client.countSaved(
                    page.scan, of: "the query for changed \(tree.levels[place.step].info.sobjectType) records",
                    in: &place.count)
            }
            place.url = page.scan.next
            if place.step == 0, !place.hasBegun {
                (place.totalSize, place.serverTime) = (page.scan.totalSize, answer.serverTime)
            }
            place.hasBegun = true
        }
        place.remaining += page.remaining
        let steps = context.highWaterMark == nil || !childrenOfUnchangedParents ? 1 : tree.levels.count
        var result = RecordPage(
            levels: page.batches, next: place.next(of: steps)?.pageCursor, totalSize: place.totalSize,
            serverTime: place.serverTime)
        result.isUnfinished = !place.remaining.isEmpty
        result.expectedCount = place.totalSize.map { $0...$0 }
        result.hasAllChanges = true
        return result
    }

    /// Returns the number of parents that the query finds now, with one request.
    public func currentCount(unchangedSince time: Date?, in context: SyncContext) async throws -> Int? {
        let client = SalesforceClient(context)
        return try await client.byDateOfAnyChange { dateField in
            try await client.currentCount(
                of: soql(ofStep: 0, by: dateField, in: context), dateField: modificationDateField,
                unchangedSince: time)
        }
    }

    /// Returns whether a text can be a value of the ID field; a value of `Id` must have the form of an ID.
    public func isPossibleId(_ id: String, level: Int) -> Bool {
        tree.levels.indices.contains(level) && SalesforceID.isPossible(id, in: tree.levels[level].info.idFieldName)
    }

    private func soql(
        ofStep step: Int, by dateField: RecordFieldNames.DateField, in context: SyncContext
    ) throws -> String {
        guard step > 0 else {
            return try queries.records(
                from: context.highWaterMark, levelMarks: context.levelMarks, by: dateField)
        }
        let mark = step <= context.levelMarks.count ? context.levelMarks[step - 1] : nil
        return try queries.changed(step, from: mark, by: dateField)
    }

    /// Splits a page of a step's query, and omits children that do not belong to the tree.
    private func page(of answer: HTTPAnswer, step: Int, with client: SalesforceClient) async throws -> RecordTreePage {
        guard step > 0, !queries.isRestricted(step), let field = tree.levels[step].parentIdField else {
            return try RecordTreePage(answer, in: tree, position: step)
        }
        let scan = try QueryPageScan(answer, projecting: [JSONPath(field)])
        let parents = (0..<scan.count).map { scan.text(of: 0, in: $0) }
        let own = try await recordsInTree(
            among: Set(parents.compactMap { $0 }).sorted(), of: tree.levels[step].parent, with: client)
        let kept = parents.indices.filter { index in parents[index].map { own.contains($0) } ?? false }
        return try RecordTreePage(answer, in: tree, position: step, keeping: Set(kept))
    }

    /// Returns the given IDs whose records belong to the tree.
    private func recordsInTree(
        among ids: [String], of position: Int, with client: SalesforceClient
    ) async throws -> Set<String> {
        let level = tree.levels[position]
        let idField = level.info.idFieldName
        let wanted = SalesforceID.Matcher(ids, field: idField)
        var parents: [String: String] = [:]
        var found: Set<String> = []
        for slice in SOQLIdList.slices(of: ids) {
            try Task.checkCancellation()
            let paths = [idField, level.parentIdField].compactMap { $0.map { JSONPath($0) } }
            try await client.forEachPage(of: queries.known(slice, at: position), projecting: paths) { page in
                for record in 0..<page.count {
                    for id in wanted.matches(try page.id(at: 0, idField, in: record)) {
                        found.insert(id)
                        if paths.count > 1 { parents[id] = page.text(of: 1, in: record) }
                    }
                }
            }
        }
        guard position > 0 else { return found }
        let above = try await recordsInTree(among: Set(parents.values).sorted(), of: level.parent, with: client)
        return found.filter { id in parents[id].map { above.contains($0) } ?? false }
    }

    /// Returns the given IDs of a level that the server still has.
    ///
    /// Parents must meet the filter, and children need such a parent. In both cases all IDs of the query are read, page
    /// by page. Returns nil for an invalid level.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        guard tree.levels.indices.contains(level) else { return nil }
        let client = SalesforceClient(context)
        if client.prefersSlices(ids) { return try await recordsInTree(among: ids, of: level, with: client) }
        guard level > 0 else {
            return try await client.found(
                ids, by: queries.parentIds, at: idField, dateField: modificationDateField)
        }
        guard !ids.isEmpty else { return [] }
        let idField = tree.levels[level].info.idFieldName
        let wanted = SalesforceID.Matcher(ids, field: idField)
        let path = tree.path(to: level)
        let last = path.levels.count - 1
        var found: Set<String> = []
        var remaining: [RecordTreePage.Remaining] = []
        var next: String?
        let soql = queries.ids(of: level)
        let first = try await client.query(soql)
        var page = try RecordTreePage(first, in: path)
        var count = QueryCount()
        var rows = QueryRowIDs(field: idField)
        while true {
            try Task.checkCancellation()
            for id in try serverIds(of: page.batches[last], level: level) {
                found.formUnion(wanted.matches(try rows.add(id)))
            }
            if page.ownPosition == 0 {
                try await client.count(
                    page.scan, of: soql, in: &count, dateField: modificationDateField, unchangedSince: first.serverTime)
                next = page.scan.next
            }
            remaining += page.remaining
            if let omitted = remaining.popLast() {
                page = try RecordTreePage(try await client.nextPage(omitted.url), in: path, of: omitted)
            } else if let url = next {
                page = try RecordTreePage(try await client.nextPage(url), in: path)
            } else {
                return found
            }
        }
    }

    /// Fetches the records of a level's object that were deleted since a time, in one request.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`.
    /// - Returns: nil unless the key `deletes`, or without it the setting of the app, is `incremental`.
    public func deletions(since time: Date?, level: Int, in context: SyncContext) async throws -> DeletionReport? {
        guard (deletes ?? context.deletes) == .incremental, tree.levels.indices.contains(level),
            tree.levels.allSatisfy({ $0.info.idFieldName.lowercased() == "id" })
        else { return nil }
        return try await SalesforceClient(context).deletions(
            of: tree.levels[level].info.sobjectType, since: time, lookback: lookback)
    }

    /// Returns the given IDs whose records the server still has; nil if the type is not the object of the level, or if
    /// the ID field is not `Id`.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`, `incompleteAnswer`.
    public func existing(
        _ ids: [String], type: String, level: Int, in context: SyncContext
    ) async throws -> Set<String>? {
        guard tree.levels.indices.contains(level) else { return nil }
        let info = tree.levels[level].info
        return try await SalesforceClient(context).existing(
            ids, type: type, of: info.sobjectType, idField: info.idFieldName)
    }

    /// Fetches the IDs of all records of a level's object that changed since a time; nil for parents without a filter,
    /// which they cannot leave.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`, `incompleteAnswer`.
    public func changedIds(
        since time: Date, level: Int, limit: Int, in context: SyncContext
    ) async throws -> ChangeReport? {
        guard tree.levels.indices.contains(level), level > 0 || queries.hasFilter else { return nil }
        let info = tree.levels[level].info
        return try await SalesforceClient(context).changedIds(
            of: info.sobjectType, info.names, since: time, limit: limit)
    }

    /// - Throws: ``SoupError`` with `json` for a record without an ID.
    private func serverIds(of records: RecordBatch, level: Int) throws -> [String] {
        let idField = tree.levels[level].info.idFieldName
        return try (0..<records.count).map { index in
            guard let id = records[index][JSONPath(idField)]?.idText, !id.isEmpty else {
                throw SoupError(
                    .json, "a record of \(tree.levels[level].plural) in the server's page has no \"\(idField)\"",
                    hint: SoupError.changedResponsesHint)
            }
            return id
        }
    }
}
