// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

extension RecordTreePush {
    /// Sends trees as graphs, as many per request as possible, until the server has processed each.
    ///
    /// - Returns: the trees that do not fit into a graph.
    mutating func sendGraphs(_ trees: [[Int]], with client: SalesforceClient) async throws -> [[Int]] {
        let tooLarge = trees.filter { !CompositeGraph.fits(kinds(of: $0), nodes: $0.count, graphs: 1) }
        var waiting = trees.filter { CompositeGraph.fits(kinds(of: $0), nodes: $0.count, graphs: 1) }
        while !waiting.isEmpty, !ledger.isStopped {
            let call = nextCall(&waiting)
            let unprocessed = try await send(graphs: call, with: client)
            // The server stops processing if many graphs fail. The remaining graphs are sent again as long as each
            // request makes progress.
            if unprocessed.count < call.count { waiting = unprocessed + waiting } else { markNotSent(unprocessed) }
        }
        return tooLarge
    }

    /// Removes and returns the trees of the next request.
    private func nextCall(_ waiting: inout [[Int]]) -> [[Int]] {
        var call: [[Int]] = []
        var kinds: Set<String> = []
        var nodes = 0
        for tree in waiting {
            let all = kinds.union(self.kinds(of: tree))
            guard CompositeGraph.fits(all, nodes: nodes + tree.count, graphs: call.count + 1) else { break }
            call.append(tree)
            kinds = all
            nodes += tree.count
        }
        waiting.removeFirst(call.count)
        return call
    }

    /// - Returns: the trees that the server did not process.
    private mutating func send(graphs trees: [[Int]], with client: SalesforceClient) async throws -> [[Int]] {
        var sent: [[Int]] = []
        var graphs: [CompositeGraph] = []
        for tree in trees {
            let (positions, nodes) = requests(for: tree, with: client)
            guard !positions.isEmpty else { continue }
            sent.append(positions)
            graphs.append(CompositeGraph(id: "graph\(graphs.count + 1)", nodes: nodes))
        }
        let (all, request) = (sent.flatMap { $0 }, graphs)
        let exchanged = try await ledger.exchange(for: all) { try await client.compositeGraphs(request) }
        guard let answer = exchanged else { return [] }
        guard answer.isOK else {
            ledger.noteRefusal(answer, at: all, changes: records.map(\.change))
            return []
        }
        guard let answers = answer.answers(to: graphs) else {
            ledger.noteLost("the response does not match the composite graphs", at: all)
            return []
        }
        var unprocessed: [[Int]] = []
        for (positions, graph) in zip(sent, answers) {
            if !graph.isSuccessful, graph.nodes.allSatisfy(\.wasHalted) {
                unprocessed.append(positions)
                continue
            }
            for (position, node) in zip(positions, graph.nodes) {
                // A record that was rolled back, or not processed, because of another record of its tree has no error
                // of its own.
                guard graph.isSuccessful || !node.wasHalted && node.status >= 300 else {
                    ledger.setOutcome(.skipped, at: position)
                    continue
                }
                let record = records[position]
                ledger.note(
                    node, at: position, change: record.change, action: record.action, date: answer.confirmationDate)
            }
        }
        return unprocessed
    }

    private mutating func markNotSent(_ trees: [[Int]]) {
        for position in trees.flatMap({ $0 }) {
            ledger.setOutcome(.failed(.notSent("the server did not process it")), at: position)
        }
    }

    /// Returns the kinds of nodes of a tree, as a request counts them.
    private func kinds(of tree: [Int]) -> Set<String> {
        Set(
            tree.compactMap { position in
                records[position].action.map { action in
                    switch action.verb {
                    case .create: "POST \(action.type)"
                    case .upsert(let field, _): "PATCH \(action.type) \(field)"
                    case .update: "PATCH \(action.type)"
                    case .delete: "DELETE \(action.type)"
                    }
                }
            })
    }
}
