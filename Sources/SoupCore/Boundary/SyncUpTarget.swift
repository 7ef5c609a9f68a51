// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that sends local changes to the server.
///
/// One method is required: push a batch, and return an outcome for each record. A target holds no state between calls.
/// The article *How a sync works* of `SoupSync` describes how the engine uses a target.
public protocol SyncUpTarget: SyncPlugin {
    /// Pushes changes, all of one kind (``RecordChange/kind``), at most ``maxBatchSize`` of them.
    ///
    /// Returns one outcome for each change, in order: partial failure is normal, and is not an error. Throw only if it
    /// is certain that *no* change of the batch reached the server. If a response was lost or cannot be read, return
    /// ``PushOutcome/unknown(_:)`` for the changes that it covered. For no changes, return no outcomes, and send
    /// nothing.
    ///
    /// Only the server's own response counts, in the form that the server documents. Gateways, proxies and login pages
    /// respond with any status and any body, also after the server has carried the request out. Return
    /// ``PushOutcome/unknown(_:)`` for every other response, such as a redirect, a 404 with an HTML page, or a success
    /// without the ID of a created record; do not send its changes again in the same push.
    ///
    /// If a push of several requests cannot continue, because the session has ended or the server can no longer be
    /// reached, return ``PushOutcome/notSent(_:)`` for the remaining changes. The task is not cancelled with the run.
    /// Between two requests, check ``StopSignal``: if it is raised, send no further requests.
    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome]

    /// The maximum number of changes in one ``push(_:in:)``. Default: 200.
    var maxBatchSize: Int { get }
    /// The maximum number of bytes of the records in one ``push(_:in:)``; a single record is sent whatever its size.
    ///
    /// Default: 8 MiB.
    var maxBatchBytes: Int { get }
    /// The field of an entry that contains the server's ID. Default: `Id`.
    var idField: String { get }
    /// The field of an entry that contains the record's last modification time on the server. Default:
    /// `LastModifiedDate`.
    var modificationDateField: String { get }
    /// The soups that form a tree, for targets that push children with their parent. Default: nil.
    var layout: RecordLayout? { get }
    /// Returns whether pushing this creation twice cannot create two records, for example because it has an external
    /// ID.
    ///
    /// If so, the creation may be pushed again after its response was lost. Default: false.
    func isIdempotent(_ creation: RecordChange) -> Bool

    /// Returns the server's state of these records, one for each change, in order; nil if the target cannot report
    /// states.
    ///
    /// A target returns nil for all changes, or for none. A record is ``ServerState/deleted`` only if the server
    /// reports that about this record, in its own form. If the server responds to a wrong path in the same way, confirm
    /// first that the path is right. For every other response throw, or return ``ServerState/unknown``. It must be
    /// repeatable. Default: nil.
    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]?

    /// Returns the server's versions of these records, one for each change, in order; nil if the target cannot fetch
    /// all of them.
    ///
    /// An element is nil if the server does not have the record, and says so in its own form. For every other response
    /// throw. Each version is a JSON object that contains at least the modification date and the fields that a push of
    /// the change can send; for a deletion, those of an update and of a creation. A creation has the server's ID of the
    /// record, and may also be passed as an update. It must be repeatable. Default: nil.
    func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]?

    /// Returns the server's IDs of the records of creations that were pushed without a response, one for each change,
    /// in order; nil if the target cannot look up all of them.
    ///
    /// An element is nil only if the server certainly has no such record: nil for a record that exists would create it
    /// a second time. If the server cannot be queried, throw. If ``isIdempotent(_:)`` is false for a creation, the
    /// found record must be the pushed one, possibly changed since; otherwise it may be a different record with the
    /// same external ID. For no changes, return no IDs. It must be repeatable. Default: nil.
    func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?]?

    /// Returns the errors and the probable mistakes in the combination with the options of the sync.
    ///
    /// No request may be sent. Places are paths inside the target object. Default: none.
    func problems(with options: SyncOptions) -> [ConfigurationProblem]

    /// Returns the fields of records of a part that a push can send.
    ///
    /// No request may be sent. Default: none, which means unknown.
    ///
    /// - Parameter part: the position in ``layout``; 0 without one.
    func pushedFields(part: Int, with options: SyncOptions) -> [PushedFields]
}

extension SyncUpTarget {
    /// None: the target works with all options.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] { [] }
    /// None: the fields are unknown before a push.
    public func pushedFields(part: Int, with options: SyncOptions) -> [PushedFields] { [] }
    /// 200, the maximum of one request to Salesforce's collections API.
    public var maxBatchSize: Int { 200 }
    /// 8 MiB, below the usual limits of servers and of the gateways in front of them.
    public var maxBatchBytes: Int { 8 << 20 }
    /// `Id`, as in a sync down.
    public var idField: String { "Id" }
    /// `LastModifiedDate`, as in a sync down.
    public var modificationDateField: String { "LastModifiedDate" }
    /// Nil: each change is one entry of the sync's soup, without children.
    public var layout: RecordLayout? { nil }
    /// False: pushing a creation twice can create two records.
    public func isIdempotent(_ creation: RecordChange) -> Bool { false }
    /// Nil: the target cannot report states.
    public func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? { nil }
    /// Nil: the target cannot fetch records.
    public func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]? { nil }
    /// Nil: the target cannot look up creations.
    public func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?]? { nil }
}

/// A local change to send to the server.
public struct RecordChange: Sendable, Hashable {
    /// The operation for the server, from the local flags: deletion before creation, creation before update.
    public enum Kind: String, Sendable, Hashable {
        /// The server does not have the record.
        case create
        /// The server has an older version of the record.
        case update
        /// The record must be deleted on the server too.
        case delete
        /// A parent without changes, included only because of its children.
        case none
    }

    /// The kind of the change; the same throughout a batch, while children have their own.
    public var kind: Kind
    /// The soup of the entry; for a child, that of its part.
    public var soup: SoupName
    /// The `_soupEntryId`, for logs; the server does not know it.
    public var entryId: Int64
    /// The server's ID; nil for records that the server does not have.
    ///
    /// It is never a temporary ID.
    public var serverId: String?
    /// The entry without system fields.
    public var record: JSONText
    /// For updates under MERGE: the record as last synced, without system fields.
    ///
    /// The target must send only fields whose values differ from it; if it is nil, all fields.
    public var base: JSONText?
    /// For trees: the children to push with this record.
    ///
    /// Each has its own kind.
    public var children: [RecordChange]
    /// For children: the position of their part in the target's layout.
    public var part: Int
    /// For updates of children: whether the entry has another parent than in the last synced version.
    ///
    /// Nil if that version is unknown.
    public var isMoved: Bool?

    /// Creates a change without checks; for the engine and for tests of targets.
    public init(
        _ kind: Kind, soup: SoupName, entryId: Int64, serverId: String? = nil, record: JSONText, base: JSONText? = nil,
        children: [RecordChange] = [], part: Int = 0
    ) {
        self.kind = kind
        self.soup = soup
        self.entryId = entryId
        self.serverId = serverId
        self.record = record
        self.base = base
        self.children = children
        self.part = part
    }
}

/// The outcome of a change.
public struct PushOutcome: Sendable, Hashable {
    /// The result of the push for the change.
    public enum Result: Sendable, Hashable {
        /// The server has carried out the change.
        case ok
        /// The target chose not to send the change; the entry does not change.
        case skipped
        /// The server refused the change; the entry stays dirty and stores the error.
        case failed(PushFailure)
        /// The outcome is unknown because the response was lost.
        case unknown(PushFailure)
        /// The change was not sent, because an error ended the push before.
        case notSent(SoupError)
    }

    /// The result of this change alone; each child has its own.
    public var result: Result
    /// The server's ID, if the response contained one.
    ///
    /// A successful creation needs an ID that a server can assign (``ServerId``). Without it, the creation counts as
    /// unknown.
    public var serverId: String?
    /// The record's modification date on the server, or a time that is not earlier, ISO 8601; nil if unknown.
    public var modificationDate: String?
    /// For trees: the outcomes of the children, in order.
    public var children: [PushOutcome]

    /// Creates the outcome that a target reports.
    ///
    /// - Parameter children: one for each child of the change, in order; if their number differs, the outcomes of all
    ///   children count as unknown.
    public init(
        _ result: Result, serverId: String? = nil, modificationDate: String? = nil, children: [PushOutcome] = []
    ) {
        self.result = result
        self.serverId = serverId
        self.modificationDate = modificationDate
        self.children = children
    }

    /// Returns the outcome of an accepted change without children.
    ///
    /// For trees use ``init(_:serverId:modificationDate:children:)``.
    public static func ok(serverId: String? = nil, modificationDate: String? = nil) -> PushOutcome {
        PushOutcome(.ok, serverId: serverId, modificationDate: modificationDate)
    }
    /// The outcome of a change, with its children, that the target chose not to send.
    public static let skipped = PushOutcome(.skipped)
    /// Returns the outcome of a change, with its children, that the server refused or that could not be sent.
    public static func failed(_ failure: PushFailure) -> PushOutcome { PushOutcome(.failed(failure)) }
    /// Returns the outcome of a change, with its children, whose response was lost.
    ///
    /// The server may have carried out the change or not.
    public static func unknown(_ failure: PushFailure) -> PushOutcome { PushOutcome(.unknown(failure)) }
    /// Returns the outcome of a change, with its children, that was not sent because an error ended the push before.
    ///
    /// The change itself is valid, and certainly did not reach the server. The error has the meaning of an error that
    /// ``SyncUpTarget/push(_:in:)`` throws, but only for the changes with this outcome.
    public static func notSent(_ error: SoupError) -> PushOutcome { PushOutcome(.notSent(error)) }
}

/// The reason why a record was not accepted.
public struct PushFailure: Error, Sendable, Hashable {
    /// The server's error code, such as `STRING_TOO_LONG`.
    public var code: String
    /// The message of the server, or of the target, for users.
    public var message: String
    /// The fields that the server reports as the cause; empty if it names none.
    public var fields: [String]
    /// Whether the record is not, or no longer, on the server.
    ///
    /// Set it only if the server reports that about this record, in its own form. A status of 404 is not sufficient: a
    /// gateway, a wrong path and a wrong version return it too.
    public var isGone: Bool
    /// Whether a record that this one refers to (a parent) is no longer on the server.
    public var isRelatedGone: Bool
    /// Whether the same push may succeed later, without a change of the record.
    public var isRetryable: Bool
    /// The way to push the same change again within the same run; nil if a retry is useless.
    public var retryStrategy: RetryStrategy?

    /// A way to push the same change again within the same run.
    ///
    /// It applies to a change, or a tree, of which nothing reached the server.
    public enum RetryStrategy: String, Sendable, Hashable, Codable {
        /// The record is locked by another transaction. Retry after a delay.
        case wait
        /// The request was too large. Retry with fewer changes.
        case split
    }

    /// Creates a failure; by the defaults the record exists, and a retry is useless until it is changed.
    public init(
        code: String, message: String, fields: [String] = [], isGone: Bool = false, isRelatedGone: Bool = false,
        isRetryable: Bool = false, retryStrategy: RetryStrategy? = nil
    ) {
        self.code = code
        self.message = message
        self.fields = fields
        self.isGone = isGone
        self.isRelatedGone = isRelatedGone
        self.isRetryable = isRetryable
        self.retryStrategy = retryStrategy
    }
}

/// The server's state of a record.
public enum ServerState: Sendable, Hashable {
    /// The time of the record's last change (ISO 8601).
    case modified(String)
    /// The record does not exist on the server.
    case deleted
    /// The server could not be queried, or did not report the state.
    case unknown
}
