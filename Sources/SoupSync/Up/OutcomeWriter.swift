// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Applies the outcomes of a push to the store, inside one transaction.
///
/// Every change of an entry is a compare-and-set with the version that was pushed, so that an edit made during the push
/// is kept and stays dirty.
struct OutcomeWriter {
    let layout: RecordLayout
    let mergeMode: MergeMode
    let writer: any StoreWriter
    /// Entries that this run has already pushed again as creations; this happens at most once per entry.
    let recreatedBefore: Set<EntryKey>
    /// Entries that a failure reports as deleted but that the server may still have; they are not created again.
    var standing: Set<EntryKey> = []
    /// Whether the store keeps synced copies; if so, the pushed record becomes the copy of an entry edited meanwhile.
    var keepsBases = false
    /// The places at which the soups have children in the trees of other sync ups.
    var families: [SoupName: [TreePlace]] = [:]
    /// Creations that must not be sent again until their outcome is known.
    let unrepeatable: Set<EntryKey>

    /// The time at which the creations were sent.
    ///
    /// If an entry had the ID of such a creation before that time, the ID belongs to another record.
    var sentAt: Int64?

    /// Creations that are sent again although the server may already have them.
    ///
    /// Their marks are removed only when the server confirms that it has them.
    var sentAgain: Set<EntryKey> = []

    private(set) var outcomes: [RecordOutcome] = []
    /// The roots to push once more in this run.
    private(set) var again: [Int64] = []
    var recreated: Set<EntryKey> = []
    private(set) var lost: Set<EntryKey> = []
    private var lostMarks: [InFlightCreates.Mark] = []
    /// The entries that the server has as they were pushed; conflicts about them have ended.
    private var arrived: [EntryKey] = []
    /// The IDs of parents that were replaced.
    var replaced: [ReplacedIds.Change] = []
    /// Creations whose parents got new IDs after they were sent.
    var followings: [EntryKey: Following] = [:]
    /// The number of entries, or trees, that were not sent completely because the push ended early.
    private(set) var unsent = 0
    /// The error that ended the push before everything was sent.
    private(set) var stop: SoupError?

    init(
        layout: RecordLayout, mergeMode: MergeMode, writer: any StoreWriter, recreatedBefore: Set<EntryKey>,
        unrepeatable: Set<EntryKey>
    ) {
        self.layout = layout
        self.mergeMode = mergeMode
        self.writer = writer
        self.recreatedBefore = recreatedBefore
        self.unrepeatable = unrepeatable
    }

    /// Applies the outcome of an entry, or of a tree.
    mutating func settle(_ unit: PushUnit, _ outcome: PushOutcome) throws {
        let members = unit.members
        let outcomes = [outcome] + Self.childOutcomes(of: unit, outcome)
        let stops = outcomes.compactMap { if case .notSent(let error) = $0.result { error } else { nil } }
        if let error = stops.first {
            unsent += 1
            stop = stop ?? error
        }
        let gone = mustRecreate(unit, outcomes)
        try remove(unit.removals)
        for position in members.indices.dropFirst() where !gone.contains(position) {
            let parent = unit.parent(of: position)
            // A failed member below a deleted record is created again together with that record.
            if outcomes[position].failure != nil, unit.isAny(of: gone, above: position) { continue }
            let isNew = members[parent].kind == .create && outcomes[parent].result == .ok
            try settleChild(
                members[position], outcomes[position], newParentId: isNew ? outcomes[parent].serverId : nil)
        }
        if !gone.contains(0), unit.root.kind != .none { try settle(unit.root, outcome, parentId: nil) }
        for position in members.indices where !gone.contains(position) {
            try settleFamily(members[position], outcomes[position])
        }
        guard !gone.isEmpty else { return }
        let accepted = Set(members.indices.filter { outcomes[$0].result == .ok }.map { members[$0].key })
        for position in gone.sorted() { try becomeCreation(members[position], accepted) }
        again.append(unit.root.key.id)
    }

    /// Records changes that were not sent.
    mutating func skip(_ unit: PushUnit, because failure: PushFailure) throws {
        for member in unit.members where member.isDirty { try skip(member, because: failure) }
    }

    private mutating func skip(_ member: PushMember, because failure: PushFailure) throws {
        // If the server could not be asked, the change counts as failed, not as skipped by the merge mode.
        if failure.isRetryable, failure.code != PushFailure.inFlight.code { return try fail(member, failure) }
        if failure.isAboutTree, try !ConflictStore.isListed(member.key, in: writer) {
            return tell(member, .skipped, .waitsForTree)
        }
        let isConflict = failure.code == PushFailure.conflict.code || mergeMode == .merge && failure.isGone
        tell(member, isConflict ? .conflicted : .skipped, failure)
    }

    /// Records a change that could not be sent.
    mutating func fail(_ member: PushMember, _ failure: PushFailure) throws {
        try stampError(member, failure)
        tell(member, .failed, failure)
    }

    /// Applies the outcome of a single entry.
    ///
    /// - Parameter parentId: for children, the ID that their parent got from this push.
    mutating func settle(_ member: PushMember, _ outcome: PushOutcome, parentId: String?) throws {
        switch outcome.result {
        case .ok: try settleSuccess(member, outcome, parentId: parentId)
        case .failed(let failure) where failure.isGone && member.kind == .delete:
            try settleSuccess(member, outcome, parentId: parentId)
        case .failed(let failure): try fail(member, failure)
        case .skipped: tell(member, .skipped, nil)
        case .unknown(let failure): try lose(member, failure)
        case .notSent: break
        }
    }

    mutating func settleSuccess(_ member: PushMember, _ outcome: PushOutcome, parentId: String?) throws {
        let part = layout.parts[member.part]
        var news = Stamp().setting(EntryField.lastError, nil)
        if let date = outcome.modificationDate { news = news.setting(part.modificationDateField, .string(date)) }
        var link = Stamp()
        if let parentId, let field = part.parentIdField {
            link = link.setting(field, try value(parentId, at: field, in: part.soup))
        }
        switch member.kind {
        case .create:
            if let id = outcome.serverId, let sentAt, unrepeatable.contains(member.key),
                let other = try copy(of: member, id), other.lastModified < sentAt
            {
                return try lose(member, .idOfAnotherEntry(id, other.id), mayRepeat: false)
            }
            guard try adopt(member, outcome.serverId, news, link) else { return }
            tell(member, .ok, nil, id: outcome.serverId)
        case .update, .none:
            if let id = outcome.serverId, id != member.id {
                news = news.setting(part.idField, try value(id, at: part.idField, in: part.soup))
            }
            try stampPushed(member, Stamp.clean, otherwise: Stamp(), news, link)
            tell(member, .ok, nil, id: outcome.serverId)
        case .delete:
            try deleteEntry(member)
            tell(member, .ok, nil)
        }
        arrive(member.key)
    }

    /// Deletes an entry whose record the server deleted.
    ///
    /// If the entry was edited meanwhile and is no longer to be deleted, it is kept. It becomes a creation, because the
    /// server no longer has the record.
    func deleteEntry(_ member: PushMember) throws {
        let deletion = EntryRemoval(id: member.key.id, ifVersion: member.version)
        guard try writer.remove([deletion], from: member.key.soup).isEmpty,
            let entry = try writer.retrieve([member.key.id], from: member.key.soup).first
        else { return }
        if entry.flags.deleted {
            try writer.remove([entry.id], from: member.key.soup)
        } else {
            try stamp(member.key, .creation)
        }
    }

    /// Records that the outcome of a change is unknown.
    ///
    /// The error is written into the entry once, and again if the app has overwritten it with an edit.
    ///
    /// - Parameter mayRepeat: whether the creation may be sent again if it is repeatable.
    mutating func lose(_ member: PushMember, _ failure: PushFailure, mayRepeat: Bool = true) throws {
        let text = "\(failure.json)"
        let entry = try writer.retrieve([member.key.id], from: member.key.soup).first
        var version = entry?.lastModified
        let isSame = version == member.version
        if let entry, entry[JSONPath(EntryField.lastError)]?.stringValue != text {
            try stamp(member.key, Stamp().setting(EntryField.lastError, .string(text)))
            // The stored error is a write of the engine, so the pushed version is now the one after this write.
            version = try writer.retrieve([member.key.id], from: member.key.soup).first?.lastModified
        }
        if member.kind == .create || unrepeatable.contains(member.key) {
            let isRepeatable = mayRepeat && !unrepeatable.contains(member.key)
            lostMarks.append(
                InFlightCreates.Mark(
                    key: member.key, version: isSame ? version ?? member.version : member.version,
                    record: member.record, isLost: true, isRepeatable: isRepeatable))
            if !isRepeatable { lost.insert(member.key) }
        }
        tell(member, .unknown, failure)
    }

    /// Records that the server has an entry as it was pushed.
    mutating func arrive(_ key: EntryKey) { arrived.append(key) }

    /// Updates the in-flight marks and the conflict notes of entries after their outcomes.
    ///
    /// - Parameter creations: the creations that have marks.
    func settleNotes(of creations: some Sequence<EntryKey>) throws {
        let kept = lost.union(sentAgain.subtracting(arrived))
        try InFlightCreates.clear(creations.filter { !kept.contains($0) }, in: writer)
        try InFlightCreates.set(lostMarks, in: writer)
        try settleFollowings()
        try ConflictStore.clear(arrived, in: writer)
        try ReplacedIds.note(replaced, writer)
    }

    func stampError(_ member: PushMember, _ failure: PushFailure) throws {
        try stamp(member, Stamp().setting(EntryField.lastError, .string("\(failure.json)")), otherwise: .none)
    }

    func stamp(_ member: PushMember, _ stamp: Stamp, otherwise: Stamp) throws {
        _ = try writer.stamp(
            [EntryStamp(id: member.key.id, stamp: stamp, ifVersion: member.version, otherwise: otherwise)],
            in: member.key.soup)
    }

    /// Stamps an entry whose pushed version the server has.
    ///
    /// If the entry was edited meanwhile, the pushed version becomes its synced copy.
    ///
    /// - Parameters:
    ///   - stamp: the flags if the entry is unchanged since the push.
    ///   - otherwise: the flags if the entry was edited meanwhile.
    ///   - news: the values that the push changed in both cases.
    ///   - link: the parent under which the record was pushed. If the entry was edited meanwhile, its parent may have
    ///     been changed and is kept.
    func stampPushed(
        _ member: PushMember, _ stamp: Stamp, otherwise: Stamp, _ news: Stamp, _ link: Stamp = Stamp()
    ) throws {
        let pushed = news.merging(link)
        let isCurrent = try writer.stamp(
            [
                EntryStamp(
                    id: member.key.id, stamp: stamp.merging(pushed), ifVersion: member.version,
                    otherwise: otherwise.merging(news))
            ], in: member.key.soup)
        guard keepsBases, isCurrent.first == false else { return }
        let told = pushed.members.compactMap { change in change.value.map { (name: change.name, value: $0) } }
        try writer.setSyncedCopies(
            [member.key.id: RecordMerge.overlay(.object(told), over: member.record)], in: member.key.soup)
    }

    func stamp(_ key: EntryKey, _ stamp: Stamp) throws {
        _ = try writer.stamp([EntryStamp(id: key.id, stamp: stamp)], in: key.soup)
    }

    /// Removes entries that were never on the server, unless the app changed them meanwhile.
    private func remove(_ members: [PushMember]) throws {
        for member in members {
            let deletion = EntryRemoval(id: member.key.id, ifVersion: member.version)
            if try !writer.remove([deletion], from: member.key.soup).isEmpty { try deleteLocalChildren(of: member) }
        }
    }

    func delete(_ keys: [EntryKey]) throws {
        for key in keys { try writer.remove([key.id], from: key.soup) }
    }

    mutating func tell(
        _ member: PushMember, _ result: RecordOutcome.Result, _ failure: PushFailure?, id: String? = nil
    ) {
        let action: RecordOutcome.Action? =
            switch member.kind {
            case .create: .create
            case .update: .update
            case .delete: .delete
            case .none: nil
            }
        guard let action else { return }
        outcomes.append(
            RecordOutcome(
                soup: member.key.soup, entryId: member.key.id, id: id ?? member.serverId, action: action,
                result: result,
                error: failure))
    }

    /// Returns one outcome for each child, in the order of the unit.
    ///
    /// If a record was not accepted, its outcome also applies to its descendants, unless the target returned other
    /// outcomes.
    static func childOutcomes(of unit: PushUnit, _ outcome: PushOutcome) -> [PushOutcome] {
        let positions = unit.positions
        var all = Array(repeating: PushOutcome.skipped, count: unit.children.count)
        func take(_ outcome: PushOutcome, of parent: Int?) {
            let own = positions[parent] ?? []
            for (position, childOutcome) in zip(own, direct(outcome, of: own)) {
                all[position] = childOutcome
                take(childOutcome, of: position)
            }
        }
        take(outcome, of: nil)
        return all
    }

    private static func direct(_ outcome: PushOutcome, of children: [Int]) -> [PushOutcome] {
        guard outcome.result != .ok, outcome.children.isEmpty else {
            return aligned(outcome.children, with: children)
        }
        var result = outcome.result
        if case .failed(var failure) = result {
            // If the parent was deleted, that does not mean that its children were deleted too.
            (failure.isGone, failure.isRelatedGone) = (false, false)
            result = .failed(failure)
        }
        return children.map { _ in PushOutcome(result) }
    }

    /// Returns one outcome per change; if the target returned another number, all outcomes are unknown.
    static func aligned(_ outcomes: [PushOutcome], with members: [some Any]) -> [PushOutcome] {
        guard outcomes.count != members.count else { return outcomes }
        let failure = PushFailure(
            code: "BAD_TARGET", message: "the target gave \(outcomes.count) outcomes for \(members.count) changes")
        return members.map { _ in .unknown(failure) }
    }
}

extension PushOutcome {
    var failure: PushFailure? { if case .failed(let failure) = result { failure } else { nil } }
}

extension Stamp {
    /// Marks an entry as one that the server does not have.
    static let creation = Stamp().setting(EntryField.local, .true).setting(EntryField.locallyCreated, .true)

    /// Marks an entry as changed.
    static let update = Stamp().setting(EntryField.local, .true).setting(EntryField.locallyUpdated, .true)
}
