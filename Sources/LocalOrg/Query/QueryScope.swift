// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI

/// What the names in a query mean: its object, the names it gives to parents, and the joins that its paths need.
final class QueryScope {
    /// A record that a path can start from or lead over, as a table in SQL.
    struct Stop {
        var alias: String
        var object: OrgObject
    }

    /// A field that a path leads to.
    struct Column {
        var sql: String
        var type: OrgFieldType
        /// Nil for what is not a field of a table: the type of a polymorphic parent.
        var field: OrgField?
    }

    let root: Stop
    let source: QuerySource
    private let ownNames: Set<String>
    private var aliases: [String: [String]] = [:]
    private var joinAliases: [String: String] = [:]
    private(set) var joins = ""

    /// - Parameter alias: the SQL name of the object's table.
    init(_ query: SOQLQuery, object: OrgObject, source: QuerySource, alias: String = "t") throws {
        root = Stop(alias: alias, object: object)
        self.source = source
        ownNames = Set([object.name, query.source.path.last, query.source.alias ?? ""].map { $0.lowercased() })
        for join in query.joins {
            let name = (join.alias ?? join.path.last).lowercased()
            aliases[name] = relative(join.path.names)
        }
    }

    /// A path without the name of the object, and with the names of parents spelled out.
    func relative(_ names: [String]) -> [String] {
        guard names.count > 1, let first = names.first?.lowercased() else { return names }
        if let path = aliases[first] { return path + names.dropFirst() }
        if root.object.reference(first) != nil { return names }
        return ownNames.contains(first) ? Array(names.dropFirst()) : names
    }

    /// - Throws: ``OrgError`` with `INVALID_FIELD` for what the schema does not have.
    func column(_ path: SOQLPath) throws -> Column {
        let names = relative(path.names)
        let parents = try stops(Array(names.dropLast()), path)
        return try column(names[names.count - 1], of: parents, path)
    }

    /// The tables at the end of a chain of relationships: one, or several for a polymorphic one.
    func stops(_ relationships: [String], _ path: SOQLPath) throws -> [Stop] {
        if relationships.count > 5 {
            throw source.failure("INVALID_FIELD", "Maximum 5 relationships are allowed in a path", path.position)
        }
        return try relationships.reduce([root]) { stops, name in
            let next = stops.flatMap { stop in
                (stop.object.reference(name).map { reference in
                    reference.referenceTo.compactMap { source.schema[$0] }.map { join(stop, reference, $0) }
                }) ?? []
            }
            if next.isEmpty { throw source.unknownRelationship(name, path.position) }
            return next
        }
    }

    private func join(_ stop: Stop, _ reference: OrgField, _ target: OrgObject) -> Stop {
        let key = "\(stop.alias).\(reference.name).\(target.name)"
        if let alias = joinAliases[key] { return Stop(alias: alias, object: target) }
        let alias = "\(root.alias)\(joinAliases.count + 1)"
        joinAliases[key] = alias
        joins += " LEFT JOIN \(target.table) \(alias) ON \(alias).\"Id\" = \(stop.alias).\"\(reference.name)\""
        return Stop(alias: alias, object: target)
    }

    private func column(_ name: String, of stops: [Stop], _ path: SOQLPath) throws -> Column {
        if stops.count == 1 {
            guard let field = stops[0].object.field(name) else {
                throw source.unknownField(name, of: stops[0].object.name, path.position)
            }
            return Column(sql: "\(stops[0].alias).\"\(field.name)\"", type: field.type, field: field)
        }
        if name.lowercased() == "type" { return Column(sql: typeSQL(stops), type: .string, field: nil) }
        let found = stops.compactMap { stop in stop.object.field(name).map { (stop, $0) } }
        guard let first = found.first else { throw source.unknownField(name, of: "Name", path.position) }
        let columns = found.map { "\($0.0.alias).\"\($0.1.name)\"" }.joined(separator: ", ")
        let sql = found.count == 1 ? columns : "coalesce(\(columns))"
        let collated = first.1.type.storage == .text ? "\(sql) COLLATE \(TextOrder.collation)" : sql
        return Column(sql: collated, type: first.1.type, field: first.1)
    }

    /// The name of the object that a polymorphic parent is of.
    private func typeSQL(_ stops: [Stop]) -> String {
        let cases = stops.map { "WHEN \($0.alias).\"Id\" IS NOT NULL THEN '\($0.object.name)'" }
        return "CASE \(cases.joined(separator: " ")) END"
    }

    /// The id of the record at the end of a chain, null when there is none.
    func idSQL(_ stops: [Stop]) -> String {
        let ids = stops.map { "\($0.alias).\"Id\"" }.joined(separator: ", ")
        return stops.count == 1 ? ids : "coalesce(\(ids))"
    }
}

/// The text of a query and the schema it is about: what every error message needs.
struct QuerySource {
    var text: String
    var schema: OrgSchema

    /// A refusal that shows the place in the query.
    func failure(_ code: String, _ message: String, _ position: SOQLPosition) -> OrgError {
        guard let offset = position.offset else { return OrgError(400, code, message) }
        return OrgError(400, code, Self.block(text, offset) + message)
    }

    func unknownField(_ name: String, of object: String, _ position: SOQLPosition) -> OrgError {
        failure(
            "INVALID_FIELD",
            "No such column '\(name)' on entity '\(object)'. If you are attempting to use a custom field, be sure to "
                + "append the '__c' after the custom field name. Please reference your WSDL or the describe call for the "
                + "appropriate names.", position)
    }

    func unknownRelationship(_ name: String, _ position: SOQLPosition, inFrom: Bool = false) -> OrgError {
        failure(
            "INVALID_FIELD",
            "Didn't understand relationship '\(name)' in \(inFrom ? "FROM part of query call" : "field path"). If you are "
                + "attempting to use a custom relationship, be sure to append the '__r' after the custom relationship "
                + "name. Please reference your WSDL or the describe call for the appropriate names.", position)
    }

    func unknownObject(_ name: String, _ position: SOQLPosition) -> OrgError {
        failure(
            "INVALID_TYPE",
            "sObject type '\(name)' is not supported. If you are attempting to use a custom object, be sure to append "
                + "the '__c' after the entity name. Please reference your WSDL or the describe call for the appropriate "
                + "names.", position)
    }

    /// A piece of the query, a caret below the place, and the place in numbers.
    static func block(_ text: String, _ offset: Int) -> String {
        let bytes = Array(text.utf8)
        let offset = min(offset, bytes.count)
        let before = bytes[..<offset]
        let row = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let lineEnd = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let start = max(lineStart, offset - 40)
        let fragment = String(decoding: bytes[start..<min(lineEnd, offset + 40)], as: UTF8.self)
        let caret = String(repeating: " ", count: String(decoding: bytes[start..<offset], as: UTF8.self).count) + "^"
        return "\n\(fragment)\n\(caret)\nERROR at Row:\(row):Column:\(offset - lineStart + 1)\n"
    }
}
