// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A creation that an earlier run sent and for which no response was received.
struct LostCreation: Sendable {
    var mark: InFlightCreates.Mark
    /// The entry as it was sent.
    var entry: PushRecord
    /// Whether the entry has been deleted locally since.
    var isDeleted: Bool
    /// The way in which the record is recognized on the server.
    var identity: Identity
    /// Whether the server may still commit the creation: its key is in no record that others can see yet.
    ///
    /// Sent again, it would exist twice. An external ID prevents that, a key does not.
    var mayAppearLater = false
    /// The members that were edited since and that updates do not send.
    var unsentEdits: [String] = []
    /// The way to resolve the creation; `nil` if the entry is no longer a creation.
    var handling: Handling?

    /// The longest time from the mark of a creation to the commit of its transaction, in milliseconds: ten minutes for
    /// the requests of its batch, and ten minutes for the transaction, the limit of Salesforce.
    static let longestDelay: Int64 = 1_200_000

    /// A way in which a creation is recognized on the server.
    enum Identity: Sendable, Hashable {
        /// The target finds the record that it has created.
        case own
        /// By a key that SoupKit has set, and that no other record has.
        case key
        /// By a key that the app has set, which another record may have, too.
        case foreignKey
        /// By an external ID; a record may have had it before.
        case externalId
    }

    enum Handling: Sendable {
        /// Look the record up, and send the creation again if the server does not have it or the target cannot look it
        /// up.
        ///
        /// Sending it again cannot create a second record. It is not sent if the server has the record, because it
        /// would overwrite later changes of other users, and because it contains the parent's ID, which an update must
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

        /// The ID of the found record.
        var serverId: String? {
            switch self {
            case .found(let id, _), .foundOther(let id, _, _, _): id
            case .absent, .sentAgain, .unknown: nil
            }
        }
    }

    /// The way in which the creation is resolved.
    enum Decision: Sendable, Hashable {
        /// The server has the record: the entry gets its ID, and the date of the version that was found.
        case adopt(String, date: JSONText?)
        /// The server has a record with other values: the creation becomes an update of it.
        case update(String, JSONText)
        /// The outcome stays unknown.
        case wait(PushFailure)
        /// The creation is sent like any other.
        case send
    }

    /// Returns the decision about the creation.
    ///
    /// - Parameters:
    ///   - detectsConflicts: whether an update is compared with the server's version before it is sent.
    ///   - level: the level of the record.
    func decision(_ answer: Answer, detectsConflicts: Bool, of level: RecordLayout.Level) -> Decision {
        let never = level.dateFormat.value(ofMilliseconds: 0)
        switch answer {
        case .foundOther(let serverId, _, _, _) where identity == .foreignKey,
            .found(let serverId, _) where identity == .foreignKey && isDeleted:
            return .wait(.perhapsAnother(serverId, with: "its key"))
        case .found(let serverId, _) where !unsentEdits.isEmpty && !isDeleted,
            .foundOther(let serverId, _, _, _) where !unsentEdits.isEmpty && !isDeleted:
            // As an update, the entry would become clean although the server never gets the edit.
            return .wait(.editedAfterwards(serverId, unsentEdits))
        case .found(let serverId, let record):
            // If the record could not be fetched, another user may have edited it.
            let field = level.modificationDateField
            let date = record.map { $0.members?.first { $0.key == field }?.value } ?? never
            return .adopt(serverId, date: date)
        case .foundOther(let serverId, _, _, _) where identity != .externalId:
            // The creation reached the server, and the server's current version is newer.
            return .adopt(serverId, date: never)
        case .foundOther(let serverId, _, _, _) where isDeleted && !detectsConflicts:
            // The deletion would be sent, whatever the server's record contains.
            return .wait(.perhapsAnother(serverId, with: "its external ID"))
        case .foundOther(let serverId, _, let fields, let unsent) where !unsent.isEmpty && !isDeleted:
            // As an update, the entry would become clean although the unsent fields still differ. Sent again as a
            // creation, it may contain a parent's ID, which servers reject for an existing record every time.
            return .wait(.notUpdatable(serverId, fields, unsent: unsent))
        case .foundOther(let serverId, let record, _, _): return .update(serverId, record)
        case .unknown(let failure): return .wait(failure)
        case .absent where mayAppearLater: return .wait(.notYetFound)
        case .absent, .sentAgain: return .send
        }
    }
}

extension PushFailure {
    /// Returns the failure of a creation whose outcome the target cannot determine.
    static func cannotLookUp(because error: (any Error)? = nil) -> PushFailure {
        let reason =
            error.map { "it cannot be looked up: \(SoupError(wrapping: $0).message)" }
            ?? "the target cannot look the record up"
        return PushFailure(
            code: "UNKNOWN_OUTCOME",
            message:
                "the response to this creation was lost, and \(reason): check whether the server has the record, "
                + "then resolve the entry as created or as to be sent again")
    }

    /// The failure of a creation that the server does not have yet, but may still commit.
    fileprivate static let notYetFound = PushFailure(
        code: "UNKNOWN_OUTCOME",
        message:
            "the response to this creation was lost, and the server has no record with its key yet; it is looked up "
            + "again, and sent again if the record does not appear within twenty minutes", retry: .inLaterRun)

    /// Returns the failure of a creation whose external ID or key may be that of another record.
    fileprivate static func perhapsAnother(_ serverId: String, with value: String) -> PushFailure {
        PushFailure(
            code: "UNKNOWN_OUTCOME",
            message:
                "the response to this creation was lost, and \(serverId), which has \(value), may be another record, so it is "
                + "not changed: resolve the entry as created with that ID if it is the same record, or as to be sent "
                + "again")
    }

    /// Returns the failure of a creation that the server has, and that was edited since in fields that updates do not
    /// send.
    fileprivate static func editedAfterwards(_ serverId: String, _ fields: [String]) -> PushFailure {
        PushFailure(
            code: "UNKNOWN_OUTCOME",
            message:
                "the server has this record as \(serverId), but \(fields.joined(separator: ", ")) was edited before its "
                + "response could be looked up, and updates do not send that: add it to the fields of updates, set the "
                + "former value, or resolve the entry as created with that ID, and the edit stays on this device",
            fields: fields)
    }

    /// Returns the failure of a creation whose external ID belongs to a record that differs in fields that updates do
    /// not send.
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
                "the response to this creation was lost, and \(serverId), which has its external ID, has other values in "
                + "\(unsent.joined(separator: ", ")), which updates do not send\(others): resolve the entry as created with "
                + "that ID to keep the server's record, which a sync down fetches, or as to be sent again to replace it",
            fields: fields)
    }
}
