// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import SoupSalesforce

/// Plans the reading of records and writes them as JSON.
struct RecordRetrieval {
    let context: OrgContext

    /// Writes rows as JSON, with URLs of the version of the request.
    var writer: QueryRowWriter {
        var writer = QueryRowWriter(db: context.db, apiPath: context.apiPath)
        writer.polymorphic = { [schema = context.schema] in schema.object(ofId: $0) }
        writer.noteRead = noteRead
        return writer
    }

    /// Adds the rows of a query with `FOR VIEW` or `FOR REFERENCE` to the recent items.
    func noteRead(_ plan: QueryPlan, _ rows: [Int64]) throws {
        try context.recentItems.noteViewed(
            try context.rows.ids(of: plan.object, numbers: rows), of: plan.object, asReference: !plan.isForView)
    }

    /// Returns a plan that reads fields of an object.
    ///
    /// - Parameter fields: the names of the fields, `Id` is always added; nil for all fields.
    /// - Throws: ``OrgError`` with `INVALID_FIELD` for an unknown field.
    func plan(_ object: OrgObject, fields: [String]?, seesDeleted: Bool = false) throws -> QueryPlan {
        var paths: [[String]] = []
        var seen: Set<String> = []
        for name in (fields ?? object.fields.map(\.name)) + ["Id"] {
            let trimmed = String(name.filter { !$0.isWhitespace })
            guard !trimmed.isEmpty, seen.insert(trimmed.lowercased()).inserted else { continue }
            let path = trimmed.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            if path.count == 1, object.field(trimmed) == nil {
                throw OrgError(
                    400, "INVALID_FIELD", message: "No such column '\(trimmed)' on sobject of type \(object.name)")
            }
            paths.append(path)
        }
        let query = SOQLQuery(
            paths.map { .path(SOQLPath($0), alias: nil) }, from: SOQLSource(SOQLPath([object.name])))
        let compiler = QueryCompiler(
            source: QuerySource(text: "", schema: context.schema), caller: context.caller(seesDeleted: seesDeleted))
        return try compiler.rowPlan(query, object, alias: "t")
    }

    /// Returns all rows of an object as a JSON array, including deleted ones, in the order of their IDs.
    func allRows(of name: String) throws -> [UInt8] {
        let object = try context.object(name)
        var rows: [Int64] = []
        try context.db.statement("SELECT _row FROM \(object.table) ORDER BY _row").forEach { rows.append($0.int(0)) }
        let plan = try plan(object, fields: nil, seesDeleted: true)
        return try writer.array(plan, rows)
    }
}
