// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A type that decides how the local changes of a tree are pushed, for one merge mode.
///
/// A policy is a pure function of a tree and the known facts: it reads no store, sends no request and writes nothing.
/// If the facts are not sufficient, it returns a question for the server; the run asks, and decides again.
///
/// The properties describe the rest of the merge mode: they control the steps of the run around the decisions.
protocol PushPolicy: Sendable {
    /// Whether changes are compared with the server's versions before they are sent.
    ///
    /// The run then reads the saved conflicts with the user's decisions, and removes the conflicts that have ended. If
    /// `false`, a change is sent whatever the server has, even if a conflict about it is saved.
    var detectsConflicts: Bool { get }

    /// Whether a deletion on the server is a conflict with a local change, to be resolved like other conflicts.
    ///
    /// For a creation, the deletion of its parent then counts as the deletion of the record. If `false`, such a change
    /// is reported as skipped.
    var treatsDeletionsAsConflicts: Bool { get }

    /// Whether a record is created again if the response to its update reports that the server has deleted it.
    var recreatesDeletedRecords: Bool { get }

    /// Whether trees contain their unchanged children, so that their versions are compared too.
    var readsUnchangedChildren: Bool { get }

    /// Whether updates contain the last synced version, so that the target sends only the changed fields.
    var readsBases: Bool { get }

    /// Whether the run ends if a server record that a decision needs cannot be fetched.
    ///
    /// If `false`, the policy decides without the record.
    var requiresServerRecords: Bool { get }

    /// Returns the decision about a tree.
    func decide(_ tree: PushTree, knowing facts: TreeFacts) -> PushDecision
}

extension MergeMode {
    /// Returns the policy of the mode for trees of a layout.
    func policy(for layout: RecordLayout) -> any PushPolicy {
        switch self {
        case .overwrite: OverwritePolicy()
        case .leaveIfChanged: LeaveIfChangedPolicy(layout: layout)
        case .merge: MergePolicy()
        }
    }
}

/// The decision of a policy about a tree.
enum PushDecision: Sendable, Hashable {
    /// The facts are not sufficient: the server has to be asked first.
    case ask(ServerQuestion)
    /// The tree is sent as it is.
    case push
    /// The tree is not sent in this run.
    case hold(HoldReason)
    /// Some records are resolved in the store without being sent. After that, the tree is read again.
    case resolve([Resolution])

    /// The resolution of one record.
    struct Resolution: Sendable, Hashable {
        var record: PushRecord
        var action: Action
    }

    enum Action: Sendable, Hashable {
        /// The record that is to be deleted is already deleted on the server: the entry is deleted.
        case finishDeletion
        /// The server already has the values that would be sent, with this record: the entry becomes clean.
        case markClean(JSONText)
        /// The record exists on the server and has no local changes: the entry becomes clean.
        case keepOnServer
        /// The record that was to be recreated exists on the server: the creation becomes an update.
        case update
        /// The record was deleted on the server with its parent, which is recreated: it is recreated too.
        case recreate
        /// The local changes are merged with the server's version; `nil` if the record was deleted there.
        case merge(JSONText?)
    }
}

/// A question for the server about some records of a tree.
enum ServerQuestion: Sendable, Hashable {
    /// The states of these records on the server.
    case states([PushRecord])
    /// The contents of these records on the server.
    case records([PushRecord])
}
