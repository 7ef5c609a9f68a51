// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The failures of changes that a run does not send, apart from those of a ``HoldReason``.
extension PushFailure {
    static let waitsForTree = PushFailure(
        code: "WAITS_FOR_TREE",
        message: "another record of its tree is in conflict; the change is sent after that conflict is resolved")

    static let noParent = PushFailure(
        code: "NO_PARENT",
        message: "the store does not contain the parent of the record: fetch the parent with a sync down, or move the "
            + "record to another parent; if the server has neither, delete the entry permanently (`soup delete --now`)")

    /// Returns the failure of a change whose entry has no usable server ID.
    ///
    /// - Parameter id: the ID in the entry.
    static func noServerId(_ id: String?) -> PushFailure {
        let impossible = id.flatMap { LocalId.isLocal($0) ? nil : $0.excerpt(40) }
        let fault = impossible.map { "the ID \"\($0)\", which the server cannot have issued" } ?? "no server ID"
        return PushFailure(
            code: "NO_SERVER_ID",
            message:
                "the entry has \(fault), and is not marked as created locally: set __locally_created__, or correct the ID"
        )
    }
}
