// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A creation that an earlier run sent and heard nothing of.
struct LostCreation: Sendable {
    var mark: FlightLog.Mark
    /// The entry as it was sent.
    var member: PushMember
    /// Whether it is to be deleted by now.
    var isDeleted: Bool
    /// Whether what is found need not be what was sent: an external id may be that of a record that was there before.
    var mayBeAnothers: Bool
    /// What is to be done about it; nil for what is no creation any more.
    var remedy: Remedy?

    enum Remedy: Sendable {
        /// The server is asked for it, and it is sent again as it was when the server has it not, or the target has no
        /// way to ask: that makes no second record. Sent again to a server that has it, it would replace what others
        /// changed since, and name a master, which updates must not.
        case lookUpOrSendAgain
        /// The server is asked for what was sent.
        case lookUp
        /// Nobody knows what was sent.
        case wait
    }

    enum Answer: Sendable {
        /// The server has it, and its record holds what was sent; nil when the target cannot look at that.
        case found(String, JSONText?)
        /// The server has a record with other values: somebody edited it since, or it is another one.
        ///
        /// - Parameters:
        ///   - fields: the members with other values.
        ///   - unsent: those of them that updates do not send.
        case foundOther(String, JSONText, fields: [String], unsent: [String] = [])
        case absent
        /// The target cannot tell, and sent again it makes no second record.
        case sentAgain
        case unknown(PushFailure)
    }
}

extension PushFailure {
    /// Nobody can find out for us what became of a creation.
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

    /// Under the external id of a creation that is to be deleted there is a record that may be somebody else's.
    fileprivate static func perhapsAnother(_ serverId: String) -> PushFailure {
        PushFailure(
            code: "UNKNOWN_OUTCOME",
            message:
                "the answer to this creation was lost, and \(serverId), which has its external id, holds other values: it "
                + "may be another record, so it is not deleted; resolve the entry as created with that id to delete it "
                + "all the same, or as to be sent again to let it be")
    }

    /// Under the external id of a creation there is a record that no update can make like it.
    ///
    /// - Parameters:
    ///   - fields: with other values.
    ///   - unsent: those of them that updates do not send.
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
    /// Settles a creation of which the server was asked.
    mutating func settle(_ lost: LostCreation, _ answer: LostCreation.Answer) throws {
        let member = followed(lost.member)
        let field = layout.parts[member.part].modificationDateField
        let never = JSONText.string(Timestamp.format(0))
        switch answer {
        case .found(let serverId, let record):
            // Somebody may have edited what nobody could look at.
            let date = record.map { $0.members?.first { $0.key == field }?.value } ?? never
            try settleFound(member, serverId, date: date)
        case .foundOther(let serverId, _, _, _) where !lost.mayBeAnothers:
            // It arrived as it was sent, and what the server has now is newer.
            try settleFound(member, serverId, date: never)
        case .foundOther(let serverId, _, _, _) where lost.isDeleted && mergeMode == .overwrite:
            try lose(member, .perhapsAnother(serverId))
        case .foundOther(let serverId, _, let fields, let unsent) where !unsent.isEmpty && !lost.isDeleted:
            // As an update it would become clean, and what differs would stay here for good. Sent again as a creation
            // it may name a master, which servers refuse for a record that is there, each time.
            try lose(member, .notUpdatable(serverId, fields, unsent: unsent))
        case .foundOther(let serverId, let record, _, _): try settleFoundOther(member, serverId, record)
        case .unknown(let failure): try lose(member, failure)
        case .absent, .sentAgain: break
        }
    }

    /// Settles a creation that the server turned out to have.
    ///
    /// - Parameter date: of the version that was found; nil when it is not known.
    private mutating func settleFound(_ member: PushMember, _ serverId: String, date: JSONText?) throws {
        var news = Stamp().setting(EntryField.lastError, nil)
        if let date { news = news.setting(layout.parts[member.part].modificationDateField, date) }
        guard try adopt(member, serverId, news, lastKnown: .copy) else { return }
        arrive(member.key)
        try repoint(member, to: serverId)
        tell(member, .ok, nil, id: serverId)
    }

    /// Makes an update of a creation whose external id belongs to a record with other values.
    ///
    /// It started from none of the server's versions, and is older than any: LEAVE_IF_CHANGED and MERGE leave it to
    /// somebody to decide. OVERWRITE sends it, and starts from what is there now.
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
