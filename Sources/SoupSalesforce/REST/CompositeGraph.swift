// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

/// Requests about records that the server carries out completely or not at all.
package struct CompositeGraph: Sendable, Hashable {
    /// The name of its response: fewer than 40 letters and digits, unique among the graphs of a request.
    package var id: String
    /// The nodes in the order in which they are carried out; each is about a record that later nodes can refer to.
    package var nodes: [CompositeSubrequest]

    /// Creates a graph; the caller must make sure that its ID is well formed.
    package init(id: String, nodes: [CompositeSubrequest]) {
        self.id = id
        self.nodes = nodes
    }

    /// The maximum number of nodes in all graphs of a request.
    package static let maximumNodes = 500
    /// The maximum number of graphs in a request.
    package static let maximumGraphs = 75
    /// The maximum number of kinds of nodes (a method and an object) in a request.
    package static let maximumKinds = 15

    /// Returns whether one request can contain these numbers of kinds, nodes and graphs.
    package static func fits(_ kinds: Set<String>, nodes: Int, graphs: Int) -> Bool {
        kinds.count <= maximumKinds && nodes <= maximumNodes && graphs <= maximumGraphs
    }

    var json: JSONText {
        .object([("graphId", .string(id)), ("compositeRequest", .array(nodes.map(\.json)))])
    }
}

/// The result of a graph.
package struct CompositeGraphAnswer: Sendable, Hashable {
    /// Whether all nodes succeeded; if false, nothing of the graph was applied.
    package var isSuccessful: Bool
    /// The subresponses, in the order of the graph's nodes.
    package var nodes: [CompositeSubanswer]
}

extension CompositeSubanswer {
    /// Whether a subrequest was not carried out, or was rolled back, because another one failed.
    package var wasHalted: Bool {
        status >= 400 && SalesforceErrorBody.all(in: body).first?.code == "PROCESSING_HALTED"
    }
}

extension HTTPAnswer {
    /// Returns the results of the graphs of a request, in their order.
    ///
    /// - Returns: nil if the body is not the response to these graphs.
    package func answers(to graphs: [CompositeGraph]) -> [CompositeGraphAnswer]? {
        guard let json = try? JSONValue(parsing: body), let list = json["graphs"]?.arrayValue,
            list.count == graphs.count
        else { return nil }
        var byId: [String: JSONValue] = [:]
        for item in list { byId[item["graphId"]?.stringValue ?? ""] = item }
        var answers: [CompositeGraphAnswer] = []
        for graph in graphs {
            guard let item = byId[graph.id], let isSuccessful = item["isSuccessful"]?.boolValue,
                let response = item["graphResponse"], let nodes = response.subanswers(to: graph.nodes)
            else { return nil }
            answers.append(CompositeGraphAnswer(isSuccessful: isSuccessful, nodes: nodes))
        }
        return answers
    }
}
