// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

/// Requests about records that the server carries out as a whole or not at all.
public struct CompositeGraph: Sendable, Hashable {
    /// Names its answer: letters and digits, fewer than 40, another one for each graph of a request.
    public var id: String
    /// In the order in which they are carried out; each about a record, which later ones can refer to.
    public var nodes: [CompositeSubrequest]

    /// Makes a graph; that its id is well formed is for the caller to see to.
    public init(id: String, nodes: [CompositeSubrequest]) {
        self.id = id
        self.nodes = nodes
    }

    /// How many nodes the graphs of a request have together.
    public static let maximumNodes = 500
    /// How many graphs a request takes.
    public static let maximumGraphs = 75
    /// How many kinds of nodes (a verb and an object) a request takes.
    public static let maximumKinds = 15

    /// Whether one request can take so much.
    public static func fits(_ kinds: Set<String>, nodes: Int, graphs: Int) -> Bool {
        kinds.count <= maximumKinds && nodes <= maximumNodes && graphs <= maximumGraphs
    }

    var json: JSONText {
        .object([("graphId", .string(id)), ("compositeRequest", .array(nodes.map(\.json)))])
    }
}

/// What became of a graph.
public struct CompositeGraphAnswer: Sendable, Hashable {
    /// False when one of its nodes failed: then nothing of the graph was done.
    public var isSuccessful: Bool
    /// In the order of the graph's nodes.
    public var nodes: [CompositeSubanswer]
}

extension CompositeSubanswer {
    /// Whether a subrequest was not carried out, or was taken back, because of another one.
    public var wasHalted: Bool {
        status >= 400 && SalesforceErrorBody.all(in: body).first?.code == "PROCESSING_HALTED"
    }
}

extension SyncContext {
    /// Sends graphs in one request; that they fit is for the caller to see to.
    ///
    /// See ``CompositeGraph/fits(_:nodes:graphs:)``.
    public func compositeGraphs(_ graphs: [CompositeGraph]) async throws -> HTTPAnswer {
        try await send(
            .post, "\(apiPath)/composite/graph", json: .object([("graphs", .array(graphs.map(\.json)))]))
    }
}

extension HTTPAnswer {
    /// The answers to the graphs of a request, in their order.
    ///
    /// - Returns: nil when the body is not the answer to these graphs.
    public func answers(to graphs: [CompositeGraph]) -> [CompositeGraphAnswer]? {
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
