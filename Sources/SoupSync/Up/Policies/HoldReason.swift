// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The reason why a tree is not sent in this run.
enum HoldReason: Sendable, Hashable {
    /// The changes of both sides cannot be merged.
    case conflict
    /// The server has a newer version of a record of the tree.
    case newerOnServer
    /// A changed record of the tree was deleted on the server.
    case deletedOnServer
    /// An unchanged parent of a changed record was deleted on the server.
    case parentDeletedOnServer
    /// Another run has sent a creation of the tree, and its outcome is not known yet.
    case inFlight
    /// The tree cannot be sent because of this failure: a question about it was not answered, it waits for another
    /// record, or the server would refuse it.
    case failure(PushFailure)

    /// Whether holding a tree saves a conflict for each of its changed records.
    ///
    /// It is `false` for ``conflict``, which the merge itself has saved.
    var savesConflicts: Bool {
        switch self {
        case .newerOnServer, .deletedOnServer, .parentDeletedOnServer: true
        case .conflict, .inFlight, .failure: false
        }
    }

    /// Whether the tree has a conflict, of the record itself or of another one.
    ///
    /// A record without a listed conflict of its own is then reported as waiting for its tree.
    var isConflict: Bool {
        switch self {
        case .conflict, .newerOnServer, .deletedOnServer, .parentDeletedOnServer: true
        case .inFlight, .failure: false
        }
    }

    /// Returns the result of a record that is held for this reason.
    ///
    /// - Parameter policy: the policy that held the tree.
    func result(under policy: any PushPolicy) -> RecordOutcome.Result {
        switch self {
        case .conflict: .conflicted
        case .newerOnServer, .inFlight: .skipped
        case .deletedOnServer, .parentDeletedOnServer: policy.treatsDeletionsAsConflicts ? .conflicted : .skipped
        // The merge mode did not skip the change.
        case .failure: .failed
        }
    }
}

extension HoldReason {
    /// The code of the failure; for conflicts, see ``RecordConflict/code``.
    var code: String { failure.code }

    /// The failure that is reported for a record.
    var failure: PushFailure {
        switch self {
        case .conflict:
            PushFailure(
                code: "CONFLICT",
                message:
                    "the local changes of the record cannot be merged with the server's: see `soup conflicts` or "
                    + "conflicts(), and resolve the conflict")
        case .newerOnServer:
            PushFailure(
                code: "NEWER_ON_SERVER",
                message:
                    "the server has a newer version of the record, or of another record of its tree: see `soup conflicts` "
                    + "or conflicts(), and resolve the conflict or discard the change")
        case .deletedOnServer:
            PushFailure(
                code: "DELETED_ON_SERVER",
                message:
                    "the record was deleted on the server: use `soup resolve` or resolveConflict() to delete it locally "
                    + "too, or to create it again", isGone: true)
        case .parentDeletedOnServer:
            PushFailure(
                code: "PARENT_DELETED_ON_SERVER",
                message:
                    "a parent of the record was deleted on the server: use `soup resolve` or resolveConflict() to create "
                    + "it again, or to discard the local change", isGone: true)
        case .inFlight:
            PushFailure(
                code: "IN_FLIGHT",
                message:
                    "another run has sent this creation, and its outcome is not known yet: sync again when that run has "
                    + "ended", retry: .inLaterRun)
        case .failure(let failure): failure
        }
    }
}
