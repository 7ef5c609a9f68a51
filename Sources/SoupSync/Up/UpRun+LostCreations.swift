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
    mutating func resolveLostCreations() async throws -> [RecordOutcome] {
        let (layout, plan, now) = (plan.layout, plan, services.clock.milliseconds)
        let found = try await services.backend.read { try Self.lostCreations(plan, at: now, in: $0) }
        guard !found.isEmpty else { return [] }
        try services.checkRequestLimit(of: plan.target.connectionName)
        let answers = try await compare(found, try await lookUp(found))
        runState.sentAgain = Set(
            found.map(\.entry.key).filter { if case .sentAgain? = answers[$0] { true } else { false } })
        let keys = found.map(\.entry.key)
        return try await transact(creations: keys, isBatch: false) { writer in
            writer.unrepeatable = Set(keys)
            // If the clock was set back since, the time to wait begins again.
            for lost in found { writer.times[lost.entry.key] = lost.mark.time.map { min($0, now) } }
            // In the meantime, the app may have deleted an entry, or the user may have resolved it.
            let marked = Set(try InFlightCreates.marks(of: layout.soups, in: writer.writer).map(\.key))
            for var lost in found where marked.contains(lost.entry.key) {
                guard let answer = answers[lost.entry.key] else { continue }
                lost.isDeleted = try writer.entries.entry(lost.entry.key)?.flags.deleted ?? false
                try writer.resolve(lost, answer)
            }
        }.changes.outcomes
    }

    /// Returns the marked entries as they were sent.
    ///
    /// An entry that is no longer a creation has the kind `none`, and its mark is ignored.
    private static func lostCreations(
        _ plan: PushPlan, at now: Int64, in reader: any StoreReader
    ) throws -> [LostCreation] {
        let (layout, target) = (plan.layout, plan.target)
        let trees = TreeReader(layout: layout)
        return try InFlightCreates.marks(of: layout.soups, in: reader).compactMap { mark in
            guard let level = layout.levels.firstIndex(where: { $0.soup == mark.key.soup }) else { return nil }
            let entry = try reader.retrieve([mark.key.id], from: mark.key.soup).first
            let isCreation = entry?.flags.local == true && entry?.flags.created == true
            let shown =
                entry ?? SoupEntry(id: mark.key.id, version: 0, stored: JSONText(trusted: Array("{}".utf8)[...]))
            var sent = trees.record(shown, isCreation ? .create : .none, level: level, isDirty: isCreation)
            let isUnchanged = sent.version == mark.version || sent.record == mark.record
            // The sent version is the one in the mark. If the entry was edited later, its version differs.
            sent.version = mark.version
            sent.record = mark.record ?? sent.record
            sent.dropped = mark.dropped
            // If the sent record is unknown and the entry was edited, a look-up would use values that the server has
            // never received.
            let isKnown = isUnchanged || mark.record != nil
            // A creation is not repeatable if it would be sent in another way than before, by another sync up of the
            // soup or by one that was redefined.
            let isIdempotent = target.isIdempotent(sent.change())
            let identity = plan.identity(sent)
            let isDeleted = entry?.flags.deleted ?? false
            // A creation that is to be deleted is not sent again either: if it is not found, nothing is sent to the
            // server.
            let isRepeatable = mark.isRepeatable && isUnchanged && isIdempotent && !isDeleted
            let handling = isRepeatable ? LostCreation.Handling.lookUpOrSendAgain : isKnown ? .lookUp : .wait
            return LostCreation(
                mark: mark, entry: sent, isDeleted: isDeleted, identity: identity,
                mayAppearLater: (identity == .key || identity == .foreignKey)
                    && mark.time.map { now - $0 < LostCreation.longestDelay } ?? false,
                unsentEdits: isCreation ? plan.unsentEdits(from: sent, to: shown, besides: mark.dropped) : [],
                handling: isCreation ? handling : nil)
        }
    }

    private func lookUp(_ found: [LostCreation]) async throws -> [EntryKey: LostCreation.Answer] {
        var answers: [EntryKey: LostCreation.Answer] = [:]
        for lost in found where lost.handling == .wait { answers[lost.entry.key] = .unknown(.cannotLookUp()) }
        for handling in [LostCreation.Handling.lookUp, .lookUpOrSendAgain] {
            let fallback = handling == .lookUp ? LostCreation.Answer.unknown(.cannotLookUp()) : .sentAgain
            var rest = slices(found.filter { $0.handling == handling }.map(\.entry))[...]
            while let slice = rest.popFirst() {
                try Task.checkCancellation()
                do {
                    for (record, answer) in zip(slice, try await self.answers(for: slice, or: fallback)) {
                        answers[record.key] = answer
                    }
                } catch let error as SoupError where error.code == .notUnique && slice.count > 1 {
                    // Only some of the creations are concerned.
                    rest += slice.map { [$0] }
                } catch  where !ServerQuestions.endsRun(error) && (error as? SoupError)?.code != .badTarget {
                    services.logger.warning("sync \(row.state.id): lost creations cannot be looked up: \(error)")
                    for record in slice {
                        answers[record.key] = .unknown(.cannotLookUp(because: services.masked(error)))
                    }
                }
            }
        }
        return answers
    }

    private func slices<Element>(_ elements: [Element]) -> [[Element]] {
        stride(from: 0, to: elements.count, by: plan.batchSize).map {
            Array(elements[$0..<min($0 + plan.batchSize, elements.count)])
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
            guard case .found(let id, _)? = answers[lost.entry.key] else { continue }
            var change = lost.entry.change()
            change.serverId = id
            changes.append(change)
        }
        let mayBeOtherRecord = Set(found.filter { $0.identity == .externalId }.map(\.entry.key))
        var others: [OtherRecord] = []
        for (change, fetched) in zip(changes, try await fetch(changes)) {
            guard let id = change.serverId else { continue }
            switch fetched {
            case .failed(let error): answers[change.key] = .unknown(.cannotLookUp(because: services.masked(error)))
            case .missing, .unsupported: break
            case .record(let record):
                let version = LaterVersion(record, after: change.record, plan.layout.levels[change.level])
                guard let fields = version.differences else { break }
                answers[change.key] = fields.isEmpty ? .found(id, record) : .foundOther(id, record, fields: fields)
                if !fields.isEmpty, mayBeOtherRecord.contains(change.key) {
                    others.append(OtherRecord(change: change, id: id, record: record, fields: fields))
                }
            }
        }
        try await addUnsentFields(of: others, to: &answers)
        try await addUpdateFields(of: changes, to: &answers)
        for lost in found where lost.handling == .lookUpOrSendAgain {
            if case .found(_, nil)? = answers[lost.entry.key] { answers[lost.entry.key] = .sentAgain }
        }
        return answers
    }

    /// A found record with other values than those sent, which may be a different record.
    private struct OtherRecord {
        var change: RecordChange
        var id: String
        var record: JSONText
        /// The members with other values.
        var fields: [String]
    }

    /// Adds the different members that updates do not send to the answers about records.
    ///
    /// Updates may send other fields than creations.
    private func addUnsentFields(
        of others: [OtherRecord], to answers: inout [EntryKey: LostCreation.Answer]
    ) async throws {
        for (other, fetched) in zip(others, try await fetch(others.map(\.change.asUpdate))) {
            switch fetched {
            case .failed(let error):
                answers[other.change.key] = .unknown(.cannotLookUp(because: services.masked(error)))
            case .missing, .unsupported: break
            case .record(let record):
                let sendable = Set((record.members ?? []).map(\.key))
                let unsent = other.fields.filter { !sendable.contains($0) }
                answers[other.change.key] = .foundOther(
                    other.id, other.record, fields: other.fields, unsent: unsent)
            }
        }
    }

    /// Adds the members that only updates send to the records in the answers that have the values that were sent.
    private func addUpdateFields(
        of creations: [RecordChange], to answers: inout [EntryKey: LostCreation.Answer]
    ) async throws {
        let equal = creations.filter { creation in
            guard case .found(_, .some)? = answers[creation.key] else { return false }
            return plan.updatesSendMore(level: creation.level)
        }
        for (creation, fetched) in zip(equal, try await fetch(equal.map(\.asUpdate))) {
            guard case .found(let id, let first?)? = answers[creation.key] else { continue }
            switch fetched {
            case .failed(let error): answers[creation.key] = .unknown(.cannotLookUp(because: services.masked(error)))
            case .missing, .unsupported: answers[creation.key] = .found(id, nil)
            // Another user may change the record between the two requests, so the earlier date counts.
            case .record(let later): answers[creation.key] = .found(id, RecordMerge.overlay(first, over: later))
            }
        }
    }

    func fetch(_ changes: [RecordChange]) async throws -> [FetchedRecord] {
        var fetched: [FetchedRecord] = []
        for slice in slices(changes) {
            try Task.checkCancellation()
            fetched += try await server.records(of: slice)
        }
        if let error = fetched.lazy.compactMap(\.error).first {
            services.logger.warning("sync \(row.state.id): found creations cannot be fetched: \(error)")
        }
        return fetched
    }

    /// Looks up creations; if the target cannot look them up together, looks up each one separately.
    ///
    /// - Parameter fallback: the answer for creations that the target cannot look up.
    private func answers(
        for records: [PushRecord], or fallback: LostCreation.Answer
    ) async throws -> [LostCreation.Answer] {
        guard let ids = try await server.idsOfCreated(records.map { $0.change() }) else {
            guard records.count > 1 else { return [fallback] }
            var answers: [LostCreation.Answer] = []
            for record in records { answers += try await self.answers(for: [record], or: fallback) }
            return answers
        }
        return ids.map { id in
            guard let id else { return .absent }
            return ServerId.isPossible(id) ? .found(id, nil) : .unknown(.noUsableId(id))
        }
    }
}

extension RecordChange {
    fileprivate var key: EntryKey { EntryKey(soup: soup, id: entryId) }

    /// The change with which a target fetches the fields that updates send.
    var asUpdate: RecordChange {
        var change = self
        change.kind = .update
        return change
    }
}

extension PushPlan {
    /// Returns the members in which an entry differs from its record as it was created, and that updates do not send.
    ///
    /// - Parameter dropped: the members of the entry that were left out of the creation for ever.
    fileprivate func unsentEdits(
        from sent: PushRecord, to entry: SoupEntry, besides dropped: Set<String>
    ) -> [String] {
        guard let updated = sentMembers[sent.level][.update] else { return [] }
        func values(_ record: JSONText?) -> [String: JSONValue] {
            Dictionary(valuesToSend(sent, as: record).map { ($0.key, $0.value.value) }) { $1 }
        }
        let (before, now) = (values(nil), values(entry.recordForServer))
        let key = target.clientKeyField(level: sent.level)
        return Set(before.keys).union(now.keys).subtracting(updated).subtracting(dropped).filter { name in
            // The engine itself sets keys, and replaces temporary IDs.
            let isReference = before[name]?.stringValue.map(LocalId.isLocal) ?? false
            return name != key && !isReference && (before[name] ?? .null) != (now[name] ?? .null)
        }.sorted()
    }
}
