// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

/// Brings the server's version of the records that a soup holds already, and no others.
///
/// The ids are read from the soup and asked for in slices; a later run asks the same slices for what changed since, and
/// whole for the entries that have no modification date, because nothing was ever brought for them. Ids that were made
/// on the device are left out: the server does not know them.
public struct RefreshSyncDownTarget: SyncDownTarget {
    /// The `type` of this target: `refresh`.
    public static let name: PluginName = "refresh"
    /// The names that the mobile SDKs have for it.
    public static let aliases = PluginName.mobileSDKClass("RefreshSyncDownTarget")
    /// A refresh of all accounts of a soup, for `soup targets refresh --sample`.
    public static let sample = try? JSONText(
        #"{"type": "refresh", "soupName": "accounts", "sobjectType": "Account", "fieldlist": ["Name", "Phone"]}"#)

    /// ``Configuration/idFieldName``, in the soup and on the server.
    public let idField: String
    /// ``Configuration/modificationDateFieldName``: the field of the filter that a later run adds.
    public let modificationDateField: String
    private let soup: SoupName
    private let type: String
    private let select: String
    private let countIds: Int
    private let fieldlist: [String]

    /// - Throws: ``SoupError`` with the place of what makes no query; `ConfigurationError` when that is more than one.
    public init(configuration: Configuration) throws {
        idField = configuration.idFieldName
        modificationDateField = configuration.modificationDateFieldName
        soup = SoupName(configuration.soupName)
        type = configuration.sobjectType
        countIds = configuration.countIdsPerSoql
        fieldlist = configuration.fieldlist
        var faults = ConfigurationFaults()
        if configuration.soupName.isEmpty {
            faults.add(
                SoupError(
                    .badConfiguration, "the soup to refresh has no name", place: Place(path: "soupName"),
                    hint: "Name the soup whose records are to be refreshed."))
        }
        let fields = configuration.fieldlist.completed(with: [idField, modificationDateField])
        select = "select \(fields.joined(separator: ", ")) from \(type)"
        let names = RecordFieldNames(id: idField, modificationDate: modificationDateField)
        SOQLCheck.fields(configuration.fieldlist, of: type, names, at: "fieldlist", in: &faults)
        try faults.finish()
    }

    /// A field list that is empty.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        FieldListCheck.pull(fieldlist, at: "fieldlist")
    }

    /// The field list.
    public func broughtFields(part: Int) -> [BroughtFields] { [BroughtFields(of: type, fieldlist, at: "fieldlist")] }

    /// The next slice of the soup's records, or the next page of the slice before.
    ///
    /// A soup without ids makes an empty page, and no request. The total is told by a run without a high-water mark,
    /// as the number of ids; of what changed since a mark nobody knows the number before all slices are asked for.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`; `cursorExpired` for a cursor that cannot be read, or whose
    ///   place in a slice the server has forgotten.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page {
        var position = try cursor.map { try RefreshCursor($0) } ?? RefreshCursor()
        let answer: HTTPAnswer
        if let url = position.url {
            answer = try await context.nextPage(url)
        } else {
            try await refill(&position, isFirst: cursor == nil, in: context)
            let isFiltered = position.filtered > 0
            guard let slice = nextSlice(of: isFiltered ? Array(position.ids[..<position.filtered]) : position.ids)
            else { return Page(.empty, totalSize: position.total, serverTime: position.serverTime) }
            position.ids.removeFirst(slice.ids.count)
            if isFiltered { position.filtered -= slice.ids.count }
            position.isBehindFiltered = !isFiltered
            position.last = slice.ids.last
            position.slice = slice.ids
            position.count = QueryCount()
            answer = try await context.query(
                query(for: slice.text, from: isFiltered ? context.highWaterMark : nil))
        }
        let scan = try QueryPageScan(answer, projecting: [JSONPath(idField)])
        let batch = try batch(of: scan, among: position.slice)
        try context.countSaved(scan, of: "the query for \(position.slice.count) ID(s) of \(type)", in: &position.count)
        position.url = scan.next
        if scan.next == nil { position.slice = [] }
        position.serverTime = position.serverTime ?? answer.serverTime
        let isLast = scan.next == nil && position.ids.isEmpty && !position.hasMore
        return Page(
            batch, next: isLast ? nil : try position.pageCursor, totalSize: position.total,
            serverTime: position.serverTime)
    }

    /// Those of the ids whose records the server still has, asked for in the slices of a run.
    public func survivors(of ids: [String], part: Int, in context: SyncContext) async throws -> Set<String>? {
        var survivors: Set<String> = []
        for slice in SOQLIdList.slices(of: ids, longest: Self.longestList, atMost: countIds) {
            try Task.checkCancellation()
            let soql = "select \(idField) from \(type) where \(idField) IN \(slice.text)"
            survivors.formUnion(try await context.found(slice.ids, by: soql, at: idField, asksForIds: true))
        }
        return survivors
    }

    /// Whether a text has the form of an ID, if that is the field by which records are known.
    public func isPossibleId(_ id: String, part: Int) -> Bool { SalesforceID.isPossible(id, in: idField) }

    /// The records of a page, under the ids by which the soup knows them: it may have one in the form of 15 characters.
    ///
    /// - Throws: ``SoupError`` with `json` for a record that was not asked for: then the answer is another request's,
    ///   and the records of this one would be missed.
    private func batch(of scan: QueryPageScan, among slice: [String]) throws -> RecordBatch {
        let matcher = SalesforceID.Matcher(slice, field: idField)
        var stamps: [Stamp] = []
        var hasOtherForms = false
        for record in 0..<scan.count {
            let id = try scan.id(at: 0, idField, in: record)
            guard let known = matcher.matches(id).first else { throw QueryPageScan.foreign(id, slice.count) }
            hasOtherForms = hasOtherForms || known != id
            stamps.append(known == id ? .none : Stamp.none.setting(idField, .string(known)))
        }
        return scan.batch(stamping: hasOtherForms ? stamps : [])
    }

    // MARK: Slices

    /// The bytes that a URL may have here, where servers take 16,384 for it and the headers together.
    private static let longestPath = 13_000
    private static let longestList = 12_000

    private func query(for list: String, from mark: HighWaterMark?) -> String {
        let condition = mark.map {
            " AND \(modificationDateField) \($0.inclusive ? ">=" : ">") \(SOQLLiteral.dateTime($0.time))"
        }
        return "\(select) where \(idField) IN \(list)\(condition ?? "")"
    }

    /// The ids that fit into one query; nil when there are none.
    private func nextSlice(of ids: [String]) -> SOQLIdList.Slice? {
        let empty = query(for: "()", from: HighWaterMark(time: 0, inclusive: true))
        let room = Self.longestPath - URLText.query(empty).utf8.count
        return SOQLIdList.slices(of: Array(ids.prefix(countIds)), longest: room, atMost: countIds).first
    }

    /// Reads ids from the soup when those that the cursor holds are used up, or were read a while ago.
    ///
    /// The cursor is saved with every page, so it cannot hold the ids of a large soup; and reading all ids of a large
    /// soup for every page would take the square of their number. So it holds those of the next ten slices.
    private func refill(_ position: inout RefreshCursor, isFirst: Bool, in context: SyncContext) async throws {
        let isFresh = (0..<Self.keptFor).contains(context.clock.now - position.readAt)
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
            if position.isBehindFiltered {
                filtered = []
                whole = Self.rest(of: whole, behind: last)
            } else {
                filtered = Self.rest(of: filtered, behind: last)
            }
        }
        let ids = filtered + whole
        let held = max(10 * countIds, 1000)
        position.hasMore = ids.count > held
        position.ids = Array(ids.prefix(held))
        position.filtered = min(filtered.count, held)
        position.readAt = context.clock.now
        if isFirst, isEmpty { position.total = 0 }
    }

    /// The ids of the server in the order of the bytes, in which every store and every run agrees, and each id once.
    private static func sorted(_ ids: [String]) -> [String] {
        let ids = ids.filter { !$0.isEmpty && !LocalId.isLocal($0) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return ids.indices.filter { $0 == 0 || ids[$0] != ids[$0 - 1] }.map { ids[$0] }
    }

    private static func rest(of ids: [String], behind last: String) -> [String] {
        Array(ids[(ids.firstIndex { last.utf8.lexicographicallyPrecedes($0.utf8) } ?? ids.count)...])
    }

    /// How long ids that were read are used, in milliseconds: a run that goes on later reads them anew, so that it does
    /// not bring back what was deleted in the meantime.
    private static let keptFor: Int64 = 60_000
}
