// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The outcome of a change, as the server reported it to the target.
///
/// A target returns exactly one for each change of a push. ``Result/ok`` and ``Result/failed(_:)`` require the server's
/// own response about this change. The article *How a sync works* of `SoupSync` describes how the engine applies
/// outcomes.
public struct PushOutcome: Sendable, Hashable {
    /// The result of the push for the change.
    public enum Result: Sendable, Hashable {
        /// The server has carried out the change.
        case ok
        /// The target chose not to send the change.
        case skipped
        /// The server, in its documented form, or the target itself refused the change; nothing of it was saved.
        case failed(PushFailure)
        /// The server refused the change because the record has another version than the one that the change is based
        /// on, as with the statuses 409 and 412; nothing of it was saved.
        case conflict(PushFailure)
        /// The server may have carried out the change: the response was lost or is not the server's own.
        case unknown(PushFailure)
        /// The change was not sent, because an error ended the push before.
        case notSent(SoupError)
    }

    /// The result of this change alone; each child has its own.
    public var result: Result
    /// The server's ID, if the response contained one.
    ///
    /// Required for a successful creation, in a form that a server can assign (``ServerId``). If the response has no
    /// such ID, return ``Result/unknown(_:)`` instead.
    public var serverId: String?
    /// The record's modification date on the server, or a time that is not earlier, ISO 8601; nil if unknown.
    public var modificationDate: String?
    /// The record's version on the server after the change, as ``SyncUpTarget/versionField`` contains it; nil if
    /// unknown.
    public var version: JSONText?
    /// For trees: the outcomes of the children, in order.
    public var children: [PushOutcome]

    /// Creates the outcome that a target reports.
    ///
    /// - Parameter children: exactly one for each child of the change, in order.
    public init(
        _ result: Result, serverId: String? = nil, modificationDate: String? = nil, version: JSONText? = nil,
        children: [PushOutcome] = []
    ) {
        self.result = result
        self.serverId = serverId
        self.modificationDate = modificationDate
        self.version = version
        self.children = children
    }

    /// Returns the outcome of an accepted change without children.
    ///
    /// For trees use ``init(_:serverId:modificationDate:version:children:)``.
    public static func ok(
        serverId: String? = nil, modificationDate: String? = nil, version: JSONText? = nil
    ) -> PushOutcome {
        PushOutcome(.ok, serverId: serverId, modificationDate: modificationDate, version: version)
    }
    /// The outcome of a change, with its children, that the target chose not to send.
    public static let skipped = PushOutcome(.skipped)
    /// Returns the outcome of a change, with its children, that the server refused or that could not be sent.
    public static func failed(_ failure: PushFailure) -> PushOutcome { PushOutcome(.failed(failure)) }
    /// Returns the outcome of a change, with its children, that the server refused because of another version.
    public static func conflict(_ failure: PushFailure) -> PushOutcome { PushOutcome(.conflict(failure)) }
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
