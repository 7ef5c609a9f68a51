// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Fetches the current server version of records that are already in the soup.
///
/// The IDs are read from the soup and requested in slices. A later run requests the records of the same slices that
/// changed since; entries without a modification date are always requested, because they were never fetched. IDs that
/// were created on the device are skipped, because the server does not know them.
public struct RefreshSyncDownTarget: SyncDownTarget {
    /// The `type` of this target: `refresh`.
    public static let name: PluginName = "refresh"
    /// The names of the mobile SDKs for this target.
    public static let aliases = PluginName.mobileSDKClass("RefreshSyncDownTarget")
    /// A refresh of all accounts of a soup, for `soup targets refresh --sample`.
    public static let sample = try? JSONText(
        #"{"type": "refresh", "soupName": "accounts", "sobjectType": "Account", "fieldlist": ["Name", "Phone"]}"#)

    /// ``Configuration/idFieldName``, in the soup and on the server.
    public let idField: String
    /// ``Configuration/modificationDateFieldName``: the field of the filter that a later run adds.
    public let modificationDateField: String
    /// The key `lookback`.
    public let lookback: Duration
    private let soup: SoupName
    private let type: String
    private let select: String
    private let countIds: Int
    private let fieldlist: [String]
    private let deletes: DeleteMode?

    /// - Throws: ``SoupError`` with the place of the invalid key; `ConfigurationError` for several problems.
    public init(configuration: Configuration) throws {
        idField = configuration.idFieldName
        modificationDateField = configuration.modificationDateFieldName
        lookback = configuration.lookback
        soup = SoupName(configuration.soupName)
        type = configuration.sobjectType
        countIds = configuration.countIdsPerSoql
        fieldlist = configuration.fieldlist
        deletes = configuration.deletes
        var faults = ConfigurationFaults()
        if configuration.soupName.isEmpty {
            faults.add(
                SoupError(
                    .badConfiguration, "the soup to refresh has no name", place: SoupError.Place(path: "soupName"),
                    hint: "Add the name of the soup whose records are to be refreshed."))
        }
        let fields = configuration.fieldlist.completed(with: [idField, modificationDateField])
        select = "select \(fields.joined(separator: ", ")) from \(type)"
        let names = RecordFieldNames(id: idField, modificationDate: modificationDateField)
        SOQLCheck.fields(configuration.fieldlist, of: type, names, at: "fieldlist", in: &faults)
        if faults.errors.isEmpty, let problem = names.problem(with: deletes) { faults.add(problem) }
        try faults.finish()
    }

    /// Returns a warning if the field list is empty.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        FieldListCheck.pull(fieldlist, at: "fieldlist")
    }

    /// Returns the field list.
    public func fetchedFields(level: Int) -> [FetchedFields] { [FetchedFields(of: type, fieldlist, at: "fieldlist")] }

    /// Fetches the next slice of the soup's records, or the next page of the current slice.
    ///
    /// A soup without IDs returns an empty page, without a request. In a run without a high-water mark the total is the
    /// number of IDs. With a mark, the number of changed records is unknown until all slices are requested.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`; `cursorExpired` for a cursor that cannot be read, or whose
    ///   page the server no longer has.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        let client = SalesforceClient(context)
        var position = try cursor.map { try RefreshCursor($0) } ?? RefreshCursor()
        let answer: HTTPAnswer
        if let url = position.url {
            answer = try await client.nextPage(url)
        } else {
            try await refill(&position, isFirst: cursor == nil, in: context)
            let isFiltered = position.filtered > 0
            guard let slice = nextSlice(of: isFiltered ? Array(position.ids[..<position.filtered]) : position.ids)
            else { return RecordPage(.empty, totalSize: position.total, serverTime: position.serverTime) }
            position.ids.removeFirst(slice.ids.count)
            if isFiltered { position.filtered -= slice.ids.count }
            position.isAfterFiltered = !isFiltered
            position.last = slice.ids.last
            position.slice = slice.ids
            position.count = QueryCount()
            answer = try await client.byDateOfAnyChange { dateField in
                try await client.query(
                    query(for: slice.text, from: isFiltered ? context.highWaterMark : nil, by: dateField))
            }
        }
        let scan = try QueryPageScan(answer, projecting: [JSONPath(idField)])
        let batch = try batch(of: scan, among: position.slice)
        try client.countSaved(scan, of: "the query for \(position.slice.count) ID(s) of \(type)", in: &position.count)
        position.url = scan.next
        if scan.next == nil { position.slice = [] }
        position.serverTime = position.serverTime ?? answer.serverTime
        let isLast = scan.next == nil && position.ids.isEmpty && !position.hasMore
        var page = RecordPage(
            batch, next: isLast ? nil : try position.pageCursor, totalSize: position.total,
            serverTime: position.serverTime)
        page.hasAllChanges = true
        return page
    }

    private var names: RecordFieldNames { RecordFieldNames(id: idField, modificationDate: modificationDateField) }

    /// Returns the given IDs whose records the server still has, requested in the slices of a run.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        let client = SalesforceClient(context)
        var survivors: Set<String> = []
        for slice in SOQLIdList.slices(of: ids, longest: Self.longestList, atMost: countIds) {
            try Task.checkCancellation()
            let soql = "select \(idField) from \(type) where \(idField) IN \(slice.text)"
            survivors.formUnion(try await client.found(slice.ids, by: soql, at: idField, asksForIds: true))
        }
        return survivors
    }

    /// Returns the given IDs whose records the server still has; nil if the type is not the target's object, or if the
    /// ID field is not `Id`.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`, `incompleteAnswer`.
    public func existing(
        _ ids: [String], type: String, level: Int, in context: SyncContext
    ) async throws -> Set<String>? {
        try await SalesforceClient(context).existing(ids, type: type, of: self.type, idField: idField)
    }

    /// Fetches the records of the object that were deleted since a time, in one request.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`.
    /// - Returns: nil unless the key `deletes`, or without it the setting of the app, is `incremental`.
    public func deletions(since time: Date?, level: Int, in context: SyncContext) async throws -> DeletionReport? {
        guard (deletes ?? context.deletes) == .incremental, idField.lowercased() == "id" else { return nil }
        return try await SalesforceClient(context).deletions(of: type, since: time, lookback: lookback)
    }

    /// Returns whether a text can be a value of the ID field; a value of `Id` must have the form of an ID.
    public func isPossibleId(_ id: String, level: Int) -> Bool { SalesforceID.isPossible(id, in: idField) }

    /// Returns the records of a page with the soup's forms of their IDs, which may have 15 characters.
    ///
    /// - Throws: ``SoupError`` with `json` for a record that was not requested: the response then belongs to another
    ///   request, and the requested records would be missing.
    private func batch(of scan: QueryPageScan, among slice: [String]) throws -> RecordBatch {
        let matcher = SalesforceID.Matcher(slice, field: idField)
        var stamps: [RecordBatch.Stamp] = []
        var hasOtherForms = false
        for record in 0..<scan.count {
            let id = try scan.id(at: 0, idField, in: record)
            guard let known = matcher.matches(id).first else { throw QueryPageScan.foreign(id, requested: slice.count) }
            hasOtherForms = hasOtherForms || known != id
            stamps.append(known == id ? .none : RecordBatch.Stamp.none.setting(idField, .string(known)))
        }
        return scan.batch(stamping: hasOtherForms ? stamps : [])
    }

    // MARK: Slices

    /// The maximum number of bytes of the URL; servers accept 16,384 for URL and headers together.
    private static let longestPath = 13_000
    private static let longestList = 12_000

    private func query(for list: String, from mark: HighWaterMark?, by dateField: RecordFieldNames.DateField) -> String
    {
        let condition = mark.map {
            " AND \(names.name(of: dateField)) \($0.inclusive ? ">=" : ">") \(SOQLLiteral.dateTime($0.time))"
        }
        return "\(select) where \(idField) IN \(list)\(condition ?? "")"
    }

    /// Returns the IDs that fit into one query; nil if there are none.
    private func nextSlice(of ids: [String]) -> SOQLIdList.Slice? {
        let empty = query(
            for: "()", from: HighWaterMark(milliseconds: 0, inclusive: true), by: .anyChange)
        let room = Self.longestPath - URLText.query(empty).utf8.count
        return SOQLIdList.slices(of: Array(ids.prefix(countIds)), longest: room, atMost: countIds).first
    }

    /// Reads IDs from the soup if the cursor's IDs are used up, or were read too long ago.
    ///
    /// The cursor is saved with every page, so it cannot contain the IDs of a large soup. Reading all IDs for every
    /// page would take quadratic time. So it contains the IDs of the next ten slices.
    private func refill(_ position: inout RefreshCursor, isFirst: Bool, in context: SyncContext) async throws {
        let isFresh = (0..<Self.maximumAge).contains(context.clock.milliseconds - position.readAt)
        guard isFirst || (position.ids.isEmpty ? position.hasMore : !isFresh) else { return }
        let path = JSONPath(idField)
        var filtered = Self.sorted(try await context.localValues(path, soup))
        if isFirst, context.highWaterMark == nil { position.total = filtered.count }
        let isEmpty = filtered.isEmpty
        var whole: [String] = []
        if context.highWaterMark != nil {
            whole = Self.sorted(
                try await context.localValuesLacking(path, JSONPath(modificationDateField), soup))
            let known = Set(whole)
            filtered.removeAll { known.contains($0) }
        }
        if let last = position.last {
            if position.isAfterFiltered {
                filtered = []
                whole = Self.rest(of: whole, after: last)
            } else {
                filtered = Self.rest(of: filtered, after: last)
            }
        }
        let ids = filtered + whole
        let capacity = max(10 * countIds, 1000)
        position.hasMore = ids.count > capacity
        position.ids = Array(ids.prefix(capacity))
        position.filtered = min(filtered.count, capacity)
        position.readAt = context.clock.milliseconds
        if isFirst, isEmpty { position.total = 0 }
    }

    /// Returns the server's IDs without duplicates, in byte order, which is the same for every store and every run.
    private static func sorted(_ ids: [String]) -> [String] {
        let ids = ids.filter { !$0.isEmpty && !LocalId.isLocal($0) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return ids.indices.filter { $0 == 0 || ids[$0] != ids[$0 - 1] }.map { ids[$0] }
    }

    private static func rest(of ids: [String], after last: String) -> [String] {
        Array(ids[(ids.firstIndex { last.utf8.lexicographicallyPrecedes($0.utf8) } ?? ids.count)...])
    }

    /// The maximum age of the cursor's IDs, in milliseconds, after which they are read again.
    ///
    /// A run that resumes later must not fetch records that were deleted meanwhile.
    private static let maximumAge: Int64 = 60_000
}
