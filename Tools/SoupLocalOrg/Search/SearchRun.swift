// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupSalesforce
internal import SoupCore

/// Runs searches: for each object it finds the records that contain the term and meet the object's condition.
struct SearchRun {
    let compiler: QueryCompiler
    let db: Database
    let writing: QueryRowWriter
    /// Changes after this time are not indexed yet, in milliseconds since 1970; nil if all are.
    let indexedUntil: Int64?

    /// The maximum number of records in a response, and the default.
    static let maximumLimit = 2000
    /// The maximum length of a term in characters; a longer one finds nothing.
    private static let maximumLength = 10_000
    /// The maximum length of a term with operators in characters; in a longer one operators are ignored.
    private static let maximumLengthWithOperators = 4000

    private var source: QuerySource { compiler.source }

    /// Returns the records as JSON.
    ///
    /// - Parameter defaultLimit: the number of records of an object that sets no limit.
    /// - Throws: ``OrgError`` with `MALFORMED_SEARCH` and the codes of queries.
    func records(_ search: SOSLQuery, defaultLimit: Int? = nil) throws -> [[UInt8]] {
        let length = search.term.description.unicodeScalars.count
        let criterion = SearchCriterion(
            search.term, ignoresOperators: length > Self.maximumLengthWithOperators)
        guard let criterion, criterion.length >= 2 else {
            throw OrgError(
                400, "MALFORMED_SEARCH", message: "search term must be longer than one character: \(search.term)")
        }
        var objects = search.returning
        if objects.isEmpty {
            objects = source.schema.objects.filter(\.flags.searchable).map { SOSLObject($0.name) }
        }
        let limit = min(search.limit ?? Self.maximumLimit, Self.maximumLimit)
        var records: [[UInt8]] = []
        for var object in objects {
            object.limit = min(object.limit ?? defaultLimit ?? limit, limit - records.count)
            let (query, found) = try query(for: object)
            let rows = length > Self.maximumLength ? [] : try matches(criterion, in: found, group: search.group ?? .all)
            let plan = try compiler.plan(query, found, among: rows)
            if rows.isEmpty { continue }
            var shown: [Int64] = []
            try db.statement(plan.find.text, plan.find.values).forEach { shown.append($0.int(0)) }
            let written = try writing.write(plan, shown, limit: 0) { _, _, _ in "" }
            records += written.ranges.indices.compactMap { written.bytes($0).map(Array.init) }
        }
        return records
    }

    /// Returns the query that reads the found records of an object.
    private func query(for object: SOSLObject) throws -> (SOQLQuery, OrgObject) {
        let source = SOQLSource(SOQLPath([object.name], at: object.position))
        var query = SOQLQuery(
            object.items.isEmpty ? [.path(SOQLPath(["Id"]), alias: nil)] : object.items, from: source)
        query.condition = object.condition
        query.order = object.order
        query.limit = object.limit
        query.offset = object.offset
        let found = try compiler.object(of: query)
        guard found.flags.searchable else {
            throw self.source.failure(
                "INVALID_TYPE", "entity type \(found.name) does not support search", at: object.position)
        }
        if query.isAggregate {
            throw self.source.failure(
                "MALFORMED_SEARCH", "aggregate expressions cannot be used in a search", at: object.position)
        }
        return (query, found)
    }

    // MARK: Finding

    /// Returns the rows of an object that meet the criterion.
    private func matches(
        _ criterion: SearchCriterion, in object: OrgObject, group: SOSLQuery.FieldGroup
    ) throws -> [Int64] {
        let fields = object.fields.filter { Self.isSearched($0, group) }
        if fields.isEmpty { return [] }
        let columns = fields.map { "\"\($0.name)\"" }
        // A text with more bytes than characters is always compared exactly: SQLite does not know case mappings such as
        // "ß" to "SS", and it ignores the part after a NUL.
        let anywhere = columns.map { "\($0) LIKE ?1 OR length(\($0)) <> length(CAST(\($0) AS BLOB))" }
        var sql = "SELECT _row, \(columns.joined(separator: ", ")) FROM \(object.table) "
        sql += "WHERE \"IsDeleted\" = 0 AND (?2 IS NULL OR \"SystemModstamp\" <= ?2)"
        // Phone numbers are found by their digits, in any notation.
        let rarest =
            fields.contains { $0.type == .phone } ? nil : criterion.required.max { $0.utf8.count < $1.utf8.count }
        if rarest != nil { sql += " AND (\(anywhere.joined(separator: " OR ")))" }
        var rows: [Int64] = []
        try db.statement(sql, [.text("%\(rarest ?? "")%"), indexedUntil.map { .int($0) } ?? .null]).forEach { row in
            var words: [[SearchWords.Word]] = []
            for (index, field) in fields.enumerated() {
                guard let text = row.text(index + 1) else { continue }
                words.append(SearchWords.words(of: text))
                if field.type == .phone { words.append([text.unicodeScalars.filter { ("0"..."9").contains($0) }]) }
            }
            if criterion.holds(in: words) { rows.append(row.int(0)) }
        }
        return rows
    }

    private static func isSearched(_ field: OrgField, _ group: SOSLQuery.FieldGroup) -> Bool {
        let isName = field.isNameField || ["FirstName", "LastName"].contains(field.name)
        return switch group {
        case .all: field.isSearchable
        case .name: isName
        case .email: field.type == .email
        case .phone: field.type == .phone
        case .sidebar: isName || field.type == .email || field.type == .phone
        }
    }
}
