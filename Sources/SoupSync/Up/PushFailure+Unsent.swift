// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

/// The failures of changes that a run does not send, apart from those of a ``HoldReason``.
extension PushFailure {
    static let waitsForTree = PushFailure(
        code: "WAITS_FOR_TREE",
        message: "another record of its tree is in conflict; the change is sent after that conflict is resolved")

    static let noParent = PushFailure(
        code: "NO_PARENT",
        message: "the store does not contain the parent of the record: fetch the parent with a sync down, or move the "
            + "record to another parent; if the server has neither, delete the entry permanently (`soup delete --now`)")

    /// Returns the failure of a deletion with which the server would delete details that the app has moved away.
    static func movedDetails(_ details: Set<EntryKey>) -> PushFailure {
        let sorted = details.sorted { ($0.soup, $0.id) < ($1.soup, $1.id) }
        let names = sorted.prefix(3).map { "entry \($0.id) of soup \"\($0.soup)\"" }
        let more = details.count > 3 ? " and \(details.count - 3) others" : ""
        return PushFailure(
            code: "MOVED_CHILDREN",
            message:
                "the server would also delete \(names.joined(separator: ", "))\(more), which it may still have below the "
                + "record: the change is sent after the server has accepted that they were moved; see their errors")
    }

    /// Whether the change waits for a record that another run has to create.
    package var waitsForRecord: Bool { code == Self.noParent.code && retry == .inLaterRun }

    /// Returns the failure of a change that refers to a record without a server ID.
    static func noReference(
        _ reference: LocalReference, of record: PushRecord, _ pending: PendingCreations
    ) -> PushFailure {
        let place = "\(reference.field) of entry \(record.key.id) of soup \"\(record.key.soup)\""
        guard let other = pending.entries[reference.id] else {
            return PushFailure(
                code: "NO_PARENT",
                message:
                    "\(place) refers to \(reference.id.excerpt(60)), which is the ID of no entry that a sync up creates: set "
                    + "the field to the ID of another record, or clear it")
        }
        return PushFailure(
            code: "NO_PARENT",
            message:
                "\(place) refers to entry \(other.id) of soup \"\(other.soup)\", which the server does not have yet: "
                + "the change is sent after that record was created; see its error, or run the sync up of its soup",
            retry: .inLaterRun)
    }

    /// Returns the failure as one of a reference if the server requires a field that was left out of a creation.
    ///
    /// The creation then waits until the other record exists. That one can often be sent first, without its references.
    func asMissingReference(of record: PushRecord) -> PushFailure {
        let required = record.omitted.intersection(fields).sorted()
        guard record.kind == .create, !required.isEmpty else { return self }
        return PushFailure(
            code: Self.noParent.code,
            message:
                "\(required.joined(separator: ", ")) of entry \(record.key.id) of soup \"\(record.key.soup)\" refers to a "
                + "record that the server does not have yet, and the server requires the field (\(code): \(message)): the "
                + "change is sent after that record was created", fields: required, retry: .inLaterRun)
    }

    /// Returns the failure of a creation that cannot be sent without a reference, because no update sends it later.
    ///
    /// - Parameter otherTree: whether the reference is to a record of another tree, which another sync may send first.
    static func notUpdatable(
        _ reference: LocalReference, of record: PushRecord, otherTree: Bool
    ) -> PushFailure {
        PushFailure(
            code: "NO_PARENT",
            message:
                "\(reference.field) of entry \(record.key.id) of soup \"\(record.key.soup)\" refers to a record that the "
                + "server gets only afterwards, and updates do not send the field: add it to the fields of updates, such "
                + "as \"updateFieldlist\", or clear it", retry: otherTree ? .inLaterRun : .never)
    }

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
