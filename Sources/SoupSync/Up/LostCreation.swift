// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A creation that an earlier run sent and for which no response was received.
struct LostCreation: Sendable {
    var mark: InFlightCreates.Mark
    /// The entry as it was sent.
    var member: PushMember
    /// Whether the entry has been deleted locally since.
    var isDeleted: Bool
    /// Whether the found record may be a different one, because its external ID may have existed before.
    var mayBeAnothers: Bool
    /// The way to resolve the creation; `nil` if the entry is no longer a creation.
    var remedy: Remedy?

    enum Remedy: Sendable {
        /// Look the record up, and send the creation again if the server does not have it or the target cannot look it
        /// up.
        ///
        /// Sending it again cannot create a second record. It is not sent if the server has the record, because it
        /// would overwrite later changes of other users, and because it contains the master's ID, which an update must
        /// not contain.
        case lookUpOrSendAgain
        /// Look up the record that was sent.
        case lookUp
        /// Wait for the user, because the content that was sent is unknown.
        case wait
    }

    enum Answer: Sendable {
        /// The server has the record with the values that were sent; the record is `nil` if the target cannot fetch it.
        case found(String, JSONText?)
        /// The server has a record with other values: it was edited since, or it is a different record.
        ///
        /// - Parameters:
        ///   - fields: the members with other values.
        ///   - unsent: the members among `fields` that updates do not send.
        case foundOther(String, JSONText, fields: [String], unsent: [String] = [])
        case absent
        /// The target cannot look it up, and sending it again does not create a second record.
        case sentAgain
        case unknown(PushFailure)
    }
}

extension PushFailure {
    /// The target cannot determine the outcome of a creation.
    static func cannotLookUp(because error: (any Error)? = nil) -> PushFailure {
        let reason =
            error.map { "it cannot be looked up: \(SoupError(wrapping: $0).message)" }
            ?? "the target cannot look the record up"
        return PushFailure(
            code: "UNKNOWN_OUTCOME",
            message:
                "the answer to this creation was lost, and \(reason): see whether the server has it, then resolve it as "
                + "created or as to be sent again")
    }

    /// A creation that is to be deleted has the external ID of a record that may be a different one.
    fileprivate static func perhapsAnother(_ serverId: String) -> PushFailure {
        PushFailure(
            code: "UNKNOWN_OUTCOME",
            message:
                "the answer to this creation was lost, and \(serverId), which has its external id, holds other values: it "
                + "may be another record, so it is not deleted; resolve the entry as created with that id to delete it "
                + "all the same, or as to be sent again to let it be")
    }

    /// A creation has the external ID of a record that differs in fields that updates do not send.
    ///
    /// - Parameters:
    ///   - fields: the fields with other values.
    ///   - unsent: the fields among these that updates do not send.
    fileprivate static func notUpdatable(_ serverId: String, _ fields: [String], unsent: [String]) -> PushFailure {
        let others =
            fields == unsent ? "" : " (and in \(fields.filter { !unsent.contains($0) }.joined(separator: ", ")))"
        return PushFailure(
            code: "UNKNOWN_OUTCOME",
            message:
                "the answer to this creation was lost, and \(serverId), which has its external id, has other values in "
                + "\(unsent.joined(separator: ", ")), which updates do not send\(others); resolve the entry as created with "
                + "that id to keep the server's record, which a sync down brings, or as to be sent again to replace it",
            fields: fields)
    }
}

extension OutcomeWriter {
    /// Applies the answer to a creation that was looked up on the server.
    mutating func settle(_ lost: LostCreation, _ answer: LostCreation.Answer) throws {
        let member = followed(lost.member)
        let field = layout.parts[member.part].modificationDateField
        let never = JSONText.string(Timestamp.format(0))
        switch answer {
        case .found(let serverId, let record):
            // If the record could not be fetched, another user may have edited it.
            let date = record.map { $0.members?.first { $0.key == field }?.value } ?? never
            try settleFound(member, serverId, date: date)
        case .foundOther(let serverId, _, _, _) where !lost.mayBeAnothers:
            // The creation reached the server, and the server's current version is newer.
            try settleFound(member, serverId, date: never)
        case .foundOther(let serverId, _, _, _) where lost.isDeleted && mergeMode == .overwrite:
            try lose(member, .perhapsAnother(serverId))
        case .foundOther(let serverId, _, let fields, let unsent) where !unsent.isEmpty && !lost.isDeleted:
            // As an update, the entry would become clean although the unsent fields still differ. Sent again as a
            // creation, it may contain a master's ID, which servers reject for an existing record every time.
            try lose(member, .notUpdatable(serverId, fields, unsent: unsent))
        case .foundOther(let serverId, let record, _, _): try settleFoundOther(member, serverId, record)
        case .unknown(let failure): try lose(member, failure)
        case .absent, .sentAgain: break
        }
    }

    /// Applies the ID and the date of a creation that the server already has.
    ///
    /// - Parameter date: the date of the version that was found; `nil` if unknown.
    private mutating func settleFound(_ member: PushMember, _ serverId: String, date: JSONText?) throws {
        var news = Stamp().setting(EntryField.lastError, nil)
        if let date { news = news.setting(layout.parts[member.part].modificationDateField, date) }
        guard try adopt(member, serverId, news, lastKnown: .copy) else { return }
        arrive(member.key)
        try repoint(member, to: serverId)
        tell(member, .ok, nil, id: serverId)
    }

    /// Turns a creation into an update, because its external ID belongs to a record with other values.
    ///
    /// The update did not start from any version of the server, so it counts as older than all of them.
    /// LEAVE_IF_CHANGED and MERGE leave it as a conflict for the user. OVERWRITE pushes it; its synced copy is the
    /// server's current version.
    private mutating func settleFoundOther(_ member: PushMember, _ serverId: String, _ record: JSONText) throws {
        let part = layout.parts[member.part]
        let news = Stamp().setting(EntryField.lastError, nil)
            .setting(part.modificationDateField, .string(Timestamp.format(0)))
        guard try adopt(member, serverId, news, lastKnown: .neither) else { return }
        try repoint(member, to: serverId)
        guard keepsBases, mergeMode == .overwrite,
            try !writer.retrieve([member.key.id], from: member.key.soup).isEmpty
        else { return }
        let id = (name: part.idField, value: try value(serverId, at: part.idField, in: member.key.soup))
        let there = RecordMerge.overlay(.object([id]), over: RecordMerge.overlay(record, over: member.record))
        try writer.setSyncedCopies([member.key.id: there], in: member.key.soup)
    }
}
