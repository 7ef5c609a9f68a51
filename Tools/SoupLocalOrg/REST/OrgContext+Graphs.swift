// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Requests that belong together, and what the answer calls them.
    private struct Graph {
        var id: String
        var nodes: [Subrequest]
    }

    private static let maximumGraphs = 75
    private static let maximumNodes = 500
    private static let maximumKinds = 15
    private static let maximumDepth = 15
    private static let maximumFailures = 14

    /// Runs graphs of requests: each graph as a whole or not at all, whatever becomes of the others.
    ///
    /// When too many graphs have failed, the rest are not run.
    func graphs(_ request: OrgRequest) throws -> OrgAnswer {
        guard let items = try request.jsonObject()["graphs"]?.arrayValue, (1...Self.maximumGraphs).contains(items.count)
        else { throw OrgError(400, "INVALID_INPUT", "The request needs from 1 to \(Self.maximumGraphs) graphs") }
        let graphs = try parsed(items)
        var failures = 0
        var output = JSONOutput()
        output.append("{\"graphs\":[")
        for (index, graph) in graphs.enumerated() {
            let answers = failures >= Self.maximumFailures ? halted(graph) : try run(graph.nodes, true)
            let hasFailed = answers.contains { $0.status >= 400 }
            if hasFailed { failures += 1 }
            output.append(index == 0 ? "{\"graphId\":" : ",{\"graphId\":")
            output.append(json: .string(graph.id))
            output.append(",\"graphResponse\":")
            output.append(Self.envelope(graph.nodes, answers).bytes)
            output.append(hasFailed ? ",\"isSuccessful\":false}" : ",\"isSuccessful\":true}")
        }
        output.append("]}")
        return OrgAnswer(output)
    }

    private func halted(_ graph: Graph) -> [OrgAnswer] {
        let answer = OrgAnswer(
            OrgError(
                400, "PROCESSING_HALTED",
                "The graph was not processed since too many other graphs of the request failed."))
        return graph.nodes.map { _ in answer }
    }

    // MARK: Reading the request

    private func parsed(_ items: [JSONValue]) throws -> [Graph] {
        var seen: Set<String> = []
        var graphs: [Graph] = []
        for item in items {
            guard let id = item.graphId?.stringValue, Self.isGraphId(id), seen.insert(id).inserted else {
                throw OrgError(
                    400, "INVALID_INPUT",
                    "Each graph needs a graphId of its own: it starts with a letter or a digit, and is shorter than 40")
            }
            let nodes = try subrequests(item.objectValue ?? JSONObject(), limit: Self.maximumNodes)
            for node in nodes where !Self.isRecord(node) {
                throw OrgError(
                    400, "INVALID_INPUT",
                    "Graphs are made of records only, not of \(node.request.method) \(node.request.url)")
            }
            guard Self.depth(nodes) <= Self.maximumDepth else {
                throw OrgError(400, "LIMIT_EXCEEDED", "The graph \(id) is deeper than \(Self.maximumDepth) nodes")
            }
            graphs.append(Graph(id: id, nodes: nodes))
        }
        let nodes = graphs.flatMap(\.nodes)
        guard nodes.count <= Self.maximumNodes else {
            throw OrgError(
                400, "LIMIT_EXCEEDED", "All graphs together have at most \(Self.maximumNodes) nodes, not \(nodes.count)"
            )
        }
        let kinds = Set(nodes.map(Self.kind)).count
        guard kinds <= Self.maximumKinds else {
            throw OrgError(400, "LIMIT_EXCEEDED", "There may be \(Self.maximumKinds) kinds of nodes, not \(kinds)")
        }
        return graphs
    }

    private static func isGraphId(_ id: String) -> Bool {
        guard let first = id.utf8.first, id.utf8.count < 40 else { return false }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            return true
        default: return false
        }
    }

    /// Whether a node makes a record, or is about one by its id or by an external id.
    private static func isRecord(_ node: Subrequest) -> Bool {
        let (path, method) = (node.target, node.request.method)
        guard path.first == "sobjects" else { return false }
        switch path.count {
        case 2: return method == "POST"
        case 3: return ["GET", "PATCH", "DELETE"].contains(method) && path.last != "describe"
        case 4: return ["GET", "PATCH", "DELETE", "POST"].contains(method)
        default: return false
        }
    }

    /// Nodes of different versions, verbs or objects are of different kinds.
    private static func kind(_ node: Subrequest) -> String {
        let path = node.request.segments
        return ([node.request.method] + path.dropFirst(2).prefix(1) + path.dropFirst(4).prefix(1)).joined(
            separator: " "
        )
        .lowercased()
    }

    /// The longest chain of nodes of which each refers to the one before.
    private static func depth(_ nodes: [Subrequest]) -> Int {
        var depths: [String: Int] = [:]
        for node in nodes {
            depths[node.referenceId] = 1 + (node.references.compactMap { depths[$0] }.max() ?? 0)
        }
        return depths.values.max() ?? 0
    }
}
