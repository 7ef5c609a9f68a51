// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

extension UpRun {
    /// Finds out what became of the creations that an earlier run sent and heard nothing of.
    ///
    /// Those that the server has get their ids; those that it has not are pushed like any other; of the rest nobody
    /// knows, and they are not sent.
    ///
    /// - Returns: the outcomes of those that are settled, or stay unknown.
    mutating func settleLostCreations() async throws -> [RecordOutcome] {
        let layout = layout
        let target = target
        let found = try await services.backend.read { try Self.lostCreations(layout, target, $0) }
        guard !found.isEmpty else { return [] }
        let answers = try await compare(found, try await lookUp(found))
        let mode = mode
        let keepsBases = services.backend.capabilities.contains(.syncedCopies)
        let families = try await families()
        let (outcomes, lost) = try await services.backend.write { writer in
            var settling = OutcomeWriter(
                layout: layout, mergeMode: mode, writer: writer, recreatedBefore: [],
                unrepeatable: Set(found.map(\.member.key)))
            settling.keepsBases = keepsBases
            settling.families = families
            for lost in found {
                let (mark, member) = (lost.mark, settling.followed(lost.member))
                switch answers[member.key] {
                case .found(let serverId)?: try settling.settleFound(member, serverId)
                case .foundOther(let serverId)?:
                    settling.keepsBases = keepsBases && mode == .overwrite
                    try settling.settleFoundOther(member, serverId)
                    settling.keepsBases = keepsBases
                case .unknown(let failure)?:
                    try settling.keepUnknown(member, failure, wasNoted: mark.isLost && !mark.isRepeatable)
                case .absent?, nil: break
                }
            }
            try settling.settleNotes(of: found.map(\.member.key))
            return (settling.outcomes, settling.lost)
        }
        blocked = lost
        return outcomes
    }

    private enum Answer: Sendable {
        case found(String)
        /// Under its external id the server has a record with other values: it was edited since, or was there before.
        case foundOther(String)
        case absent
        case unknown(PushFailure)
    }

    /// A marked entry.
    private struct LostCreation: Sendable {
        var mark: FlightLog.Mark
        var member: PushMember
        /// What is to be done about a creation; nil for what is none any more.
        var remedy: Remedy?
    }

    private enum Remedy: Sendable {
        /// The server is asked for it, and it is sent again as it was when the server has it not, or cannot be asked:
        /// that makes no second record. Sent again to a server that has it, it would replace what others changed since,
        /// and name a master, which updates must not.
        case lookUpOrSendAgain
        /// The server is asked for what was sent.
        case lookUp
        /// Nobody knows what was sent.
        case wait
    }

    /// The marked entries, as they were sent; of kind `none` when they are no creations any more and the mark means
    /// nothing.
    private static func lostCreations(
        _ layout: RecordLayout, _ target: any SyncUpTarget, _ reader: any StoreReader
    ) throws -> [LostCreation] {
        let unitReader = UnitReader(layout: layout, blocked: [], wantsBystanders: false)
        return try FlightLog.marks(of: layout.soups, in: reader).compactMap { mark in
            guard let part = layout.parts.firstIndex(where: { $0.soup == mark.key.soup }) else { return nil }
            let entry = try reader.retrieve([mark.key.id], from: mark.key.soup).first
            let isCreation = entry?.flags.local == true && entry?.flags.created == true
            let shown =
                entry ?? SoupEntry(id: mark.key.id, lastModified: 0, stored: JSONText(trusted: Array("{}".utf8)[...]))
            var member = unitReader.member(shown, isCreation ? .create : .none, part: part, isDirty: isCreation)
            let isUnchanged = member.version == mark.version || member.record == mark.record
            // What was sent is what the entry held then; a later edit shows as another version.
            member.version = mark.version
            member.record = mark.record ?? member.record
            // Without what was sent, an edited entry would be looked up by what the server never saw.
            let isKnown = isUnchanged || mark.record != nil
            // Not what would be sent as something else now, or in another way than it was: by another sync up of the
            // soup, or by one that was defined anew.
            let isRepeatable = mark.isRepeatable && isUnchanged && target.isIdempotent(member.change())
            let remedy = isRepeatable ? Remedy.lookUpOrSendAgain : isKnown ? .lookUp : .wait
            return LostCreation(mark: mark, member: member, remedy: isCreation ? remedy : nil)
        }
    }

    private func lookUp(_ found: [LostCreation]) async throws -> [EntryKey: Answer] {
        var answers: [EntryKey: Answer] = [:]
        for lost in found where lost.remedy == .wait { answers[lost.member.key] = .unknown(.cannotLookUp) }
        for remedy in [Remedy.lookUp, .lookUpOrSendAgain] {
            for slice in slices(found.filter { $0.remedy == remedy }.map(\.member)) {
                try Task.checkCancellation()
                do {
                    for (member, answer) in zip(slice, try await self.answers(for: slice)) {
                        answers[member.key] = answer
                    }
                } catch  where remedy == .lookUpOrSendAgain && !Self.endsRun(error) {
                    services.logger.warning("sync \(row.state.id): lost creations cannot be looked up: \(error)")
                }
            }
        }
        return answers
    }

    private func slices<Element>(_ elements: [Element]) -> [[Element]] {
        stride(from: 0, to: elements.count, by: batchSize).map {
            Array(elements[$0..<min($0 + batchSize, elements.count)])
        }
    }

    /// Looks at the records that were found of what could be sent again: whether they hold what was sent.
    ///
    /// An external id is not always a new one: a record that was there before has never had the values of this device.
    private func compare(
        _ found: [LostCreation], _ answers: [EntryKey: Answer]
    ) async throws -> [EntryKey: Answer] {
        var answers = answers
        var changes: [RecordChange] = []
        for lost in found where lost.remedy == .lookUpOrSendAgain {
            let member = lost.member
            switch answers[member.key] {
            case .found(let id)?:
                changes.append(
                    RecordChange(
                        .update, soup: member.key.soup, entryId: member.key.id, serverId: id, record: member.record,
                        part: member.part))
            case .unknown?: answers[member.key] = .absent
            default: break
            }
        }
        for slice in slices(changes) {
            try Task.checkCancellation()
            var records: [JSONText?] = []
            do {
                records = try await target.serverRecords(of: slice, in: context)
            } catch  where !Self.endsRun(error) {
                services.logger.info("sync \(row.state.id): found creations cannot be looked at: \(error)")
            }
            for (position, change) in slice.enumerated() {
                let key = EntryKey(soup: change.soup, id: change.entryId)
                guard records.count == slice.count, let record = records[position], let id = change.serverId else {
                    // What nobody can look at is sent again.
                    answers[key] = .absent
                    continue
                }
                if !holds(record, change) { answers[key] = .foundOther(id) }
            }
        }
        return answers
    }

    /// Whether the server's record holds what was sent, as far as it was asked for.
    private func holds(_ record: JSONText, _ change: RecordChange) -> Bool {
        let part = layout.parts[change.part]
        // The temporary id of a parent has become another one there.
        let link = part.parentIdField.flatMap {
            (change.record[JSONPath($0)]?.idText.map(LocalId.isLocal) ?? false) ? $0 : nil
        }
        let merge = RecordMerge(
            base: nil, local: change.record, remote: record,
            serverMembers: EntryMerge.serverMembers(part) + [link].compactMap { $0 })
        return merge.conflicts.isEmpty
    }

    /// Asks for a batch, and one by one when the target cannot look up all of it: perhaps it can some.
    private func answers(for members: [PushMember]) async throws -> [Answer] {
        do {
            let ids = try await target.findCreated(members.map { $0.change() }, in: context)
            guard ids.count == members.count else {
                throw SoupError(
                    "badTarget",
                    "target \"\(type(of: target).name)\" gave \(ids.count) ids for \(members.count) creations")
            }
            return ids.map { id in id.map { .found($0) } ?? .absent }
        } catch let error as SoupError where error.code == .notSupported {
            guard members.count > 1 else { return [.unknown(.cannotLookUp)] }
            var answers: [Answer] = []
            for member in members { answers += try await self.answers(for: [member]) }
            return answers
        }
    }
}

extension PushFailure {
    /// Nobody can find out for us what became of a creation.
    static let cannotLookUp = PushFailure(
        code: "UNKNOWN_OUTCOME",
        message:
            "the answer to this creation was lost, and the target cannot look the record up: see whether the server "
            + "has it, then resolve it as created or as to be sent again")
}

extension OutcomeWriter {
    /// Settles a creation that the server turned out to have.
    mutating func settleFound(_ member: PushMember, _ serverId: String) throws {
        guard try adopt(member, serverId, Stamp().setting(EntryField.lastError, nil)) else { return }
        arrive(member.key)
        try repoint(member, to: serverId)
        tell(member, .ok, nil, id: serverId)
    }

    /// Makes an update of a creation whose external id belongs to a record with other values.
    ///
    /// It started from none of the server's versions, and is older than any: LEAVE_IF_CHANGED and MERGE leave it to
    /// somebody to decide, OVERWRITE sends it.
    mutating func settleFoundOther(_ member: PushMember, _ serverId: String) throws {
        var member = member
        // Of another version than the entry, so that its changes stay.
        member.version = -1
        let field = layout.parts[member.part].modificationDateField
        let news = Stamp().setting(EntryField.lastError, nil).setting(field, .string(Timestamp.format(0)))
        guard try adopt(member, serverId, news) else { return }
        try repoint(member, to: serverId)
    }

    /// Keeps a creation back whose fate remains unknown.
    ///
    /// The note in the entry is written again when an edit of the app has replaced it.
    mutating func keepUnknown(_ member: PushMember, _ failure: PushFailure, wasNoted: Bool) throws {
        let entry = try writer.retrieve([member.key.id], from: member.key.soup).first
        if wasNoted, entry?[JSONPath(EntryField.lastError)]?.stringValue == "\(failure.json)" {
            hold(member.key)
            tell(member, .unknown, failure)
        } else {
            try lose(member, failure)
        }
    }
}
