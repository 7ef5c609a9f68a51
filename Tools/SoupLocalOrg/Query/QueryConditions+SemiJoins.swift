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
        guard let path = query.pathOfSemiJoin else {
            throw refuse("a semi join sub-select has one field, a WHERE, and no other clause")
        }
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
        try add(column, isIn: target, of: query, in: inner, negated: negated)
    }

    /// Adds the SQL of a semi join.
    private mutating func add(
        _ column: QueryScope.Column, isIn target: QueryScope.Column, of query: SOQLQuery, in inner: QueryScope,
        negated: Bool
    ) throws {
        var conditions = QueryConditions(inner, caller: caller, call: QueryFunctions(scope: inner).column)
        conditions.allowsSemiJoins = false
        if let condition = query.condition { try conditions.add(condition) }
        let table = inner.root.object.table
        sql += "\(column.sql) IN (SELECT \(target.sql) FROM \(table) \(inner.root.alias)\(inner.joins) WHERE "
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

extension SOQLQuery {
    /// The selected field of a query that has the form of a semi join: one field, a `WHERE`, and no other clause.
    fileprivate var pathOfSemiJoin: SOQLPath? {
        guard items.count == 1, case .path(let path, nil) = items[0], order.isEmpty, limit == nil, offset == nil,
            grouping == nil, having == nil, joins.isEmpty, scope == nil, with == nil, !allRows, purposes.isEmpty,
            tracking.isEmpty
        else { return nil }
        return path
    }
}
