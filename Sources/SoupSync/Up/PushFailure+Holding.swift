// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The reasons why the engine does not send a change.
extension PushFailure {
    static let inFlight = PushFailure(
        code: "IN_FLIGHT",
        message: "another run has sent this creation, and its outcome is not known yet", isRetryable: true)

    static let newerOnServer = PushFailure(
        code: "NEWER_ON_SERVER",
        message:
            "the server has a newer version of the record, or of another record of its tree: see `soup conflicts` or "
            + "conflicts(), and resolve the conflict or discard the change")

    static let conflict = PushFailure(
        code: "CONFLICT",
        message:
            "the local changes of the record cannot be merged with the server's: see `soup conflicts` or conflicts(), "
            + "and resolve the conflict")

    static let goneOnServer = PushFailure(
        code: "DELETED_ON_SERVER",
        message:
            "the record was deleted on the server: use `soup resolve` or resolveConflict() to delete it locally too, or "
            + "to create it again", isGone: true)

    static let lostParent = PushFailure(
        code: "PARENT_DELETED_ON_SERVER",
        message:
            "a parent of the record was deleted on the server: use `soup resolve` or resolveConflict() to create it "
            + "again, or to discard the local change", isGone: true)

    static let waitsForTree = PushFailure(
        code: "WAITS_FOR_TREE",
        message: "another record of its tree is in conflict; the change is sent after that conflict is resolved")

    /// Whether the failure may be caused by another record of the tree.
    var isAboutTree: Bool {
        [Self.conflict, .newerOnServer, .goneOnServer, .lostParent].contains { $0.code == code }
    }

    static let noParent = PushFailure(
        code: "NO_PARENT",
        message: "the store does not contain the parent of the record: fetch the parent with a sync down, or move the "
            + "record to another parent; if the server has neither, delete the entry permanently (`soup delete --now`)")

    /// - Parameter id: the ID in the entry.
    static func noServerId(_ id: String?) -> PushFailure {
        let what =
            id.map { LocalId.isLocal($0) ? "no id" : "\"\($0.excerpt(40))\", which cannot be an id" } ?? "no id"
        return PushFailure(
            code: "NO_SERVER_ID",
            message:
                "the entry is not marked as created here, and it holds \(what) of the server: set __locally_created__, "
                + "or its id")
    }
}
