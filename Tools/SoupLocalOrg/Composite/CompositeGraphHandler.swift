// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/composite/graph`: runs graphs of requests, each completely or not at all, independently of the others.
struct CompositeGraphHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    /// Requests that succeed or fail together.
    private struct Graph {
        var id: String
        var nodes: [Subrequest]
    }

    private static let maximumGraphs = 75
    private static let maximumNodes = 500
    private static let maximumKinds = 15
    private static let maximumDepth = 15
    private static let maximumFailures = 14

    /// Runs the graphs of the request; if too many have failed, the remaining ones are not run.
    func run() throws -> OrgAnswer {
        guard let items = try request.jsonObject()["graphs"]?.arrayValue, (1...Self.maximumGraphs).contains(items.count)
        else {
            throw OrgError(400, "INVALID_INPUT", message: "The request needs from 1 to \(Self.maximumGraphs) graphs")
        }
        let graphs = try parsed(items)
        let runner = SubrequestRunner(context: context, isAllOrNone: true)
        var failures = 0
        var output = JSONOutput()
        output.append("{\"graphs\":[")
        for (index, graph) in graphs.enumerated() {
            let answers = failures >= Self.maximumFailures ? halted(graph) : try runner.run(graph.nodes)
            let hasFailed = answers.contains { $0.status >= 400 }
            if hasFailed { failures += 1 }
            output.append(index == 0 ? "{\"graphId\":" : ",{\"graphId\":")
            output.append(json: .string(graph.id))
            output.append(",\"graphResponse\":")
            output.append(SubrequestRunner.envelope(graph.nodes, answers).bytes)
            output.append(hasFailed ? ",\"isSuccessful\":false}" : ",\"isSuccessful\":true}")
        }
        output.append("]}")
        return OrgAnswer(output)
    }

    private func halted(_ graph: Graph) -> [OrgAnswer] {
        let answer = OrgAnswer(
            OrgError(
                400, "PROCESSING_HALTED",
                message: "The graph was not processed since too many other graphs of the request failed."))
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
                    message:
                        "Each graph needs a graphId of its own: it starts with a letter or a digit, and is shorter than 40"
                )
            }
            let nodes = try Subrequest.list(in: item.objectValue ?? JSONObject(), limit: Self.maximumNodes)
            for node in nodes where !Self.isRecord(node) {
                throw OrgError(
                    400, "INVALID_INPUT",
                    message:
                        "A graph contains requests for records only, not \(node.request.method) \(node.request.url)")
            }
            guard Self.depth(nodes) <= Self.maximumDepth else {
                throw OrgError(
                    400, "LIMIT_EXCEEDED", message: "The graph \(id) is deeper than \(Self.maximumDepth) nodes")
            }
            graphs.append(Graph(id: id, nodes: nodes))
        }
        let nodes = graphs.flatMap(\.nodes)
        guard nodes.count <= Self.maximumNodes else {
            throw OrgError(
                400, "LIMIT_EXCEEDED",
                message: "All graphs together have at most \(Self.maximumNodes) nodes, not \(nodes.count)"
            )
        }
        let kinds = Set(nodes.map(Self.kind)).count
        guard kinds <= Self.maximumKinds else {
            throw OrgError(
                400, "LIMIT_EXCEEDED", message: "There may be \(Self.maximumKinds) kinds of nodes, not \(kinds)")
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

    /// Returns whether a node creates a record, or names one by its ID or by an external ID.
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

    /// Returns the kind of a node: its verb, version and object.
    private static func kind(_ node: Subrequest) -> String {
        let path = node.request.segments
        return ([node.request.method] + path.dropFirst(2).prefix(1) + path.dropFirst(4).prefix(1)).joined(
            separator: " "
        )
        .lowercased()
    }

    /// Returns the length of the longest chain of nodes in which each refers to the previous one.
    private static func depth(_ nodes: [Subrequest]) -> Int {
        var depths: [String: Int] = [:]
        for node in nodes {
            depths[node.referenceId] = 1 + (node.references.compactMap { depths[$0] }.max() ?? 0)
        }
        return depths.values.max() ?? 0
    }
}
