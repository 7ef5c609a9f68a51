// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

/// Compiles queries that count, sum and group.
///
/// Subtotals are unions of groupings by fewer keys: in each grouping the missing keys are null.
struct AggregateCompiler {
    /// The expression of an item, a sort key or a part of HAVING; its SQL depends on the grouped keys.
    private struct Term {
        var column: QueryScope.Column
        var sql: (Set<Int>) -> String

        /// Returns the term as a column of the subtotals, by its name.
        func named(_ name: String) -> QueryScope.Column {
            var column = column
            column.sql = name
            return column
        }
    }

    private let query: SOQLQuery
    private let compiler: QueryCompiler
    private let scope: QueryScope
    private let functions: QueryFunctions
    private var keys: [QueryScope.Column] = []

    init(_ query: SOQLQuery, _ object: OrgObject, compiler: QueryCompiler) throws {
        self.query = query
        self.compiler = compiler
        scope = try QueryScope(query, object: object, source: compiler.source)
        functions = QueryFunctions(scope: scope)
        keys = try (query.grouping?.keys ?? []).map(key)
        if let grouping = query.grouping, grouping.kind != .plain, keys.count > 3 {
            throw refuse(
                "GROUP BY \(grouping.kind.rawValue.uppercased()) takes at most 3 fields", grouping.keys[3].position)
        }
    }

    private var source: QuerySource { compiler.source }

    private func refuse(_ message: String, _ position: SOQLPosition) -> OrgError {
        source.failure("MALFORMED_QUERY", message, at: position)
    }

    func compile() throws -> CompiledQuery {
        if let count = try countOnly() { return .count(count) }
        var columns: [(key: [UInt8], type: OrgFieldType)] = []
        var terms: [Term] = []
        var aliases: [String: Term] = [:]
        var unnamed = 0
        for item in query.items {
            let (term, name, position) = try self.item(item)
            let key = name ?? "expr\(unnamed)"
            if name == nil { unnamed += 1 }
            guard aliases.updateValue(term, forKey: key.lowercased()) == nil else {
                throw refuse("duplicate alias: \(key)", position)
            }
            columns.append((OutputItem.key(key), term.column.type))
            terms.append(term)
        }
        let order = try query.order.map { try orderTerm($0.key, aliases) }
        let condition = try compiler.condition(query, scope)
        let sets = groupingSets
        let having = try sets.map(self.having)
        // The joins are complete after every path has been resolved.
        let selects = zip(sets, having).map {
            select(terms, order: order, groupedBy: $0, condition: condition, having: $1)
        }
        var sql = QueryPlan.SQL(
            text: "SELECT \(terms.indices.map { "c\($0)" }.joined(separator: ", ")) FROM ("
                + selects.joined(separator: " UNION ALL ") + ")\(ordering(order))",
            values: having.flatMap { condition.values + $0.values })
        QueryCompiler.limit(query, &sql)
        return .groups(AggregatePlan(sql: sql, columns: columns))
    }

    /// The query if it is only `SELECT COUNT() FROM X`.
    private func countOnly() throws -> QueryPlan.SQL? {
        let counts = query.items.filter { item in
            if case .call(let call, _) = item { Self.isBareCount(call) } else { false }
        }
        guard let first = counts.first, case .call(let call, let alias) = first else { return nil }
        guard query.items.count == 1, alias == nil, query.grouping == nil, query.having == nil, query.order.isEmpty
        else {
            throw refuse("COUNT() cannot be combined with other fields, an alias, groups or an order", call.position)
        }
        let condition = try compiler.condition(query, scope)
        var rows = QueryPlan.SQL(
            text: "SELECT 1 FROM \(scope.root.object.table) t\(scope.joins)\(condition.text)", values: condition.values)
        QueryCompiler.limit(query, &rows)
        return QueryPlan.SQL(text: "SELECT count(*) FROM (\(rows.text))", values: rows.values)
    }

    private static func isBareCount(_ call: SOQLCall) -> Bool {
        call.name.uppercased() == "COUNT" && call.arguments.isEmpty
    }

    // MARK: Groups

    private func key(_ key: SOQLOperand) throws -> QueryScope.Column {
        switch key {
        case .path(let path):
            let column = try scope.column(path)
            if let field = column.field, !field.isGroupable {
                throw source.failure(
                    "INVALID_FIELD", "field '\(field.name)' can not be grouped in a query call", at: path.position)
            }
            return column
        case .call(let call):
            guard let column = try DateFunctions(scope: scope).column(call) else {
                throw refuse("unexpected token: '\(call.name)'", call.position)
            }
            return column
        }
    }

    /// The sets of keys by which rows are grouped, each with its own groups.
    private var groupingSets: [Set<Int>] {
        switch query.grouping?.kind {
        case .rollup: (0...keys.count).reversed().map { Set(0..<$0) }
        case .cube:
            (0..<1 << keys.count).reversed().map { bits in Set(keys.indices.filter { bits & 1 << $0 != 0 }) }
        case .plain, nil: [Set(keys.indices)]
        }
    }

    private func having(_ set: Set<Int>) throws -> QueryPlan.SQL {
        guard let condition = query.having else { return QueryPlan.SQL(text: "") }
        func column(_ operand: SOQLOperand) throws -> QueryScope.Column {
            let term = try self.term(operand)
            var column = term.column
            column.sql = term.sql(set)
            return column
        }
        var conditions = QueryConditions(scope, caller: compiler.caller) { try column(.call($0)) }
        conditions.path = { try column(.path($0)) }
        conditions.allowsSemiJoins = false
        try conditions.add(condition)
        return QueryPlan.SQL(text: conditions.sql, values: conditions.values)
    }

    private func select(
        _ terms: [Term], order: [Term], groupedBy set: Set<Int>, condition: QueryPlan.SQL, having: QueryPlan.SQL
    ) -> String {
        // The count makes the query an aggregate even without aggregate terms, as in the row of the grand total.
        var columns = ["count(*) AS n"]
        columns += terms.enumerated().map { "\($1.sql(set)) AS c\($0)" }
        columns += order.enumerated().map { "\($1.sql(set)) AS o\($0)" }
        columns += keys.enumerated().map { index, key in
            "\(set.contains(index) ? key.sql : "NULL") AS k\(index), \(set.contains(index) ? 0 : 1) AS g\(index)"
        }
        let groups = set.sorted().map { keys[$0].sql }.joined(separator: ", ")
        return "SELECT \(columns.joined(separator: ", ")) FROM \(scope.root.object.table) t\(scope.joins)"
            + condition.text + (groups.isEmpty ? "" : " GROUP BY \(groups)")
            + (having.text.isEmpty ? "" : " HAVING \(having.text)")
    }

    /// Returns the ORDER BY clause: the requested order, then subtotals after their groups, then the groups by their
    /// keys.
    private func ordering(_ order: [Term]) -> String {
        var parts = zip(order, query.order).enumerated().map { index, pair -> String in
            let column = pair.0.named("o\(index)")
            return QueryCompiler.sorted(column.collated, rank: column.rank, by: pair.1)
        }
        parts += keys.enumerated().map { index, key -> String in
            let column = Term(column: key) { _ in key.sql }.named("k\(index)")
            return (["g\(index)"] + [column.rank, column.collated].compactMap { $0 }).joined(separator: ", ")
        }
        return parts.isEmpty ? "" : " ORDER BY \(parts.joined(separator: ", "))"
    }

    // MARK: Terms

    /// Returns the term of an item, and its name if it has one.
    private func item(_ item: SOQLSelectItem) throws -> (Term, name: String?, SOQLPosition) {
        switch item {
        case .path(let path, let alias):
            let term = try term(.path(path))
            return (term, alias ?? term.column.field?.name ?? path.last, path.position)
        case .call(let call, let alias):
            let wrapped = QueryFunctions.Wrapper.path(in: call).flatMap { try? scope.column($0).field?.name }
            return (try term(.call(call)), alias ?? wrapped, call.position)
        case .child(let child):
            throw refuse(
                "Grouped query cannot use child relationships in the SELECT list", child.source.path.position)
        case .typeOf(let typeOf): throw refuse("TYPEOF cannot be used in a grouped query", typeOf.path.position)
        }
    }

    private func orderTerm(_ key: SOQLOperand, _ aliases: [String: Term]) throws -> Term {
        if case .path(let path) = key, path.names.count == 1, let term = aliases[path.last.lowercased()] { return term }
        return try term(key)
    }

    private func term(_ operand: SOQLOperand) throws -> Term {
        switch operand {
        case .path(let path):
            let column = try scope.column(path)
            guard let term = keyTerm(column, operand) else {
                throw refuse("Field must be grouped or aggregated: \(path.last)", path.position)
            }
            return term
        case .call(let call): return try term(call)
        }
    }

    /// Returns the term of a key; nil for an expression that is not a key.
    ///
    /// If two keys have the same SQL, such as the quarters of two calendars, the one with the same text is used.
    private func keyTerm(_ column: QueryScope.Column, _ operand: SOQLOperand) -> Term? {
        let name = "\(operand)".lowercased()
        let named = query.grouping?.keys.firstIndex { "\($0)".lowercased() == name }
        guard let index = named ?? keys.firstIndex(where: { $0.sql == column.sql }) else { return nil }
        return Term(column: column) { $0.contains(index) ? column.sql : "NULL" }
    }

    private func term(_ call: SOQLCall) throws -> Term {
        if call.isAggregate {
            let column = try aggregate(call)
            return Term(column: column) { _ in column.sql }
        }
        if call.name.uppercased() == "GROUPING" { return try grouping(call) }
        if let wrapper = QueryFunctions.Wrapper(call), call.arguments.count == 1 {
            let inner: Term
            switch call.arguments[0] {
            case .path(let path): inner = try term(.path(path))
            case .call(let call): inner = try term(call)
            case .value: throw refuse("\(call.name) takes one field", call.position)
            }
            func column(_ set: Set<Int>) throws -> QueryScope.Column {
                var column = inner.column
                column.sql = inner.sql(set)
                return try functions.applied(wrapper, to: column, call)
            }
            let first = try column([])
            return Term(column: first) { set in (try? column(set))?.sql ?? first.sql }
        }
        guard let column = try functions.column(call) else {
            throw refuse("unexpected token: '\(call.name)'", call.position)
        }
        guard let term = keyTerm(column, .call(call)) else {
            throw refuse("Field must be grouped or aggregated: \(call)", call.position)
        }
        return term
    }

    /// `GROUPING(field)`: 1 in the subtotals over all values of the field.
    private func grouping(_ call: SOQLCall) throws -> Term {
        guard let path = call.onlyPath, let kind = query.grouping?.kind, kind != .plain else {
            throw refuse("GROUPING takes one field of a ROLLUP or CUBE", call.position)
        }
        let column = try scope.column(path)
        guard let index = keys.firstIndex(where: { $0.sql == column.sql }) else {
            throw refuse("Field must be grouped or aggregated: \(path.last)", path.position)
        }
        return Term(column: QueryScope.Column(sql: "", type: .int, field: nil)) { $0.contains(index) ? "0" : "1" }
    }

    private func aggregate(_ call: SOQLCall) throws -> QueryScope.Column {
        let name = call.name.uppercased()
        if Self.isBareCount(call) { return QueryScope.Column(sql: "count(*)", type: .int, field: nil) }
        guard let path = call.onlyPath else { throw refuse("\(call.name) takes one field", call.position) }
        let column = try scope.column(path)
        guard Self.allows(name, column) else {
            throw refuse("field \(path.last) does not support aggregate operator \(name)", call.position)
        }
        switch name {
        case "COUNT": return QueryScope.Column(sql: "count(\(column.sql))", type: .int, field: nil)
        case "COUNT_DISTINCT": return QueryScope.Column(sql: "count(DISTINCT \(column.sql))", type: .int, field: nil)
        case "SUM": return QueryScope.Column(sql: "sum(\(column.sql))", type: column.type, field: nil)
        case "AVG": return QueryScope.Column(sql: "avg(\(column.sql))", type: .double, field: nil)
        default:
            var result = QueryScope.Column(
                sql: "\(name.lowercased())(\(column.sql))", type: column.type, field: nil, isExact: column.isExact)
            if let rank = column.rank {
                // The position in the list precedes the value for sorting, and is removed afterwards.
                let ranked = "CASE WHEN \(column.sql) IS NOT NULL THEN printf('%06d', \(rank)) || \(column.sql) END"
                result.sql = "substr(\(name.lowercased())(\(ranked) COLLATE \(TextOrder.collation)), 7)"
                result.choices = column.choices
            }
            result.sql = result.collated
            return result
        }
    }

    private static func allows(_ name: String, _ column: QueryScope.Column) -> Bool {
        if ["SUM", "AVG"].contains(name) { return [.int, .real].contains(column.type.storage) }
        if [.boolean, .address, .location, .base64, .multipicklist, .encryptedstring, .time].contains(column.type) {
            return false
        }
        return column.field?.isLongText != true
    }
}
