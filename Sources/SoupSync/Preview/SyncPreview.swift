// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The work that the next run of a sync would do, without doing it: nothing is written to the store or to the server.
public struct SyncPreview: Sendable, Hashable {
    /// A request that the run would send, without the authorization that the connection adds.
    public struct Request: Sendable, Hashable {
        /// The method: `GET`.
        public var method: String
        /// The path with the query, or the whole URL if the target names a server.
        public var path: String
        /// The headers that the target sets, without those that contain a secret.
        public var headers: [(name: String, value: String)] { fields.map { ($0[0], $0[1]) } }
        /// The body as text; `nil` without a body, or if it is not UTF-8.
        public var body: String?

        fileprivate var fields: [[String]]

        /// Creates a request; previews make them.
        public init(method: String, path: String, headers: [(name: String, value: String)] = [], body: String? = nil) {
            self.method = method
            self.path = path
            fields = headers.map { [$0.name, $0.value] }
            self.body = body
        }
    }

    /// The effect of a sync up on a local change.
    public enum Effect: String, Sendable, Hashable {
        /// It is sent.
        case send
        /// The server has the result already, or the change is merged with the server's version first.
        case resolve
        /// It is not sent: the run records a conflict about it, or about another record of its tree.
        case conflict
        /// It is not sent in this run, and stays.
        case hold
        /// It cannot be sent.
        case fail
        /// The record was created and deleted locally, and is removed without a request.
        case remove
        /// An earlier run has sent the creation without a response; it is looked up first.
        case lookUp

        /// Whether the change is still not on the server after the run.
        public var isStuck: Bool {
            switch self {
            case .conflict, .hold, .fail: true
            case .send, .resolve, .remove, .lookUp: false
            }
        }
    }

    /// A local change, and what the run would do with it.
    public struct Record: Sendable, Hashable {
        /// The soup of the entry.
        public var soup: SoupName
        /// The ID of the entry in the soup.
        public var entryId: Int64
        /// The server's ID; `nil` for a record that the server does not have.
        public var id: String?
        /// The operation on the server.
        public var action: RecordOutcome.Action
        /// The effect of the run.
        public var effect: Effect
        /// The reason, if the change is not sent.
        public var reason: PushFailure?
        /// The requests for the record and its children.
        ///
        /// A run can combine the requests of several records. Requests that depend on the response to another one are
        /// missing. None if the preview does not show requests.
        public var requests: [Request] = []
    }

    /// The part of a run that a preview shows.
    public enum Detail: Sendable, Hashable {
        /// The requests: the targets make them over a transport that sends nothing. Sync down: also the number of
        /// records.
        case requests
        /// Sync down: the first page, which is really fetched. The target of a sync up is not asked to push.
        case firstPage
    }

    /// The first page of a sync down that was really fetched.
    public struct FirstPage: Sendable, Hashable {
        /// The number of records on it; for trees, the number of parents.
        public var records: Int
        /// Whether there is no further page.
        public var isLast: Bool
    }

    /// The sync, as the store has it; for a sync that the store does not have, as it was given.
    public var definition: SyncDefinition
    /// Sync down: the first request of the run; none if the first page is shown.
    public var requests: [Request] = []
    /// Sync down: the number of records that the server would return, if the target can ask for it, or if the first
    /// page reports it.
    public var count: Int?
    /// Sync down: the first page, if it is shown; nothing of it is saved.
    public var firstPage: FirstPage?
    /// Sync up: all local changes, in the order in which they would be sent.
    public var records: [Record] = []
    /// The error that would end the run before its first request, or while a sync up asks the server for its versions.
    public var error: SoupError?

    init(_ definition: SyncDefinition) { self.definition = definition }
}
