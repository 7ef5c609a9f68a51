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
                if let answer = answers[lost.member.key] { try settling.settle(lost, answer) }
            }
            try settling.settleNotes(of: found.map(\.member.key))
            return (settling.outcomes, settling.lost)
        }
        blocked = lost
        return outcomes
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
            let isIdempotent = target.isIdempotent(member.change())
            let isDeleted = entry?.flags.deleted ?? false
            // Nor what is to be deleted: when it is not found the server is to hear nothing of it.
            let isRepeatable = mark.isRepeatable && isUnchanged && isIdempotent && !isDeleted
            let remedy = isRepeatable ? LostCreation.Remedy.lookUpOrSendAgain : isKnown ? .lookUp : .wait
            return LostCreation(
                mark: mark, member: member, isDeleted: isDeleted, mayBeAnothers: isIdempotent,
                remedy: isCreation ? remedy : nil)
        }
    }

    private func lookUp(_ found: [LostCreation]) async throws -> [EntryKey: LostCreation.Answer] {
        var answers: [EntryKey: LostCreation.Answer] = [:]
        for lost in found where lost.remedy == .wait { answers[lost.member.key] = .unknown(.cannotLookUp()) }
        for remedy in [LostCreation.Remedy.lookUp, .lookUpOrSendAgain] {
            for slice in slices(found.filter { $0.remedy == remedy }.map(\.member)) {
                try Task.checkCancellation()
                do {
                    for (member, answer) in zip(slice, try await self.answers(for: slice)) {
                        answers[member.key] = answer
                    }
                } catch  where !Self.endsRun(error) && (error as? SoupError)?.code != "badTarget" {
                    services.logger.warning("sync \(row.state.id): lost creations cannot be looked up: \(error)")
                    guard remedy == .lookUp else { continue }
                    for member in slice { answers[member.key] = .unknown(.cannotLookUp(because: error)) }
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

    /// Looks at the records that were found: whether they hold what was sent.
    ///
    /// Somebody may have edited them since. And an external id is not always a new one: a record that was there before
    /// has never had the values of this device.
    private func compare(
        _ found: [LostCreation], _ answers: [EntryKey: LostCreation.Answer]
    ) async throws -> [EntryKey: LostCreation.Answer] {
        var answers = answers
        var changes: [RecordChange] = []
        for lost in found {
            guard case .found(let id, _)? = answers[lost.member.key] else { continue }
            var change = lost.member.change()
            change.serverId = id
            changes.append(change)
        }
        let mayBeAnothers = Set(found.filter { $0.mayBeAnothers && !$0.isDeleted }.map(\.member.key))
        var others: [(change: RecordChange, id: String, record: JSONText, fields: [String])] = []
        for (change, record) in zip(changes, try await records(of: changes)) {
            guard let id = change.serverId, let record, let fields = differences(record, change) else { continue }
            answers[change.key] = fields.isEmpty ? .found(id, record) : .foundOther(id, record)
            if !fields.isEmpty, mayBeAnothers.contains(change.key) { others.append((change, id, record, fields)) }
        }
        // What updates send need not be what creations do.
        let updates = others.map { other in
            var change = other.change
            change.kind = .update
            return change
        }
        for (other, record) in zip(others, try await records(of: updates)) {
            guard let told = record?.members.map({ Set($0.map(\.key)) }) else { continue }
            let unsent = other.fields.filter { !told.contains($0) }
            answers[other.change.key] = .foundOther(other.id, other.record, unsent: unsent)
        }
        for lost in found where lost.remedy == .lookUpOrSendAgain {
            switch answers[lost.member.key] {
            // What nobody can look at is sent again.
            case .found(_, nil)?, .unknown?: answers[lost.member.key] = .absent
            default: break
            }
        }
        return answers
    }

    /// The server's records; nil for those that cannot be fetched.
    private func records(of changes: [RecordChange]) async throws -> [JSONText?] {
        var records: [JSONText?] = []
        for slice in slices(changes) {
            try Task.checkCancellation()
            var fetched: [JSONText?] = []
            do {
                fetched = try await target.serverRecords(of: slice, in: context)
            } catch  where !Self.endsRun(error) {
                services.logger.info("sync \(row.state.id): found creations cannot be looked at: \(error)")
            }
            records += fetched.count == slice.count ? fetched : slice.map { _ in nil }
        }
        return records
    }

    /// The members that the server's record holds with other values than were sent; nil when it tells none of them.
    private func differences(_ record: JSONText, _ change: RecordChange) -> [String]? {
        let part = layout.parts[change.part]
        // The temporary id of a parent has become another one there.
        let link = part.parentIdField.flatMap {
            (change.record[JSONPath($0)]?.idText.map(LocalId.isLocal) ?? false) ? $0 : nil
        }
        let skipped = EntryMerge.serverMembers(part) + [link].compactMap { $0 }
        let sent = Set((change.record.members ?? []).map(\.key)).subtracting(skipped)
        guard record.members?.contains(where: { sent.contains($0.key) }) ?? false else { return nil }
        return RecordMerge(base: nil, local: change.record, remote: record, serverMembers: skipped).conflicts
    }

    /// Asks for a batch, and one by one when the target cannot look up all of it: perhaps it can some.
    private func answers(for members: [PushMember]) async throws -> [LostCreation.Answer] {
        do {
            let ids = try await target.findCreated(members.map { $0.change() }, in: context)
            guard ids.count == members.count else {
                throw SoupError(
                    "badTarget",
                    "target \"\(type(of: target).name)\" gave \(ids.count) ids for \(members.count) creations")
            }
            return ids.map { id in id.map { .found($0, nil) } ?? .absent }
        } catch let error as SoupError where error.code == .notSupported {
            guard members.count > 1 else { return [.unknown(.cannotLookUp())] }
            var answers: [LostCreation.Answer] = []
            for member in members { answers += try await self.answers(for: [member]) }
            return answers
        }
    }
}

extension RecordChange {
    fileprivate var key: EntryKey { EntryKey(soup: soup, id: entryId) }
}
