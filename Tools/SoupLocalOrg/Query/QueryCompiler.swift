// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// Compiles queries: names are resolved in the schema, and no text of the query is copied into the SQL.
struct QueryCompiler {
    let source: QuerySource
    let caller: QueryCaller

    /// The maximum length of a query, in characters.
    static let maximumLength = 100_000
    /// The maximum nesting of conditions and calls, the query itself counting as 8; it fits into the stack of the org's
    /// threads.
    static let maximumDepth = 108

    /// - Throws: ``OrgError`` with the codes of the query resource.
    static func compile(_ text: String, schema: OrgSchema, caller: QueryCaller) throws -> CompiledQuery {
        let (query, compiler) = try parsed(text, schema: schema, caller: caller)
        return try compiler.compile(query)
    }

    /// Parses a query without resolving its names.
    ///
    /// - Returns: the query and its compiler.
    /// - Throws: as ``compile(_:schema:caller:)``.
    static func parsed(
        _ text: String, schema: OrgSchema, caller: QueryCaller
    ) throws -> (query: SOQLQuery, compiler: QueryCompiler) {
        guard text.unicodeScalars.count <= maximumLength else {
            throw OrgError(400, "MALFORMED_QUERY", message: "SOQL statements can not be longer than 100000 characters")
        }
        let source = QuerySource(text: text, schema: schema, zone: caller.zone)
        let query: SOQLQuery
        do {
            query = try SOQLQuery(parsing: text, mixedConditions: false, maximumDepth: Self.maximumDepth)
        } catch let error as SoupError {
            throw source.malformed(error, "MALFORMED_QUERY")
        }
        var caller = caller
        if query.allRows && caller.allowsAllRows { caller.seesDeleted = true }
        return (query, QueryCompiler(source: source, caller: caller))
    }

    func compile(_ query: SOQLQuery) throws -> CompiledQuery {
        let object = try object(of: query)
        try refuseUnsupported(query)
        if query.isAggregate || query.having != nil {
            return try AggregateCompiler(query, object, compiler: self).compile()
        }
        return .rows(try plan(query, object))
    }

    /// Returns the plan of a query for rows.
    ///
    /// - Parameter rows: the rows to search; nil for all rows.
    func plan(_ query: SOQLQuery, _ object: OrgObject, among rows: [Int64]? = nil) throws -> QueryPlan {
        var plan = try rowPlan(query, object, alias: "t")
        plan.find = try finding(query, object, among: rows)
        return plan
    }

    func object(of query: SOQLQuery) throws -> OrgObject {
        let name = query.source.path.description
        guard let object = source.schema[name], object.flags.queryable else {
            throw source.unknownObject(name, query.source.path.position)
        }
        return object
    }

    private func refuseUnsupported(_ query: SOQLQuery) throws {
        if query.allRows && !caller.allowsAllRows {
            throw OrgError(400, "MALFORMED_QUERY", message: "ALL ROWS is not available here; use queryAll")
        }
        if let with = query.with {
            let word = with.prefix { $0.isLetter || $0 == "_" }
            guard ["SECURITY_ENFORCED", "USER_MODE", "SYSTEM_MODE", "DATA"].contains(word.uppercased()) else {
                throw source.failure("MALFORMED_QUERY", "unexpected token: '\(word)'", at: query.withPosition)
            }
        }
        if query.purposes.contains(.update) {
            throw OrgError(400, "MALFORMED_QUERY", message: "FOR UPDATE is not available over REST")
        }
        if let offset = query.offset, offset > 2000 {
            throw OrgError(400, "NUMBER_OUTSIDE_VALID_RANGE", message: "Maximum SOQL offset allowed is 2000")
        }
    }

    // MARK: Finding rows

    /// Returns the statement that finds the rows of a query.
    private func finding(_ query: SOQLQuery, _ object: OrgObject, among rows: [Int64]?) throws -> QueryPlan.SQL {
        let scope = try QueryScope(query, object: object, source: source)
        var condition = try self.condition(query, scope)
        let order = try ordering(query, scope)
        if let rows {
            condition.text += condition.text.isEmpty ? " WHERE " : " AND "
            condition.text += "t._row IN (SELECT value FROM json_each(?))"
            condition.values.append(QueryRowWriter.json(rows))
        }
        var sql = QueryPlan.SQL(
            text: "SELECT t._row FROM \(object.table) t\(scope.joins)\(condition.text) ORDER BY \(order)",
            values: condition.values)
        Self.limit(query, &sql)
        return sql
    }

    static func limit(_ query: SOQLQuery, _ sql: inout QueryPlan.SQL) {
        guard query.limit != nil || query.offset != nil else { return }
        sql.text += " LIMIT ? OFFSET ?"
        sql.values += [.int(Int64(query.limit ?? -1)), .int(Int64(query.offset ?? 0))]
    }

    /// Returns the WHERE clause, including the implied conditions: the rows are not deleted, and are in the scope.
    func condition(_ query: SOQLQuery, _ scope: QueryScope) throws -> QueryPlan.SQL {
        var conditions = QueryConditions(scope, caller: caller, call: QueryFunctions(scope: scope).column)
        if let condition = query.condition { try conditions.add(condition) }
        var parts = caller.seesDeleted ? [] : ["\(scope.root.alias).\"IsDeleted\" = 0"]
        if !conditions.sql.isEmpty { parts.append("(\(conditions.sql))") }
        var sql = QueryPlan.SQL(text: "", values: conditions.values)
        if query.scope?.lowercased() == "mine", scope.root.object.hasOwner {
            parts.append("\(scope.root.alias).\"OwnerId\" = ?")
            sql.values.append(.text(caller.userId))
        }
        if !parts.isEmpty { sql.text = " WHERE \(parts.joined(separator: " AND "))" }
        return sql
    }

    /// Returns the ORDER BY clause, with the ID as the last key.
    private func ordering(_ query: SOQLQuery, _ scope: QueryScope) throws -> String {
        var keys = try query.order.map { key -> String in
            let column: QueryScope.Column
            switch key.key {
            case .path(let path): column = try scope.column(path)
            case .call(let call):
                guard let found = try QueryFunctions(scope: scope).column(call) else {
                    throw source.failure("MALFORMED_QUERY", "unexpected token: '\(call.name)'", at: call.position)
                }
                column = found
            }
            if let field = column.field, !field.isSortable {
                throw source.failure(
                    "INVALID_FIELD", "field '\(field.name)' can not be sorted in a query call", at: key.key.position)
            }
            return Self.sorted(column.sql, rank: column.rank, by: key)
        }
        let row = "\(scope.root.alias)._row"
        if keys.isEmpty, let seed = caller.shuffleSeed {
            // A multiplication modulo a prime visits each number once.
            keys.append("(\(row) * \(1_103_515_245 + seed % 1_000_003) % 2147483647)")
        }
        keys.append(row)
        return keys.joined(separator: ", ")
    }

    /// Returns a sort key: rows without a value come first in both directions unless the query sets another order.
    ///
    /// - Parameter rank: an expression that is sorted by first; nil for columns with an order of their own.
    static func sorted(_ sql: String, rank: String? = nil, by key: SOQLSortKey) -> String {
        [rank, sql].compactMap { $0 }.map { directed($0, key) }.joined(separator: ", ")
    }

    private static func directed(_ sql: String, _ key: SOQLSortKey) -> String {
        switch (key.descending, key.nulls) {
        case (false, .last): "\(sql) ASC NULLS LAST"
        case (false, _): sql
        case (true, .last): "\(sql) DESC"
        case (true, _): "\(sql) DESC NULLS FIRST"
        }
    }

    // MARK: Reading rows

    /// Returns the statement that reads rows, and the structure of the rows.
    ///
    /// - Parameter level: the number of parents of the rows in the response.
    func rowPlan(_ query: SOQLQuery, _ object: OrgObject, alias: String, level: Int = 0) throws -> QueryPlan {
        let scope = try QueryScope(query, object: object, source: source, alias: alias)
        var builder = OutputBuilder(scope: scope)
        var children: [QueryPlan.Child] = []
        for item in query.items {
            switch item {
            case .path(let path, nil): try builder.add(path)
            case .path(let path, _):
                throw source.failure(
                    "MALFORMED_QUERY", "only aggregate expressions use field aliasing", at: path.position)
            case .call(let call, let name): try builder.add(call, alias: name, query: query)
            case .child(let child):
                try refuse(child, level: level, siblings: children.count)
                let relationship = try childRelationship(child, of: object)
                try builder.addChildren(relationship, index: children.count, child.source.path)
                children.append(
                    QueryPlan.Child(plan: try childPlan(child, relationship, parent: object, level: level + 1)))
            case .typeOf(let typeOf): try builder.add(typeOf)
            }
        }
        let columns = (["\(alias).\"Id\""] + builder.columns + ["page.key"]).joined(separator: ", ")
        let read =
            "SELECT \(columns) FROM json_each(?1) page CROSS JOIN \(object.table) \(alias) "
            + "ON \(alias)._row = page.value\(scope.joins)"
            + (caller.seesDeleted ? "" : " WHERE \(alias).\"IsDeleted\" = 0")
        return QueryPlan(
            object: object, find: QueryPlan.SQL(text: ""), read: read, keyColumn: builder.columns.count + 1,
            items: builder.finished, children: children, isForView: query.purposes.contains(.view),
            isForReference: query.purposes.contains(.reference))
    }

    /// Rejects too many child queries, and those nested too deeply.
    private func refuse(_ child: SOQLQuery, level: Int, siblings: Int) throws {
        let levels = caller.version >= 58 ? 4 : 1
        if level >= levels {
            throw source.failure(
                "MALFORMED_QUERY", "Only \(levels + 1) levels of parent-to-child relationships are allowed",
                at: child.source.path.position)
        }
        if siblings >= Self.maximumChildQueries {
            throw source.failure(
                "MALFORMED_QUERY",
                "Maximum \(Self.maximumChildQueries) parent-to-child relationships are allowed in a query",
                at: child.source.path.position)
        }
    }

    private static let maximumChildQueries = 20

    private func childRelationship(_ child: SOQLQuery, of parent: OrgObject) throws -> OrgObject.Child {
        let names = child.source.path.names
        let name = names.last ?? ""
        guard names.count <= 2, let relationship = parent.child(name) else {
            throw source.unknownRelationship(name, child.source.path.position, inFrom: true)
        }
        return relationship
    }

    private func childPlan(
        _ query: SOQLQuery, _ relationship: OrgObject.Child, parent: OrgObject, level: Int
    ) throws -> QueryPlan {
        guard let object = source.schema[relationship.object] else {
            throw source.unknownRelationship(relationship.object, query.source.path.position, inFrom: true)
        }
        if query.isAggregate || query.having != nil {
            throw source.failure(
                "MALFORMED_QUERY", "only root queries support aggregate expressions", at: query.source.path.position)
        }
        try refuseUnsupported(query)
        var plan = try rowPlan(query, object, alias: "c", level: level)
        let scope = try QueryScope(query, object: object, source: source, alias: "c")
        let condition = try self.condition(query, scope)
        let order = try ordering(query, scope)
        let from =
            "FROM json_each(?1) page CROSS JOIN \(parent.table) p ON p._row = page.value CROSS JOIN \(object.table) c "
            + "ON c.\"\(relationship.field)\" = p.\"Id\"\(scope.joins)\(condition.text)"
        if query.limit == nil && query.offset == nil {
            plan.find = QueryPlan.SQL(
                text: "SELECT page.key, c._row \(from) ORDER BY page.key, \(order)", values: condition.values)
        } else {
            let numbered =
                "SELECT page.key AS parent, c._row AS child, "
                + "row_number() OVER (PARTITION BY page.key ORDER BY \(order)) AS n \(from)"
            let offset = Int64(query.offset ?? 0)
            plan.find = QueryPlan.SQL(
                text: "SELECT parent, child FROM (\(numbered)) WHERE n > ? AND n <= ? ORDER BY parent, n",
                values: condition.values
                    + [.int(offset), .int(query.limit.map { offset + Int64(min($0, 1 << 40)) } ?? .max)])
        }
        return plan
    }
}
