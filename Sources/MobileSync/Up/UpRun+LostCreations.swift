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
        sentAgain = Set(found.map(\.member.key).filter { if case .sentAgain? = answers[$0] { true } else { false } })
        let sentAgain = sentAgain
        let mode = mode
        let keepsBases = services.backend.capabilities.contains(.syncedCopies)
        let families = try await families()
        let (outcomes, lost) = try await services.backend.write { writer in
            var settling = OutcomeWriter(
                layout: layout, mergeMode: mode, writer: writer, recreatedBefore: [],
                unrepeatable: Set(found.map(\.member.key)))
            settling.keepsBases = keepsBases
            settling.families = families
            settling.sentAgain = sentAgain
            // Meanwhile the app may have deleted an entry, and somebody may have settled it by hand.
            let marked = Set(try FlightLog.marks(of: layout.soups, in: writer).map(\.key))
            for var lost in found where marked.contains(lost.member.key) {
                guard let answer = answers[lost.member.key] else { continue }
                let entry = try writer.retrieve([lost.member.key.id], from: lost.member.key.soup).first
                lost.isDeleted = entry?.flags.deleted ?? false
                try settling.settle(lost, answer)
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
            let untold = remedy == .lookUp ? LostCreation.Answer.unknown(.cannotLookUp()) : .sentAgain
            for slice in slices(found.filter { $0.remedy == remedy }.map(\.member)) {
                try Task.checkCancellation()
                do {
                    for (member, answer) in zip(slice, try await self.answers(for: slice, untold)) {
                        answers[member.key] = answer
                    }
                } catch  where !Self.endsRun(error) && (error as? SoupError)?.code != "badTarget" {
                    services.logger.warning("sync \(row.state.id): lost creations cannot be looked up: \(error)")
                    for member in slice {
                        answers[member.key] = .unknown(.cannotLookUp(because: services.masked(error)))
                    }
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
        let mayBeAnothers = Set(found.filter(\.mayBeAnothers).map(\.member.key))
        var others: [(change: RecordChange, id: String, record: JSONText, fields: [String])] = []
        for (change, look) in zip(changes, try await look(at: changes)) {
            guard let id = change.serverId else { continue }
            switch look {
            case .failed(let error): answers[change.key] = .unknown(.cannotLookUp(because: services.masked(error)))
            case .nothing: break
            case .record(let record):
                guard let fields = differences(record, change) else { break }
                answers[change.key] = fields.isEmpty ? .found(id, record) : .foundOther(id, record, fields: fields)
                if !fields.isEmpty, mayBeAnothers.contains(change.key) { others.append((change, id, record, fields)) }
            }
        }
        // What updates send need not be what creations do.
        let updates = others.map { other in
            var change = other.change
            change.kind = .update
            return change
        }
        for (other, look) in zip(others, try await look(at: updates)) {
            switch look {
            case .failed(let error):
                answers[other.change.key] = .unknown(.cannotLookUp(because: services.masked(error)))
            case .nothing: break
            case .record(let record):
                let told = Set((record.members ?? []).map(\.key))
                let unsent = other.fields.filter { !told.contains($0) }
                answers[other.change.key] = .foundOther(
                    other.id, other.record, fields: other.fields, unsent: unsent)
            }
        }
        for lost in found where lost.remedy == .lookUpOrSendAgain {
            if case .found(_, nil)? = answers[lost.member.key] { answers[lost.member.key] = .sentAgain }
        }
        return answers
    }

    /// What a look at a record of the server showed.
    private enum Look {
        case record(JSONText)
        /// It is gone by now, or the target cannot fetch it.
        case nothing
        case failed(any Error)
    }

    private func look(at changes: [RecordChange]) async throws -> [Look] {
        var looks: [Look] = []
        for slice in slices(changes) {
            try Task.checkCancellation()
            do {
                let records = try await target.serverRecords(of: slice, in: context)
                guard records.count == slice.count else {
                    throw SoupError(
                        "badTarget",
                        "target \"\(type(of: target).name)\" gave \(records.count) records for \(slice.count) changes")
                }
                looks += records.map { $0.map(Look.record) ?? .nothing }
            } catch let error as SoupError where error.code == .notSupported {
                looks += slice.map { _ in .nothing }
            } catch  where !Self.endsRun(error) {
                services.logger.warning("sync \(row.state.id): found creations cannot be looked at: \(error)")
                looks += slice.map { _ in .failed(error) }
            }
        }
        return looks
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
        let conflicts = RecordMerge(base: nil, local: change.record, remote: record, serverMembers: skipped).conflicts
        return conflicts.filter { name in
            let values = [change.record, record].map { $0.members?.first { $0.key == name }?.value }
            return Self.kept(values[0]) == nil || Self.kept(values[0]) != Self.kept(values[1])
        }
    }

    /// A text as servers keep it that trim texts, and take an empty one for null; nil for other values.
    private static func kept(_ value: JSONText?) -> Substring? {
        guard value != .null else { return "" }
        guard let text = value?.string else { return nil }
        let trimmed = text.drop { $0.isWhitespace }
        return trimmed.lastIndex { !$0.isWhitespace }.map { trimmed[...$0] } ?? ""
    }

    /// Asks for a batch, and one by one when the target cannot look up all of it: perhaps it can some.
    ///
    /// - Parameter untold: the answer for those that it cannot.
    private func answers(
        for members: [PushMember], _ untold: LostCreation.Answer
    ) async throws -> [LostCreation.Answer] {
        do {
            let ids = try await target.findCreated(members.map { $0.change() }, in: context)
            guard ids.count == members.count else {
                throw SoupError(
                    "badTarget",
                    "target \"\(type(of: target).name)\" gave \(ids.count) ids for \(members.count) creations")
            }
            return ids.map { id in
                guard let id else { return .absent }
                return ServerId.isPossible(id) ? .found(id, nil) : .unknown(.noUsableId(id))
            }
        } catch let error as SoupError where error.code == .notSupported {
            guard members.count > 1 else { return [untold] }
            var answers: [LostCreation.Answer] = []
            for member in members { answers += try await self.answers(for: [member], untold) }
            return answers
        }
    }
}

extension RecordChange {
    fileprivate var key: EntryKey { EntryKey(soup: soup, id: entryId) }
}
