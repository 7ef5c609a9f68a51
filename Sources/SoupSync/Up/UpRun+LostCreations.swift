// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

extension UpRun {
    /// Resolves the creations that an earlier run sent without receiving a response.
    ///
    /// Creations that the server has get their IDs. Creations that it does not have are pushed like any other. The
    /// remaining ones have an unknown outcome and are not sent.
    ///
    /// - Returns: the outcomes of the creations that were resolved or stay unknown.
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
            // In the meantime, the app may have deleted an entry, or the user may have resolved it.
            let marked = Set(try InFlightCreates.marks(of: layout.soups, in: writer).map(\.key))
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

    /// Returns the marked entries as they were sent.
    ///
    /// An entry that is no longer a creation has the kind `none`, and its mark is ignored.
    private static func lostCreations(
        _ layout: RecordLayout, _ target: any SyncUpTarget, _ reader: any StoreReader
    ) throws -> [LostCreation] {
        let unitReader = UnitReader(layout: layout, blocked: [], wantsBystanders: false)
        return try InFlightCreates.marks(of: layout.soups, in: reader).compactMap { mark in
            guard let part = layout.parts.firstIndex(where: { $0.soup == mark.key.soup }) else { return nil }
            let entry = try reader.retrieve([mark.key.id], from: mark.key.soup).first
            let isCreation = entry?.flags.local == true && entry?.flags.created == true
            let shown =
                entry ?? SoupEntry(id: mark.key.id, lastModified: 0, stored: JSONText(trusted: Array("{}".utf8)[...]))
            var member = unitReader.member(shown, isCreation ? .create : .none, part: part, isDirty: isCreation)
            let isUnchanged = member.version == mark.version || member.record == mark.record
            // The sent version is the one in the mark. If the entry was edited later, its version differs.
            member.version = mark.version
            member.record = mark.record ?? member.record
            // If the sent record is unknown and the entry was edited, a look-up would use values that the server has
            // never received.
            let isKnown = isUnchanged || mark.record != nil
            // A creation is not repeatable if it would be sent in another way than before, by another sync up of the
            // soup or by one that was redefined.
            let isIdempotent = target.isIdempotent(member.change())
            let isDeleted = entry?.flags.deleted ?? false
            // A creation that is to be deleted is not sent again either: if it is not found, nothing is sent to the
            // server.
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

    /// Fetches the records that were found, and checks whether they contain the values that were sent.
    ///
    /// Another user may have edited them since. Also, an external ID may have existed before: such a record never had
    /// the values of this device.
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
        // Updates may send other fields than creations.
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

    /// The result of fetching a record from the server.
    private enum Look {
        case record(JSONText)
        /// The record has been deleted, or the target cannot fetch it.
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

    /// Returns the members whose values on the server differ from those sent; `nil` if the record contains none of
    /// them.
    private func differences(_ record: JSONText, _ change: RecordChange) -> [String]? {
        let part = layout.parts[change.part]
        // On the server, the temporary ID of a parent has been replaced.
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

    /// Returns a string as servers store it that trim strings and treat empty ones as null; `nil` for other values.
    private static func kept(_ value: JSONText?) -> Substring? {
        guard value != .null else { return "" }
        guard let text = value?.string else { return nil }
        let trimmed = text.drop { $0.isWhitespace }
        return trimmed.lastIndex { !$0.isWhitespace }.map { trimmed[...$0] } ?? ""
    }

    /// Looks up a batch; if the target cannot look it up as a whole, looks up each member separately.
    ///
    /// - Parameter untold: the answer for members that the target cannot look up.
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
