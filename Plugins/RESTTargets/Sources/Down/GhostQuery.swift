// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The checked way to learn which records still exist.
struct GhostQuery: Sendable {
    private enum Way: Sendable {
        case each
        case ids(RecordList, batch: Int)
        case list(RecordList)
    }

    private let way: Way

    /// - Throws: ``SoupError`` with the place of a fault.
    ///
    /// - Parameter constants: the parameters of the list that have no variables. Without them a server may return other
    ///   records, and those that are missing would be taken for deleted ones.
    init(
        _ configuration: SurvivorsConfiguration, of list: RecordList, constants: [String: ParameterValue]
    ) throws {
        let place = "survivors"
        func fault(_ message: String, at key: String, hint: String) -> SoupError {
            SoupError(.badConfiguration, message, place: SoupError.Place(path: "\(place).\(key)"), hint: hint)
        }
        let own = configuration.parameters ?? [:]
        let parameters = list.paging.completed(constants.merging(own) { $1 })
        let known = list.paging.variables
        guard configuration.type == .ids || configuration.batch == nil else {
            throw fault("\"batch\" is only used with \"ids\"", at: "batch", hint: "Remove it.")
        }
        guard configuration.type == .each || list.paging.kind != .keyset else {
            throw fault(
                "lists of keyset paging cannot be read without a date", at: "type", hint: "Use \"each\" instead.")
        }
        func requireLastId(in query: ListQuery) throws {
            guard list.paging.kind == .lastId, !query.contains(.lastId) else { return }
            throw fault(
                "no parameter contains {lastId}", at: "parameters",
                hint: "Add the parameter of the list, such as \"starting_after\": \"{lastId}\".")
        }
        switch configuration.type {
        case .each:
            guard configuration.parameters == nil else {
                throw fault("\"parameters\" is not used with \"each\"", at: "parameters", hint: "Remove it.")
            }
            way = .each
        case .ids:
            let query = try ListQuery(parameters, known: known + [.ids], at: "\(place).parameters")
            guard query.contains(.ids) else {
                throw fault(
                    "no parameter contains {ids}", at: "parameters", hint: "Add a parameter such as \"ids\": \"{ids}\"."
                )
            }
            try requireLastId(in: query)
            let batch = configuration.batch ?? 50
            guard (1...1000).contains(batch) else {
                throw fault("the number of IDs is not from 1 to 1000", at: "batch", hint: "Remove it to use 50.")
            }
            way = .ids(list.with(query), batch: batch)
        case .list:
            let query = try ListQuery(parameters, known: known, at: "\(place).parameters")
            try requireLastId(in: query)
            way = .list(list.with(query))
        }
    }

    /// Returns the given IDs whose records exist.
    ///
    /// Records that a list lacks are requested a second time: the list may have changed while its pages were read, and
    /// a gateway may have sent an empty one.
    ///
    /// - Throws: ``SoupError`` for every response that is not the service's own, and for an incomplete list.
    func survivors(of ids: [String], with client: ServiceClient) async throws -> Set<String> {
        guard !ids.isEmpty else { return [] }
        if case .each = way {
            let records = try await client.items(ids)
            return Set(zip(ids, records).filter { $0.1 != nil }.map(\.0))
        }
        let found = try await listed(ids, with: client)
        let missing = ids.filter { !found.contains($0) }
        return missing.isEmpty ? found : found.union(try await listed(missing, with: client))
    }

    /// Returns those of the IDs that the list contains.
    private func listed(_ ids: [String], with client: ServiceClient) async throws -> Set<String> {
        switch way {
        case .each: return []
        case .list(let list): return Set(try await list.allIds(with: client)).intersection(ids)
        case .ids(let list, let batch):
            // A comma separates IDs, so an ID with one is requested alone.
            let single = ids.filter { $0.contains(",") }
            let ids = ids.filter { !$0.contains(",") }
            var found = Set(zip(single, try await client.items(single)).filter { $0.1 != nil }.map(\.0))
            for start in stride(from: 0, to: ids.count, by: batch) {
                let part = Array(ids[start..<min(start + batch, ids.count)])
                let known = try await list.binding(.ids, to: part.joined(separator: ",")).allIds(with: client)
                guard Set(known).isSubset(of: part) else {
                    throw SoupError(
                        .server, "the server's list contains records that were not requested",
                        hint: "Check the parameter with {ids} in \"survivors\": the server may ignore it.")
                }
                found.formUnion(known)
            }
            return found
        }
    }
}
