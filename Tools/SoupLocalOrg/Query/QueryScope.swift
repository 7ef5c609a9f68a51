// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

/// Resolves the names in a query: its object, the aliases of parents, and the joins for its paths.
final class QueryScope {
    /// A record at the start of a path or on it, as a table in SQL.
    struct Stop {
        var alias: String
        var object: OrgObject
        /// The ID expression by which each of its fields is looked up; nil for a joined table.
        var lookup: String?

        /// A field of the record.
        func column(_ name: String) -> String {
            let column = "\(alias).\"\(name)\""
            return lookup.map { "(SELECT \(column) FROM \(object.table) \(alias) WHERE \(alias).\"Id\" = \($0))" }
                ?? column
        }
    }

    /// The field at the end of a path.
    struct Column {
        var sql: String
        var type: OrgFieldType
        /// The field; nil for the type of a polymorphic parent, which is not a field of a table.
        var field: OrgField?
        /// Whether its texts are case-sensitive.
        var isExact = false
        /// The values of a picklist, which determine the sort order; empty for other columns.
        var choices: [String] = []

        /// The expression with its collation, for cases in which SQLite cannot determine the column.
        var collated: String {
            type.storage == .text && !isExact ? "\(sql) COLLATE \(TextOrder.collation)" : sql
        }

        /// The position of a picklist's value in its list, other values last; nil for other columns.
        var rank: String? {
            guard !choices.isEmpty else { return nil }
            let cases = choices.enumerated().map { index, choice in
                "WHEN '\(choice.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))' "
                    + "THEN \(index)"
            }
            return "CASE \(collated) \(cases.joined(separator: " ")) WHEN \(collated) THEN \(choices.count) END"
        }
    }

    let root: Stop
    let source: QuerySource
    private let ownNames: Set<String>
    private var aliases: [String: [String]] = [:]
    private var joinAliases: [String: String] = [:]
    private var relationships: Set<String> = []
    private(set) var joins = ""

    /// - Parameter alias: the SQL name of the object's table.
    init(_ query: SOQLQuery, object: OrgObject, source: QuerySource, alias: String = "t") throws {
        root = Stop(alias: alias, object: object)
        self.source = source
        ownNames = Set([object.name, query.source.path.last, query.source.alias ?? ""].map { $0.lowercased() })
        for join in query.joins {
            let name = (join.alias ?? join.path.last).lowercased()
            let path = relative(join.path.names)
            guard let first = path.first, object.reference(first) != nil else {
                throw source.failure(
                    "MALFORMED_QUERY",
                    "A driving SObject type has already been set, all other entity types in the FROM clause must be "
                        + "relationships to the initial object. The driving object is \(object.name).",
                    at: join.path.position)
            }
            aliases[name] = path
        }
    }

    /// Returns a path without the name of the object, with aliases of parents replaced by their paths.
    func relative(_ names: [String]) -> [String] {
        guard names.count > 1, let first = names.first?.lowercased() else { return names }
        if let path = aliases[first] { return path + names.dropFirst() }
        if root.object.reference(first) != nil { return names }
        return ownNames.contains(first) ? Array(names.dropFirst()) : names
    }

    /// - Throws: ``OrgError`` with `INVALID_FIELD` for names that the schema does not have.
    func column(_ path: SOQLPath) throws -> Column { try column(relative(path.names), path) }

    /// Returns the field at the end of a chain of names.
    ///
    /// - Parameter start: the tables at which the chain starts; nil for the query's object.
    func column(_ names: [String], from start: [Stop]? = nil, _ path: SOQLPath) throws -> Column {
        try column(names[names.count - 1], of: stops(Array(names.dropLast()), from: start, path), path)
    }

    /// Returns the tables at the end of a chain of relationships: one, or several for a polymorphic one.
    func stops(_ names: [String], from start: [Stop]? = nil, _ path: SOQLPath) throws -> [Stop] {
        if names.count > Self.maximumHops {
            throw source.failure(
                "INVALID_FIELD", "Maximum \(Self.maximumHops) relationships are allowed in a path", at: path.position)
        }
        return try names.reduce(start ?? [root]) { stops, name in
            let next = stops.flatMap { stop -> [Stop] in
                guard let reference = stop.object.reference(name) else { return [] }
                relationships.insert("\(stop.alias).\(reference.name)")
                let targets = reference.referenceTo.compactMap { source.schema[$0] }
                return targets.map { join(from: stop, by: reference, to: $0, isOnly: targets.count == 1) }
            }
            if next.isEmpty { throw source.unknownRelationship(name, path.position) }
            if relationships.count > Self.maximumRelationships {
                throw source.failure(
                    "MALFORMED_QUERY",
                    "Maximum \(Self.maximumRelationships) child-to-parent relationships are allowed in a query",
                    at: path.position)
            }
            return next
        }
    }

    private static let maximumHops = 5
    private static let maximumRelationships = 55
    /// The fields that all targets of a polymorphic relationship have in common.
    private static let commonFields: Set<String> = [
        "alias", "email", "firstname", "id", "isactive", "lastname", "lastreferenceddate", "lastvieweddate", "name",
        "phone", "profileid", "recordtypeid", "title", "type", "username", "userroleid",
    ]

    /// Returns the record of a reference: joined, or looked up if the reference has several targets, because SQLite
    /// joins at most 64 tables and a reference may have more targets.
    private func join(from stop: Stop, by reference: OrgField, to target: OrgObject, isOnly: Bool) -> Stop {
        let key = "\(stop.alias).\(reference.name).\(target.name)"
        let alias = joinAliases[key] ?? "\(root.alias)\(joinAliases.count + 1)"
        guard isOnly, stop.lookup == nil else {
            joinAliases[key] = alias
            return Stop(alias: alias, object: target, lookup: stop.column(reference.name))
        }
        guard joinAliases.updateValue(alias, forKey: key) == nil else { return Stop(alias: alias, object: target) }
        joins += " LEFT JOIN \(target.table) \(alias) ON \(alias).\"Id\" = \(stop.alias).\"\(reference.name)\""
        return Stop(alias: alias, object: target)
    }

    private func column(_ name: String, of stops: [Stop], _ path: SOQLPath) throws -> Column {
        if stops.count == 1 {
            guard let field = stops[0].object.field(name) else {
                throw source.unknownField(name, of: stops[0].object.name, path.position)
            }
            var column = Column(
                sql: stops[0].column(field.name), type: field.type, field: field, isExact: field.isExact)
            if field.type == .picklist { column.choices = field.picklist }
            if stops[0].lookup != nil { column.sql = column.collated }
            return column
        }
        guard Self.commonFields.contains(name.lowercased()) else {
            throw source.unknownField(name, of: "Name", path.position)
        }
        if name.lowercased() == "type" { return Column(sql: typeSQL(stops), type: .string, field: nil) }
        // Objects without a field `Name` have another name field.
        let found = stops.compactMap { stop in
            (stop.object.field(name) ?? (name.lowercased() == "name" ? stop.object.nameField : nil)).map { (stop, $0) }
        }
        guard let first = found.first(where: { $0.1.name.lowercased() == name.lowercased() }) ?? found.first else {
            throw source.unknownField(name, of: "Name", path.position)
        }
        let sql = Self.first(of: found.map { $0.0.column($0.1.name) })
        var column = Column(sql: sql, type: first.1.type, field: first.1)
        column.sql = column.collated
        return column
    }

    /// Returns the expression of a polymorphic parent's object name.
    private func typeSQL(_ stops: [Stop]) -> String {
        let cases = stops.map { "WHEN \($0.column("Id")) IS NOT NULL THEN '\($0.object.name)'" }
        return "CASE \(cases.joined(separator: " ")) END COLLATE \(TextOrder.collation)"
    }

    /// Returns the expression of the ID of the record at the end of a chain, null if there is none.
    func idSQL(_ stops: [Stop]) -> String { Self.first(of: stops.map { $0.column("Id") }) }

    /// Returns the first of several expressions that has a value.
    private static func first(of expressions: [String]) -> String {
        guard expressions.count > 1 else { return expressions.first ?? "NULL" }
        // A function takes at most 127 values.
        guard expressions.count > 100 else { return "coalesce(\(expressions.joined(separator: ", ")))" }
        let groups = stride(from: 0, to: expressions.count, by: 100)
        return first(of: groups.map { first(of: Array(expressions[$0...].prefix(100))) })
    }
}
