// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Where local changes go.
///
/// One method is required: push a batch, and tell what became of each record.
public protocol SyncUpTarget: SyncPlugin {
    /// Pushes changes, all of one kind (``RecordChange/kind``), at most ``maxBatchSize`` of them.
    ///
    /// One outcome for each change, in order: partial failure is the normal case, and is no error. Throw only when it
    /// is known that *no* change of the batch reached the server; when an answer was lost or cannot be read, return
    /// ``PushOutcome/unknown(_:)`` for the changes that it covered. Not repeated by the engine, except for changes that
    /// did not reach the server.
    ///
    /// Only the server's own answer counts, in the form that the server documents. Gateways, proxies and login pages
    /// answer with any status and any body, also after the server has carried the request out. Return
    /// ``PushOutcome/unknown(_:)`` for every other answer, such as a redirect, a 404 with a page of HTML, or a success
    /// without the ID of a created record; do not send its changes again in the same push.
    ///
    /// A push of several requests that cannot go on, because the session is over or the server cannot be reached any
    /// more, returns ``PushOutcome/notSent(_:)`` for the rest. The task is not cancelled with the run, so that no
    /// answer is lost; between two requests ``StopSignal`` tells that the rest is not wanted any more.
    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome]

    /// How many changes ``push(_:in:)`` takes at once. Default 200.
    var maxBatchSize: Int { get }
    /// How many bytes the records of one ``push(_:in:)`` may have together; a single record is sent whatever its size.
    /// Default: 8 MiB.
    var maxBatchBytes: Int { get }
    /// The field of an entry that holds the server's id. Default `Id`.
    var idField: String { get }
    /// The field of an entry that holds the time of the record's last change on the server. Default `LastModifiedDate`.
    var modificationDateField: String { get }
    /// The soups that make a tree, for targets that push children with their parent. Default nil.
    var layout: RecordLayout? { get }
    /// Whether pushing this creation twice cannot make two records, for instance because it carries an external id.
    /// One whose answer was lost is then sent again when ``findCreated(_:in:)`` does not find it, and where the target
    /// cannot find it or fetch what it found (`notSupported`); and what it finds need not be what was sent. While the
    /// server fails to answer these questions it waits. Default false.
    func isIdempotent(_ creation: RecordChange) -> Bool

    /// What the server knows of these records, one state for each, in order; asked before a push with LEAVE_IF_CHANGED
    /// and MERGE, and in every mode before a record is made again that the server is said to have lost.
    ///
    /// A record is ``ServerState/deleted`` only when the server says so in its own form about that record. If the
    /// server answers a wrong path in the same way, confirm first that the path is right. For every other answer throw,
    /// or return ``ServerState/unknown``.
    ///
    /// Default: ``ServerState/unknown`` for each, and then they are pushed.
    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]

    /// The records as the server has them, one for each change, in order; nil for a record that is not there. Asked
    /// for records that ``serverStates(of:in:)`` calls newer than the entries: under MERGE to merge with them, under
    /// LEAVE_IF_CHANGED to find out whether they hold the same. And for creations that ``findCreated(_:in:)`` found,
    /// with the ids that it gave: whether they hold what was sent. Those that may be somebody else's and do not are
    /// asked for as updates, too: whether an update could send what differs.
    ///
    /// Each is a JSON object that holds at least the fields that a push of the change could send, be it an update or a
    /// creation, for a deletion those of both, and the modification date. Default: throws `notSupported`, and then such
    /// records are not pushed before a sync down has brought them.
    func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]

    /// Whether the target has a ``serverStates(of:in:)`` of its own: then a record that the server is said to have lost
    /// is made again only when its state is ``ServerState/deleted``, else without a question. Default false.
    var tellsServerStates: Bool { get }

    /// Finds creations whose answer was lost: for each the server's id, or nil when the server has no such record. For
    /// those that it finds ``serverRecords(of:in:)`` is asked next. Which are ours alone, and were only edited since,
    /// and which may be somebody else's ``isIdempotent(_:)`` tells.
    ///
    /// When the server cannot be asked it throws: nil for a record that is there would make it a second time. Asked for
    /// nothing it gives nothing. Default: throws `notSupported`, and those that are not idempotent are reported as
    /// unknown and not sent again.
    func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?]

    /// What will not work, or probably is not meant, with the options of the sync.
    ///
    /// Asked when a configuration is checked, not when a sync runs. Places are paths inside of the target object.
    /// Default: none.
    func problems(with options: SyncOptions) -> [ConfigurationProblem]

    /// The fields of records of a part that a push can send, for warnings of lists in which no sync brings a field, and
    /// of edits that are in no list. Default: none, nobody can tell.
    ///
    /// - Parameter part: the position in ``layout``; 0 without one.
    func sentFields(part: Int, with options: SyncOptions) -> [SentFields]
}

extension SyncUpTarget {
    /// None: the options of the sync are all the same to the target.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] { [] }
    /// None: nobody can tell before a push.
    public func sentFields(part: Int, with options: SyncOptions) -> [SentFields] { [] }
    /// 200, the most that one request for Salesforce's collections takes.
    public var maxBatchSize: Int { 200 }
    /// 8 MiB, below what servers and the gateways in front of them commonly take.
    public var maxBatchBytes: Int { 8 << 20 }
    /// `Id`, as in a sync down.
    public var idField: String { "Id" }
    /// `LastModifiedDate`, as in a sync down.
    public var modificationDateField: String { "LastModifiedDate" }
    /// Nil: each change is one entry of the sync's soup, without children.
    public var layout: RecordLayout? { nil }
    /// False: a creation whose answer was lost is not sent again before its fate is known.
    public func isIdempotent(_ creation: RecordChange) -> Bool { false }
    /// Asks nobody: all states are ``ServerState/unknown``.
    public func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState] {
        changes.map { _ in .unknown }
    }
    /// Throws `notSupported`: under MERGE a sync down has to bring the server's changes.
    public func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?] {
        throw SoupError(.notSupported, "target \"\(Self.name)\" cannot fetch records to merge with")
    }
    /// False, as long as ``serverStates(of:in:)`` is the default one.
    public var tellsServerStates: Bool { false }
    /// Throws `notSupported`: lost creations stay unknown until somebody settles them by hand.
    public func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?] {
        throw SoupError(.notSupported, "target \"\(Self.name)\" cannot look up records that it created")
    }
}

/// A local change on its way to the server.
public struct RecordChange: Sendable, Hashable {
    /// What the server is to do, read off the local flags: deletion counts before creation, creation before update.
    public enum Kind: String, Sendable, Hashable {
        /// The server does not have the record.
        case create
        /// The server has the record, in an older state.
        case update
        /// The record is to go from the server, too.
        case delete
        /// A parent that did not change itself and is there only for its children.
        case none
    }

    /// The same throughout a batch; children have their own.
    public var kind: Kind
    /// The soup of the entry; for a child, that of its part.
    public var soup: SoupName
    /// The `_soupEntryId`, for logs: the server does not know it.
    public var entryId: Int64
    /// The server's id; nil for records that it does not have.
    ///
    /// Never a temporary id.
    public var serverId: String?
    /// The entry without system fields.
    public var record: JSONText
    /// For updates under MERGE: the record as it was when the server had the same, without system fields.
    ///
    /// Only fields whose values differ from it are to be sent; with nil all are.
    public var base: JSONText?
    /// For trees: the children to push with it.
    ///
    /// Each carries its own kind.
    public var children: [RecordChange]
    /// For children: the position of their part in the target's layout.
    public var part: Int
    /// For updates of children: whether the entry was put under another parent since the server had the same; nil when
    /// nobody knows.
    public var isMoved: Bool?

    /// Made by the engine, and by tests of targets; nothing is checked.
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

/// What became of a change.
public struct PushOutcome: Sendable, Hashable {
    /// How far the change got.
    public enum Result: Sendable, Hashable {
        /// The server has it.
        case ok
        /// The target chose not to send it; the entry stays as it is.
        case skipped
        /// The server refused it; the entry stays dirty and keeps the error.
        case failed(PushFailure)
        /// Nobody knows: the answer was lost.
        case unknown(PushFailure)
        /// It was not sent, because something ended the push before its turn.
        case notSent(SoupError)
    }

    /// Of this change alone; each child has its own.
    public var result: Result
    /// The server's id, when it told one.
    ///
    /// A creation that succeeded needs one that a server can give (``ServerId``); without, the engine takes the
    /// creation for unknown.
    public var serverId: String?
    /// The record's modification date on the server, or a time that is not before it, ISO 8601; nil when not known.
    public var modificationDate: String?
    /// For trees: the outcomes of the children, in their order.
    public var children: [PushOutcome]

    /// An outcome as a target reports it.
    ///
    /// - Parameter children: one for each child of the change, in order; with another number of them the fate of all
    ///   the children counts as unknown.
    public init(
        _ result: Result, serverId: String? = nil, modificationDate: String? = nil, children: [PushOutcome] = []
    ) {
        self.result = result
        self.serverId = serverId
        self.modificationDate = modificationDate
        self.children = children
    }

    /// The server has a change without children; for trees use ``init(_:serverId:modificationDate:children:)``.
    public static func ok(serverId: String? = nil, modificationDate: String? = nil) -> PushOutcome {
        PushOutcome(.ok, serverId: serverId, modificationDate: modificationDate)
    }
    /// The target left a change, with its children, unsent by choice.
    public static let skipped = PushOutcome(.skipped)
    /// The server refused a change, with its children, or it could not be sent.
    public static func failed(_ failure: PushFailure) -> PushOutcome { PushOutcome(.failed(failure)) }
    /// The answer for a change, with its children, was lost.
    ///
    /// An update or a deletion is sent again by the next run; a creation only when it is idempotent, or was looked up.
    public static func unknown(_ failure: PushFailure) -> PushOutcome { PushOutcome(.unknown(failure)) }
    /// A change, with its children, was not sent, because something ended the push before.
    ///
    /// Nothing is wrong with it: its entry stays as it is, without a note, and the next run sends it. The run settles
    /// what was sent and ends with the error, as if the push had thrown it: FAILED, or waiting for a login.
    public static func notSent(_ error: SoupError) -> PushOutcome { PushOutcome(.notSent(error)) }
}

/// Why a record was not accepted.
public struct PushFailure: Error, Sendable, Hashable {
    /// The server's code, such as `STRING_TOO_LONG`.
    public var code: String
    /// The server's words, or the target's, for people.
    public var message: String
    /// The fields that the server blames; empty when it names none.
    public var fields: [String]
    /// The record is not, or no longer, on the server.
    ///
    /// Set it only when the server says so in its own form about that record: the engine then deletes the entry, or
    /// creates the record again. A status of 404 is not enough: a gateway, a wrong path and a wrong version give it
    /// too.
    public var isGone: Bool
    /// A record that this one refers to (a parent) is no longer on the server.
    public var isRelatedGone: Bool
    /// The same push may succeed later, without a change of the record.
    public var isRetryable: Bool
    /// What the engine itself can do about it at once.
    public var remedy: Remedy?

    /// A way to push the same change with success, within the same run.
    ///
    /// It is taken for a change, or a tree, of which nothing reached the server, and not without end.
    public enum Remedy: String, Sendable, Hashable, Codable {
        /// Somebody else holds the record for a moment: push it again after a pause.
        case wait
        /// The request was too large: push fewer changes at once.
        case split
    }

    /// By the defaults the records are still there, and another push makes no sense before somebody changes this one.
    public init(
        code: String, message: String, fields: [String] = [], isGone: Bool = false, isRelatedGone: Bool = false,
        isRetryable: Bool = false, remedy: Remedy? = nil
    ) {
        self.code = code
        self.message = message
        self.fields = fields
        self.isGone = isGone
        self.isRelatedGone = isRelatedGone
        self.isRetryable = isRetryable
        self.remedy = remedy
    }
}

/// What the server knows of a record.
public enum ServerState: Sendable, Hashable {
    /// It was last changed then (ISO 8601).
    case modified(String)
    /// It is not there.
    case deleted
    /// The server could not be asked, or did not tell.
    case unknown
}
