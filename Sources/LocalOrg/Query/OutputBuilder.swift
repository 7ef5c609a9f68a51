// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI

/// Gathers the columns of a select list and the shape of the row that they make.
///
/// Paths that lead over the same parent make one object, at the place of the first of them.
struct OutputBuilder {
    let scope: QueryScope
    private(set) var columns: [String] = []
    private var root = Node(key: "")
    private var selected: Set<String> = []

    /// An item while others may still join it.
    private final class Node {
        enum Kind {
            case value(OrgFieldType, Int)
            case parent(OrgObject?, Int)
            case children(Int)
            case address([(key: [UInt8], type: OrgFieldType, column: Int)])
        }

        let key: String
        var kind = Kind.value(.string, 0)
        var nodes: [Node] = []

        init(key: String) { self.key = key }
    }

    init(scope: QueryScope) { self.scope = scope }

    var source: QuerySource { scope.source }
    var finished: [OutputItem] { Self.items(root) }

    private static func items(_ node: Node) -> [OutputItem] {
        node.nodes.map { node in
            let key = OutputItem.key(node.key)
            switch node.kind {
            case .value(let type, let column): return .value(key: key, type: type, column: column)
            case .parent(let object, let column):
                return .parent(key: key, object: object, idColumn: column, items: items(node))
            case .children(let index): return .children(key: key, index: index)
            case .address(let parts): return .address(key: key, parts: parts)
            }
        }
    }

    /// Adds a column; column 0 of a row is always its id.
    private mutating func column(_ sql: String) -> Int {
        columns.append(sql)
        return columns.count
    }

    mutating func add(_ path: SOQLPath, alias: String?) throws {
        let names = scope.relative(path.names)
        guard selected.insert(names.joined(separator: ".").lowercased()).inserted else {
            throw source.failure("MALFORMED_QUERY", "duplicate field selected: \(path)", path.position)
        }
        let parent = try node(for: Array(names.dropLast()), path)
        let found = try scope.column(path)
        let last = names[names.count - 1]
        let child = Node(key: alias ?? found.field?.name ?? "Type")
        if let field = found.field, field.type == .address {
            let stops = try scope.stops(Array(names.dropLast()), path)
            child.kind = .address(addressParts(field, stops[0]))
        } else if last.lowercased() == "id" && names.count == 1 {
            child.kind = .value(.id, 0)
        } else {
            child.kind = .value(found.type, column(found.sql))
        }
        parent.nodes.append(child)
    }

    /// The parts of an address, in alphabetical order and without the address's own prefix in their names.
    private mutating func addressParts(
        _ address: OrgField, _ stop: QueryScope.Stop
    ) -> [(key: [UInt8], type: OrgFieldType, column: Int)] {
        let prefix = address.name.dropLast("Address".count)
        return stop.object.parts(of: address).map { part in
            let name = part.name.hasPrefix(prefix) ? String(part.name.dropFirst(prefix.count)) : part.name
            return (name.prefix(1).lowercased() + name.dropFirst(), part)
        }
        .sorted { $0.0 < $1.0 }
        .map { (OutputItem.key($0.0), $0.1.type, column("\(stop.alias).\"\($0.1.name)\"")) }
    }

    /// The node of a parent, made when it is the first field of it.
    private mutating func node(for relationships: [String], _ path: SOQLPath) throws -> Node {
        var node = root
        for depth in relationships.indices {
            let chain = Array(relationships[...depth])
            let before = try scope.stops(Array(chain.dropLast()), path)
            let stops = try scope.stops(chain, path)
            let name = before.lazy.compactMap { $0.object.reference(chain[depth])?.relationshipName }.first
            let key = name ?? chain[depth]
            if let known = node.nodes.first(where: { $0.key == key }) {
                node = known
            } else {
                let next = Node(key: key)
                next.kind = .parent(stops.count == 1 ? stops[0].object : nil, column(scope.idSQL(stops)))
                node.nodes.append(next)
                node = next
            }
        }
        return node
    }

    mutating func addChildren(_ key: String, index: Int) {
        let node = Node(key: key)
        node.kind = .children(index)
        root.nodes.append(node)
    }

    /// Adds what a function stands for: the fields of `FIELDS(…)`, or one value.
    mutating func add(_ call: SOQLCall, alias: String?, query: SOQLQuery) throws {
        let name = call.name.lowercased()
        if name == "fields" { return try addFields(call, query) }
        if ["tolabel", "format", "convertcurrency", "converttimezone"].contains(name), let path = call.onlyPath {
            return try add(path, alias: alias)
        }
        guard let found = try DateFunctions(scope: scope).column(call) else {
            throw source.failure("MALFORMED_QUERY", "unexpected token: '\(call.name)'", call.position)
        }
        let node = Node(key: alias ?? "expr\(root.nodes.count { $0.key.hasPrefix("expr") })")
        node.kind = .value(found.type, column(found.sql))
        root.nodes.append(node)
    }

    private mutating func addFields(_ call: SOQLCall, _ query: SOQLQuery) throws {
        let kind = call.onlyPath?.description.uppercased() ?? ""
        guard ["ALL", "CUSTOM", "STANDARD"].contains(kind) else {
            throw source.failure("MALFORMED_QUERY", "FIELDS takes ALL, CUSTOM or STANDARD", call.position)
        }
        if kind != "STANDARD", query.limit.map({ $0 > 200 }) ?? true {
            throw source.failure(
                "MALFORMED_QUERY", "The SOQL FIELDS function must have a LIMIT of at most 200", call.position)
        }
        for field in scope.root.object.fields where kind == "ALL" || (kind == "CUSTOM") == field.isCustom {
            try add(SOQLPath([field.name], at: call.position), alias: nil)
        }
    }
}
