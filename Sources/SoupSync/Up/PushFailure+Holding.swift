// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The reasons why the engine does not send a change.
extension PushFailure {
    static let inFlight = PushFailure(
        code: "IN_FLIGHT",
        message: "another run has sent this creation, and what became of it is not known here", isRetryable: true)

    static let newerOnServer = PushFailure(
        code: "NEWER_ON_SERVER",
        message:
            "the server has a newer version of the record that was changed here, or of another one of its tree: "
            + "`soup conflicts`, or conflicts(), shows what is known; resolve it, or take the change back")

    static let conflict = PushFailure(
        code: "CONFLICT",
        message:
            "the record was changed here and on the server, in ways that cannot be merged: `soup conflicts`, or "
            + "conflicts(), shows the versions; resolve it")

    static let goneOnServer = PushFailure(
        code: "DELETED_ON_SERVER",
        message:
            "the server no longer has the record: delete it here too, or create it anew, by `soup resolve` or "
            + "resolveConflict()", isGone: true)

    static let lostParent = PushFailure(
        code: "PARENT_DELETED_ON_SERVER",
        message:
            "the server no longer has a record that this one is under: `soup resolve`, or resolveConflict(), makes it "
            + "again, or takes back what was done here", isGone: true)

    static let waitsForTree = PushFailure(
        code: "WAITS_FOR_TREE", message: "another record of its tree is in conflict; it goes when that is resolved")

    /// Whether the failure may be caused by another record of the tree.
    var isAboutTree: Bool {
        [Self.conflict, .newerOnServer, .goneOnServer, .lostParent].contains { $0.code == code }
    }

    static let noParent = PushFailure(
        code: "NO_PARENT",
        message: "the store holds no parent that this record is under: bring the parent down, or put the record under "
            + "another one; when the server has neither any more, delete the entry for good (`soup delete --now`)")

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
