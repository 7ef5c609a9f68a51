// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Decides how the local changes of a tree are pushed, for one merge mode.
///
/// A policy is a pure function of a tree and the known facts: it reads no store, sends no request and writes nothing.
/// If the facts are not sufficient, it returns a question for the server; the run asks, and decides again.
protocol PushPolicy: Sendable {
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
    case hold(PushFailure)
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
    /// Which versions does the server have of these records?
    case states([PushRecord])
    /// What do these records contain on the server?
    case records([PushRecord])
}
