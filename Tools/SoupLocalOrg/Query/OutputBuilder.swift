// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

/// Collects the columns of a select list and the structure of the row in the response.
///
/// Paths over the same parent form one object, at the position of the first path.
struct OutputBuilder {
    let scope: QueryScope
    private(set) var columns: [String] = []
    private var root = Node(key: "")
    private var unnamed = 0

    /// An item to which fields may still be added.
    private final class Node {
        enum Kind {
            case value(OrgFieldType, Int)
            case parent(OrgObject?, Int)
            case children(Int)
            case address([(key: [UInt8], type: OrgFieldType, column: Int)])
            case typeOf(Int, [String: Node], Node?)
        }

        let key: String
        var kind = Kind.value(.string, 0)
        var nodes: [Node] = []
        /// The names of the fields in the object, in lower case.
        var selected: Set<String> = []

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
            case .typeOf(let column, let branches, let otherwise):
                return .typeOf(
                    key: key, idColumn: column, branches: branches.mapValues(items), otherwise: otherwise.map(items))
            }
        }
    }

    /// Adds a column; column 0 of a row is always its ID.
    private mutating func column(_ sql: String) -> Int {
        columns.append(sql)
        return columns.count
    }

    mutating func add(_ path: SOQLPath) throws { try place(scope.relative(path.names), under: root, path) }

    /// Adds a field.
    ///
    /// - Parameters:
    /// - start: the tables at which the path starts; nil for the query's object.
    /// - value: the expression of the field; nil for the field itself.
    private mutating func place(
        _ names: [String], from start: [QueryScope.Stop]? = nil, under node: Node, _ path: SOQLPath,
        value: (column: QueryScope.Column, alias: String?)? = nil
    ) throws {
        let parents = Array(names.dropLast())
        let parent = try self.node(for: parents, from: start, under: node, path)
        let found = try scope.column(names, from: start, path)
        let key = value?.alias ?? found.field?.name ?? "Type"
        guard parent.selected.insert(key.lowercased()).inserted else {
            throw source.failure("MALFORMED_QUERY", "duplicate field selected: \(path)", at: path.position)
        }
        let child = Node(key: key)
        if let value {
            child.kind = .value(value.column.type, column(value.column.sql))
        } else if let field = found.field, field.isCompound {
            child.kind = .address(compoundParts(field, try scope.stops(parents, from: start, path)[0]))
        } else if let field = found.field, field.isBlob {
            child.kind = .value(.base64, column(Self.blobPath(field, try scope.stops(parents, from: start, path)[0])))
        } else if start == nil && names.count == 1 && key == "Id" {
            child.kind = .value(.id, 0)
        } else {
            child.kind = .value(found.type, column(found.sql))
        }
        parent.nodes.append(child)
    }

    /// Adds a parent with different fields for different objects.
    mutating func add(_ typeOf: SOQLTypeOf) throws {
        let path = typeOf.path
        let names = scope.relative(path.names)
        let before = try scope.stops(Array(names.dropLast()), path)
        let stops = try scope.stops(names, path)
        let last = names[names.count - 1]
        guard let reference = before.lazy.compactMap({ $0.object.reference(last) }).first, reference.isPolymorphic
        else {
            throw source.failure(
                "INVALID_FIELD", "TYPEOF needs a polymorphic relationship, and '\(path)' is not one", at: path.position)
        }
        var branches: [String: Node] = [:]
        for branch in typeOf.branches {
            guard let object = source.schema[branch.object] else {
                throw source.unknownObject(branch.object, path.position)
            }
            guard let stop = stops.first(where: { $0.object.name == object.name }), branches[object.name] == nil else {
                throw source.failure(
                    "MALFORMED_QUERY", "\(object.name) is not among the types of '\(path)', or it is listed twice",
                    at: path.position)
            }
            let node = Node(key: "")
            for field in branch.fields { try place(field.names, from: [stop], under: node, field) }
            branches[object.name] = node
        }
        var otherwise: Node?
        if !typeOf.otherwise.isEmpty {
            let node = Node(key: "")
            for field in typeOf.otherwise { try place(field.names, from: stops, under: node, field) }
            otherwise = node
        }
        let parent = try node(for: Array(names.dropLast()), from: nil, under: root, path)
        let key = reference.relationshipName ?? last
        guard parent.selected.insert(key.lowercased()).inserted else {
            throw source.failure("MALFORMED_QUERY", "duplicate field selected: \(path)", at: path.position)
        }
        let node = Node(key: key)
        node.kind = .typeOf(column(scope.idSQL(stops)), branches, otherwise)
        parent.nodes.append(node)
    }

    /// Returns the expression of the path of a field's bytes, relative to the API path; null for a record without them.
    private static func blobPath(_ field: OrgField, _ stop: QueryScope.Stop) -> String {
        "CASE WHEN \(stop.column(field.name)) IS NOT NULL THEN "
            + "'/sobjects/\(stop.object.name)/' || \(stop.column("Id")) || '/\(field.name)' END"
    }

    /// Returns the parts of an address or a location, in alphabetical order and without their common prefix and suffix.
    private mutating func compoundParts(
        _ compound: OrgField, _ stop: QueryScope.Stop
    ) -> [(key: [UInt8], type: OrgFieldType, column: Int)] {
        let isLocation = compound.type == .location
        let prefix = isLocation ? compound.name.dropLast(1) : compound.name.dropLast("Address".count)
        return stop.object.parts(of: compound).map { part in
            var name = part.name.hasPrefix(prefix) ? String(part.name.dropFirst(prefix.count)) : part.name
            if isLocation, name.hasSuffix("__s") { name.removeLast(3) }
            return (name.prefix(1).lowercased() + name.dropFirst(), part)
        }
        .sorted { $0.0 < $1.0 }
        .map { (OutputItem.key($0.0), $0.1.type, column(stop.column($0.1.name))) }
    }

    /// Returns the node of a parent, created for its first field.
    private mutating func node(
        for relationships: [String], from start: [QueryScope.Stop]?, under top: Node, _ path: SOQLPath
    ) throws -> Node {
        var node = top
        for depth in relationships.indices {
            let chain = Array(relationships[...depth])
            let before = try scope.stops(Array(chain.dropLast()), from: start, path)
            let stops = try scope.stops(chain, from: start, path)
            let name = before.lazy.compactMap { $0.object.reference(chain[depth])?.relationshipName }.first
            let key = name ?? chain[depth]
            if node.selected.insert(key.lowercased()).inserted {
                let next = Node(key: key)
                next.kind = .parent(stops.count == 1 ? stops[0].object : nil, column(scope.idSQL(stops)))
                node.nodes.append(next)
                node = next
            } else if let known = node.nodes.first(where: { $0.key == key }), case .parent = known.kind {
                node = known
            } else {
                throw source.failure("MALFORMED_QUERY", "duplicate field selected: \(path)", at: path.position)
            }
        }
        return node
    }

    mutating func addChildren(_ relationship: OrgObject.Child, index: Int, _ path: SOQLPath) throws {
        let key = relationship.relationshipName ?? relationship.object
        guard root.selected.insert(key.lowercased()).inserted else {
            throw source.failure("MALFORMED_QUERY", "duplicate relationship selected: \(path)", at: path.position)
        }
        let node = Node(key: key)
        node.kind = .children(index)
        root.nodes.append(node)
    }

    /// Adds the result of a function: the fields of `FIELDS(…)`, or one value.
    mutating func add(_ call: SOQLCall, alias: String?, query: SOQLQuery) throws {
        if call.name.uppercased() == "FIELDS" { return try addFields(call, query) }
        if let path = DateFunctions.path(in: call) {
            throw source.failure(
                "MALFORMED_QUERY", "Field must be grouped or aggregated: \(path.last)", at: path.position)
        }
        guard let found = try QueryFunctions(scope: scope).column(call) else {
            throw source.failure("MALFORMED_QUERY", "unexpected token: '\(call.name)'", at: call.position)
        }
        if let path = QueryFunctions.Wrapper.path(in: call) {
            return try place(scope.relative(path.names), under: root, path, value: (found, alias))
        }
        let key = alias ?? "expr\(unnamed)"
        if alias == nil { unnamed += 1 }
        guard root.selected.insert(key.lowercased()).inserted else {
            throw source.failure("MALFORMED_QUERY", "duplicate alias: \(key)", at: call.position)
        }
        let node = Node(key: key)
        node.kind = .value(found.type, column(found.sql))
        root.nodes.append(node)
    }

    private mutating func addFields(_ call: SOQLCall, _ query: SOQLQuery) throws {
        let kind = call.onlyPath?.description.uppercased() ?? ""
        guard ["ALL", "CUSTOM", "STANDARD"].contains(kind) else {
            throw source.failure("MALFORMED_QUERY", "FIELDS takes ALL, CUSTOM or STANDARD", at: call.position)
        }
        if kind != "STANDARD", query.limit.map({ $0 > 200 }) ?? true {
            throw source.failure(
                "MALFORMED_QUERY", "The SOQL FIELDS function must have a LIMIT of at most 200", at: call.position)
        }
        for field in scope.root.object.fields where kind == "ALL" || (kind == "CUSTOM") == field.isCustom {
            try add(SOQLPath([field.name], at: call.position))
        }
    }
}
