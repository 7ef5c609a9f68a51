// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI

/// Compiles queries that count, sum and group.
struct AggregateCompiler {
    let source: QuerySource
    let caller: QueryCaller

    func compile(_ query: SOQLQuery, _ object: OrgObject) throws -> CompiledQuery {
        let scope = try QueryScope(query, object: object, source: source)
        if query.items.count == 1, case .call(let call, nil) = query.items[0], call.name.uppercased() == "COUNT",
            call.arguments.isEmpty, query.grouping == nil
        {
            return .count(try count(query, scope))
        }
        if let grouping = query.grouping, grouping.kind != .plain {
            throw source.failure(
                "MALFORMED_QUERY", "GROUP BY \(grouping.kind.rawValue.uppercased()) is not supported by the local org",
                grouping.keys.first?.position ?? SOQLPosition())
        }
        let groups = try (query.grouping?.keys ?? []).map { try group($0, scope) }
        let grouped = Set(groups)
        var columns: [(key: [UInt8], type: OrgFieldType)] = []
        var selected: [String] = []
        var aliases: [String: String] = [:]
        var unnamed = 0
        for item in query.items {
            let (column, name, alias) = try self.item(item, scope, grouped)
            let key = alias ?? name ?? "expr\(unnamed)"
            if alias == nil && name == nil { unnamed += 1 }
            aliases[key.lowercased()] = column.sql
            columns.append((OutputItem.key(key), column.type))
            selected.append(column.sql)
        }
        let filter = QueryCompiler(source: source, caller: caller)
        let condition = try filter.condition(query, scope)
        var having = QueryConditions(scope, caller: caller) { try self.expression($0, scope) }
        if let condition = query.having { try having.add(condition) }
        let order = try query.order.map { key in
            QueryCompiler.sorted(try orderKey(key.key, scope, grouped, aliases), key)
        }
        var sql = QueryPlan.SQL(
            text: "SELECT \(selected.joined(separator: ", ")) FROM \(object.table) t\(scope.joins)\(condition.text)"
                + (groups.isEmpty ? "" : " GROUP BY \(groups.joined(separator: ", "))")
                + (having.sql.isEmpty ? "" : " HAVING \(having.sql)")
                + (order.isEmpty
                    ? groups.isEmpty ? "" : " ORDER BY \(groups.joined(separator: ", "))"
                    : " ORDER BY \(order.joined(separator: ", "))"),
            values: condition.values + having.values)
        QueryCompiler.limit(query, &sql)
        return .groups(AggregatePlan(sql: sql, columns: columns))
    }

    private func count(_ query: SOQLQuery, _ scope: QueryScope) throws -> QueryPlan.SQL {
        let condition = try QueryCompiler(source: source, caller: caller).condition(query, scope)
        var rows = QueryPlan.SQL(
            text: "SELECT 1 FROM \(scope.root.object.table) t\(scope.joins)\(condition.text)", values: condition.values)
        QueryCompiler.limit(query, &rows)
        return QueryPlan.SQL(text: "SELECT count(*) FROM (\(rows.text))", values: rows.values)
    }

    private func group(_ key: SOQLOperand, _ scope: QueryScope) throws -> String {
        switch key {
        case .path(let path):
            let column = try scope.column(path)
            if let field = column.field, !field.isGroupable {
                throw source.failure(
                    "INVALID_FIELD", "field '\(field.name)' can not be grouped in a query call", path.position)
            }
            return column.sql
        case .call(let call):
            guard let column = try DateFunctions(scope: scope).column(call) else {
                throw source.failure("MALFORMED_QUERY", "unexpected token: '\(call.name)'", call.position)
            }
            return column.sql
        }
    }

    /// The expression of an item, the name that it has by itself, and the one that the query gives it.
    private func item(
        _ item: SOQLSelectItem, _ scope: QueryScope, _ grouped: Set<String>
    ) throws -> (QueryScope.Column, name: String?, alias: String?) {
        switch item {
        case .path(let path, let alias):
            let column = try scope.column(path)
            try check(column, path.last, grouped, path.position)
            return (column, column.field?.name ?? path.last, alias)
        case .call(let call, let alias):
            guard let column = try expression(call, scope) else {
                throw source.failure("MALFORMED_QUERY", "unexpected token: '\(call.name)'", call.position)
            }
            if !call.isAggregate {
                try check(column, call.description, grouped, call.position)
            }
            return (column, nil, alias)
        case .child(let query):
            throw source.failure(
                "MALFORMED_QUERY", "Grouped query cannot use child relationships in the SELECT list",
                query.source.path.position)
        case .typeOf(let typeOf):
            throw source.failure("MALFORMED_QUERY", "TYPEOF is not supported by the local org", typeOf.path.position)
        }
    }

    private func check(
        _ column: QueryScope.Column, _ name: String, _ grouped: Set<String>, _ position: SOQLPosition
    ) throws {
        if !grouped.contains(column.sql) {
            throw source.failure("MALFORMED_QUERY", "Field must be grouped or aggregated: \(name)", position)
        }
    }

    /// What an aggregate or a function of a grouped date stands for.
    private func expression(_ call: SOQLCall, _ scope: QueryScope) throws -> QueryScope.Column? {
        let name = call.name.uppercased()
        guard call.isAggregate else { return try DateFunctions(scope: scope).column(call) }
        if name == "COUNT", call.arguments.isEmpty {
            return QueryScope.Column(sql: "count(*)", type: .int, field: nil)
        }
        guard let path = call.onlyPath else {
            throw source.failure("MALFORMED_QUERY", "\(call.name) takes one field", call.position)
        }
        let column = try scope.column(path)
        if ["SUM", "AVG"].contains(name), ![.int, .real].contains(column.type.storage) {
            throw source.failure("INVALID_FIELD", "\(call.name) takes a number", call.position)
        }
        switch name {
        case "COUNT": return QueryScope.Column(sql: "count(\(column.sql))", type: .int, field: nil)
        case "COUNT_DISTINCT": return QueryScope.Column(sql: "count(DISTINCT \(column.sql))", type: .int, field: nil)
        case "SUM": return QueryScope.Column(sql: "sum(\(column.sql))", type: column.type, field: nil)
        case "AVG": return QueryScope.Column(sql: "avg(\(column.sql))", type: .double, field: nil)
        default:
            return QueryScope.Column(sql: "\(name.lowercased())(\(column.sql))", type: column.type, field: nil)
        }
    }

    private func orderKey(
        _ key: SOQLOperand, _ scope: QueryScope, _ grouped: Set<String>, _ aliases: [String: String]
    ) throws -> String {
        switch key {
        case .path(let path):
            if path.names.count == 1, let sql = aliases[path.last.lowercased()] { return sql }
            let column = try scope.column(path)
            try check(column, path.last, grouped, path.position)
            return column.sql
        case .call(let call):
            guard let column = try expression(call, scope) else {
                throw source.failure("MALFORMED_QUERY", "unexpected token: '\(call.name)'", call.position)
            }
            return column.sql
        }
    }
}
