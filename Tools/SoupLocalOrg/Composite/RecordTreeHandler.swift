// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/composite/tree/{object}`: creates records with their children, all of them or none.
struct RecordTreeHandler: ResourceHandler {
    private let request: OrgRequest
    private let context: OrgContext
    private let object: OrgObject

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        object = try context.object(request.path["object"])
    }

    /// The parent of a record: its position among all records, and the field that refers to it.
    private typealias Parent = (index: Int, field: String)

    /// A record of a tree.
    private struct Node {
        var object: OrgObject
        var referenceId: String
        var body: JSONObject
        var parent: Parent?
    }

    func create() throws -> OrgAnswer {
        let body = try request.jsonObject()
        guard let records = body["records"]?.arrayValue, !records.isEmpty else {
            throw OrgError(400, "INVALID_INPUT", message: "The request needs a list of records")
        }
        var nodes: [Node] = []
        var level = records.map { (record: $0, object: object, parent: nil as Parent?) }
        var depth = 0
        while !level.isEmpty {
            depth += 1
            guard depth <= 5 else { throw OrgError(400, "INVALID_INPUT", message: "A tree has at most 5 levels") }
            var next: [(record: JSONValue, object: OrgObject, parent: Parent?)] = []
            for (record, object, parent) in level {
                let (node, children) = try node(record, of: object, parent: parent)
                for (child, childObject, field) in children { next.append((child, childObject, (nodes.count, field))) }
                nodes.append(node)
            }
            level = next
        }
        if nodes.count > CollectionsHandler.maximumCount {
            throw OrgError(400, "EXCEEDED_ID_LIMIT", message: "A tree has at most 200 records, not \(nodes.count)")
        }
        let types = Set(nodes.map(\.object.name)).count
        guard types <= 5 else {
            throw OrgError(400, "INVALID_INPUT", message: "A tree has records of at most 5 types, not of \(types)")
        }
        let repeated = Self.repeated(nodes.map(\.referenceId))
        return try repeated.isEmpty ? store(nodes) : OrgAnswer(Self.failure(repeated), status: 400)
    }

    /// Returns the reference IDs that name more than one record, each as often as it occurs.
    private static func repeated(_ ids: [String]) -> [String] {
        let counts = Dictionary(ids.map { ($0, 1) }, uniquingKeysWith: +)
        return ids.filter { counts[$0, default: 0] > 1 }
    }

    private static func failure(_ ids: [String]) -> JSONValue {
        let error = OrgError(400, "INVALID_INPUT", message: "Duplicate ReferenceId provided in the request", fields: [])
        return [
            "hasErrors": true,
            "results": .array(ids.map { ["referenceId": .string($0), "errors": error.itemErrors] }),
        ]
    }

    private func node(
        _ record: JSONValue, of object: OrgObject, parent: Parent?
    ) throws -> (Node, [(JSONValue, OrgObject, String)]) {
        guard let members = record.objectValue, let attributes = members.value(ignoringCase: "attributes"),
            let reference = attributes.referenceId?.stringValue,
            attributes["type"]?.stringValue?.lowercased() == object.name.lowercased()
        else {
            throw OrgError(
                400, "INVALID_INPUT",
                message: "Each record needs attributes with a referenceId and the type \(object.name)")
        }
        var body = JSONObject()
        var children: [(JSONValue, OrgObject, String)] = []
        for (key, value) in members.members where key.lowercased() != "attributes" {
            guard object.field(key) == nil, let child = object.child(key), let list = value.records?.arrayValue,
                let childObject = context.schema[child.object]
            else {
                body[key] = value
                continue
            }
            children += list.map { ($0, childObject, child.field) }
        }
        return (Node(object: object, referenceId: reference, body: body, parent: parent), children)
    }

    private func store(_ nodes: [Node]) throws -> OrgAnswer {
        struct Rollback: Error { var failures: [JSONValue] }
        do {
            let results: [JSONValue] = try context.atomically {
                var ids: [String?] = []
                var failures: [JSONValue] = []
                for (index, node) in nodes.enumerated() {
                    var body = node.body
                    if let parent = node.parent { body[parent.field] = ids[parent.index].map { .string($0) } ?? .null }
                    do {
                        if let fault = context.faults.itemError(
                            for: .object(body), at: index, referenceId: node.referenceId, object: node.object.name)
                        {
                            throw fault
                        }
                        // A record without its parent reports no error of its own.
                        let isOrphan = node.parent.map { ids[$0.index] == nil } ?? false
                        ids.append(isOrphan ? nil : try context.records.create(node.object, body))
                    } catch let error as OrgError {
                        ids.append(nil)
                        failures.append(["referenceId": .string(node.referenceId), "errors": error.itemErrors])
                    }
                }
                if !failures.isEmpty { throw Rollback(failures: failures) }
                return zip(nodes, ids).map { node, id in
                    ["referenceId": .string(node.referenceId), "id": id.map { .string($0) } ?? .null]
                }
            }
            return OrgAnswer(["hasErrors": false, "results": .array(results)], status: 201)
        } catch let error as Rollback {
            return OrgAnswer(["hasErrors": true, "results": .array(error.failures)], status: 400)
        }
    }
}
