// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// The condition of a validation rule as SQL over the table of its object, which is called `t`.
struct RuleCondition {
    /// The joins for the condition's paths.
    let joins: String
    let sql: String
    let values: [CellValue]

    /// Compiles a condition.
    ///
    /// - Parameter old: the cell of a field before the change, by the field's position; null for a new record.
    /// - Throws: ``OrgError`` for a condition that cannot be read, or that names unknown fields.
    init(
        _ text: String, of object: OrgObject, schema: OrgSchema, caller: QueryCaller,
        old: @escaping (Int) -> CellValue = { _ in .null }
    ) throws {
        let source = QuerySource(text: text, schema: schema)
        let condition: SOQLCondition
        do {
            condition = try SOQLCondition(
                parsing: text, fieldValues: true, mixedConditions: false, maximumDepth: QueryCompiler.maximumDepth)
        } catch let error as SoupError {
            throw source.malformed(error, "MALFORMED_QUERY")
        }
        let query = SOQLQuery([.path(SOQLPath(["Id"]), alias: nil)], from: SOQLSource(SOQLPath([object.name])))
        let scope = try QueryScope(query, object: object, source: source)
        var conditions = QueryConditions(scope, caller: caller)
        conditions.old = { name in object.field(name).map { old($0.position) } }
        try conditions.add(condition)
        joins = scope.joins
        sql = conditions.sql
        values = conditions.values
    }

    /// Returns a query that finds the row with an ID, the parameter after ``values``, if the condition is true.
    func selectSQL(from object: OrgObject) -> String {
        "SELECT 1 FROM \(object.table) t\(joins) WHERE (\(sql)) AND t.\"Id\" = ?"
    }
}
