// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that sends local changes to the server.
///
/// One method is required: push a batch, and return an outcome for each record. A target holds no state between calls.
/// The article *How a sync works* of `SoupSync` describes how the engine uses a target.
///
/// Plug-in interface: version 1. ``PluginInterface`` states what may change within it.
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
    /// The name of the connection to the target's server; nil for the session of the app. Default: nil.
    ///
    /// By convention it is the member `connection` of the target object, where problems with it are reported.
    /// ``SyncContext/transport`` and ``SyncContext/basePath`` are then those of the connection.
    var connectionName: String? { get }
    /// The field of an entry that contains the server's ID. Default: `Id`.
    var idField: String { get }
    /// The field of an entry that contains the record's last modification time on the server. Default:
    /// `LastModifiedDate`.
    var modificationDateField: String { get }
    /// The form of the values of ``modificationDateField``. Default: ISO 8601.
    var dateFormat: RecordDateFormat { get }
    /// The field of an entry that contains the version of its record on the server, such as a revision or an ETag.
    ///
    /// It is the version that the entry's values are based on: a sync down saves it, and a push replaces it by
    /// ``PushOutcome/version``, or removes it. Default: nil.
    var versionField: String? { get }
    /// The soups that form a tree, for targets that push children with their parent. Default: nil.
    ///
    /// A deletion of a child is pushed without its parent if the store does not contain the parent
    /// (``RecordChange/level``).
    var layout: RecordLayout? { get }
    /// Returns whether pushing this creation twice cannot create two records, for example because it has an external
    /// ID.
    ///
    /// If so, the creation may be pushed again after its response was lost. Default: false.
    func isIdempotent(_ creation: RecordChange) -> Bool
    /// Returns whether the server may respond to this creation with a record that exists already, for example because
    /// both have one external ID.
    ///
    /// If not, a response with the ID of another entry is not the response to this creation, and the outcome is
    /// unknown. Default: ``isIdempotent(_:)``.
    func mayFindExistingRecord(_ creation: RecordChange) -> Bool

    /// Returns whether a push of this update or deletion asks the server to refuse it if the record has another version
    /// than the change, for example with `If-Match`.
    ///
    /// The engine then does not ask for the record's state first, because the server compares the versions itself. If
    /// the server refuses the change for that reason, return ``PushOutcome/Result/conflict(_:)``: under
    /// `LEAVE_IF_CHANGED` and `MERGE`, the engine asks for the record, and decides again. Return false if the change
    /// contains no version, and under `OVERWRITE`. Default: false.
    func isConditional(_ change: RecordChange, under mode: MergeMode) -> Bool

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

    /// Returns the field of a level that contains a random key of each created record, by which ``findCreated(_:in:)``
    /// finds records without an external ID; nil if there is none.
    ///
    /// The engine sets the field in an entry before its creation is sent, if it has no value or the one of another
    /// entry. A push sends it with creations. Default: nil.
    func clientKeyField(level: Int) -> String?

    /// Returns the errors and the probable mistakes in the combination with the options of the sync.
    ///
    /// No request may be sent. Places are paths inside the target object. Default: none.
    func problems(with options: SyncOptions) -> [ConfigurationProblem]

    /// Returns the fields of records of a level that a push can send.
    ///
    /// No request may be sent. Default: none, which means unknown.
    ///
    /// - Parameter level: the position in ``layout``; 0 without one.
    func pushedFields(level: Int, with options: SyncOptions) -> [PushedFields]
}

extension SyncUpTarget {
    /// Nil: the target uses the session of the app.
    public var connectionName: String? { nil }
    /// None: the target works with all options.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] { [] }
    /// None: the fields are unknown before a push.
    public func pushedFields(level: Int, with options: SyncOptions) -> [PushedFields] { [] }
    /// 200, the maximum of one request to Salesforce's collections API.
    public var maxBatchSize: Int { 200 }
    /// 8 MiB, below the usual limits of servers and of the gateways in front of them.
    public var maxBatchBytes: Int { 8 << 20 }
    /// `Id`, as in a sync down.
    public var idField: String { "Id" }
    /// `LastModifiedDate`, as in a sync down.
    public var modificationDateField: String { "LastModifiedDate" }
    /// ISO 8601, as in a sync down.
    public var dateFormat: RecordDateFormat { .iso8601 }
    /// Nil: records have no version.
    public var versionField: String? { nil }
    /// False: the server does not compare versions.
    public func isConditional(_ change: RecordChange, under mode: MergeMode) -> Bool { false }
    /// Nil: each change is one entry of the sync's soup, without children.
    public var layout: RecordLayout? { nil }
    /// Nil: records have no random key.
    public func clientKeyField(level: Int) -> String? { nil }
    /// False: pushing a creation twice can create two records.
    public func isIdempotent(_ creation: RecordChange) -> Bool { false }
    /// As ``isIdempotent(_:)``: the creation has an external ID.
    public func mayFindExistingRecord(_ creation: RecordChange) -> Bool { isIdempotent(creation) }
    /// Nil: the target cannot report states.
    public func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? { nil }
    /// Nil: the target cannot fetch records.
    public func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]? { nil }
    /// Nil: the target cannot look up creations.
    public func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?]? { nil }
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
