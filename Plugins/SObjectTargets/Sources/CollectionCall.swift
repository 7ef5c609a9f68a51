// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupSalesforce
internal import SoupCore

/// One request for a collection of records.
struct CollectionCall {
    /// The kind of a request: records of the same kind may share one.
    enum Kind: Hashable {
        case create
        case update
        /// Updates whose modification dates the server compares, as a composite request.
        case conditionalUpdate
        /// Upserts into one object by one external ID field.
        case upsert(type: String, field: String)
        case delete

        init(_ action: RecordForm.Action, isStrict: Bool) {
            switch action.verb {
            case .create: self = .create
            case .update where isStrict && action.unmodifiedSince != nil: self = .conditionalUpdate
            case .update: self = .update
            case .upsert(let field, _): self = .upsert(type: action.type, field: field)
            case .delete: self = .delete
            }
        }
    }

    /// The maximum number of records in a request for a collection.
    static let maximum = 200
    /// The maximum number of groups of consecutive records with the same object in a request.
    static let maximumGroups = 10

    var kind: Kind
    var positions: [Int]

    /// Returns the requests for these changes: creations, then updates, upserts and deletions.
    ///
    /// In each, records of one object are grouped, otherwise in the order of the changes.
    static func calls(_ push: PreparedPush, isStrict: Bool = false) -> [CollectionCall] {
        var kinds: [Kind] = []
        var byKind: [Kind: [Int]] = [:]
        for position in push.sendable {
            guard let action = push.actions[position] else { continue }
            let kind = Kind(action, isStrict: isStrict)
            if byKind[kind] == nil { kinds.append(kind) }
            byKind[kind, default: []].append(position)
        }
        let ordered = kinds.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
        return ordered.flatMap { slices(of: byKind[$0.element] ?? [], kind: $0.element, in: push) }
    }

    private static func slices(of positions: [Int], kind: Kind, in push: PreparedPush) -> [CollectionCall] {
        var types: [String] = []
        var byType: [String: [Int]] = [:]
        for position in positions {
            let type = push.actions[position]?.type ?? ""
            if byType[type] == nil { types.append(type) }
            byType[type, default: []].append(position)
        }
        let maximum = kind == .conditionalUpdate ? CompositeSubrequest.maximum : Self.maximum
        var calls: [CollectionCall] = []
        var groups = 0
        for type in types {
            var rest = (byType[type] ?? [])[...]
            while !rest.isEmpty {
                if calls.isEmpty || groups == maximumGroups || calls[calls.count - 1].positions.count == maximum {
                    calls.append(CollectionCall(kind: kind, positions: []))
                    groups = 0
                }
                let room = maximum - calls[calls.count - 1].positions.count
                calls[calls.count - 1].positions += rest.prefix(room)
                rest = rest.dropFirst(room)
                groups += 1
            }
        }
        return calls
    }

    /// Sends the request.
    func send(_ push: PreparedPush, with client: SalesforceClient) async throws -> HTTPAnswer {
        let path = "\(client.apiPath)/composite/sobjects"
        switch kind {
        case .create: return try await client.send(.post, path, json: body(push))
        case .update: return try await client.send(.patch, path, json: body(push))
        case .conditionalUpdate: return try await client.composite(subrequests(push, apiPath: client.apiPath))
        case .upsert(let type, let field):
            return try await client.send(
                .patch, "\(path)/\(URLText.segment(type))/\(URLText.segment(field))", json: body(push))
        case .delete:
            let ids = positions.compactMap { push.changes[$0].serverId }.map(URLText.segment)
            return try await client.send(
                .delete, "\(path)?allOrNone=false&ids=\(ids.joined(separator: ","))")
        }
    }

    /// Returns the requests of a composite request, one for each record.
    func subrequests(_ push: PreparedPush, apiPath: String) -> [CompositeSubrequest] {
        var taken: Set<String> = []
        return positions.compactMap { position in
            guard let action = push.actions[position] else { return nil }
            let reference = CompositeSubrequest.referenceId(for: action.knownId ?? "", taken: &taken)
            return CompositeSubrequest(RowRequest(action, apiPath: apiPath), referenceId: reference)
        }
    }

    private func body(_ push: PreparedPush) -> JSONText {
        let records = positions.compactMap { push.actions[$0] }.map { action -> JSONText in
            var members: [(name: String, value: JSONText)] = [
                ("attributes", .object([("type", .string(action.type))]))
            ]
            switch action.verb {
            case .update(let id): members.append(("Id", .string(id)))
            case .upsert(let field, let value): members.append((field, value))
            case .create, .delete: break
            }
            let taken = Set(members.map { $0.name.lowercased() })
            return .object(members + action.members.filter { !taken.contains($0.name.lowercased()) })
        }
        return .object([("allOrNone", .false), ("records", .array(records))])
    }
}

extension CollectionCall.Kind {
    fileprivate var rank: Int {
        switch self {
        case .create: 0
        case .update: 1
        case .conditionalUpdate: 2
        case .upsert: 3
        case .delete: 4
        }
    }
}
