// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

extension QueryConditions {
    /// Adds the test whether a field is in the result of another query.
    ///
    /// - Throws: ``OrgError`` for queries that cannot be such a sub-select.
    mutating func isIn(
        _ column: QueryScope.Column, _ query: SOQLQuery, negated: Bool, operand: SOQLOperand
    ) throws {
        func refuse(_ why: String) -> OrgError { source.failure("MALFORMED_QUERY", why, at: operand.position) }
        guard allowsSemiJoins else { throw refuse("Nesting of semi join sub-selects is not supported") }
        semiJoins += 1
        if semiJoins > 2 {
            throw source.failure(
                "EXCEEDED_MAX_SEMIJOIN_SUBSELECTS", "only two semi join sub-selects are allowed", at: operand.position)
        }
        guard case .path(let left) = operand, scope.relative(left.names).count == 1, column.type.storage == .id else {
            throw refuse("the left operand of a semi join must be an id or a reference of the main object")
        }
        guard query.items.count == 1, case .path(let path, nil) = query.items[0], query.order.isEmpty,
            query.limit == nil, query.offset == nil, query.grouping == nil, query.having == nil, query.joins.isEmpty,
            query.scope == nil, query.with == nil, !query.allRows, query.purposes.isEmpty, query.tracking.isEmpty
        else { throw refuse("a semi join sub-select has one field, a WHERE, and no other clause") }
        guard let object = source.schema[query.source.path.description] else {
            throw source.unknownObject(query.source.path.description, query.source.path.position)
        }
        guard object.name != scope.root.object.name else {
            throw refuse("The inner and outer selects should not be on the same object type")
        }
        let inner = try QueryScope(query, object: object, source: source, alias: "\(scope.root.alias)s\(semiJoins)_")
        let target = try inner.column(path)
        guard inner.relative(path.names).count == 1, target.type.storage == .id else {
            throw refuse("a semi join sub-select must select an id or a reference")
        }
        if Set(types(of: column, scope)).isDisjoint(with: types(of: target, inner)) {
            throw refuse(
                "The selected field '\(path.last)' in the subquery and the left operand field in the where expression in "
                    + "the outer query '\(left.last)' should point to the same object type")
        }
        var conditions = QueryConditions(inner, caller: caller, call: QueryFunctions(scope: inner).column)
        conditions.allowsSemiJoins = false
        if let condition = query.condition { try conditions.add(condition) }
        sql += "\(column.sql) IN (SELECT \(target.sql) FROM \(object.table) \(inner.root.alias)\(inner.joins) WHERE "
        sql += "\(inner.root.alias).\"IsDeleted\" = 0 AND \(target.sql) IS NOT NULL"
        if !conditions.sql.isEmpty { sql += " AND (\(conditions.sql))" }
        sql += negated ? ")\(Self.isNotTrue)" : ")"
        values += conditions.values
    }

    /// Returns the objects of the IDs in a column.
    private func types(of column: QueryScope.Column, _ scope: QueryScope) -> [String] {
        guard let field = column.field else { return [] }
        return field.isReference ? field.referenceTo : [scope.root.object.name]
    }
}
