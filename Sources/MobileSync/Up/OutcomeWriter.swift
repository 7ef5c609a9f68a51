// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Brings the store up to date with what the server did, inside one transaction.
///
/// Every change of an entry is a compare-and-set against the version that was pushed, so that an edit made while the
/// record was in flight is kept and stays dirty.
struct OutcomeWriter {
    let layout: RecordLayout
    let mergeMode: MergeMode
    let writer: any StoreWriter
    /// Entries that were pushed again as creations already in this run: it happens once.
    let recreatedBefore: Set<EntryKey>
    /// Entries that a failure calls gone and that the server may have all the same: they are not made again.
    var standing: Set<EntryKey> = []
    /// Whether the store keeps synced copies: then what was pushed is the copy of an entry that was edited meanwhile.
    var keepsBases = false
    /// Where the soups have children in the trees of other sync ups.
    var families: [SoupName: [TreePlace]] = [:]
    /// Creations that must not be sent again before somebody knows what became of them.
    let unrepeatable: Set<EntryKey>

    /// When the creations were sent: an entry that had the ID of one of them before is that of another record.
    var sentAt: Int64?

    /// Creations that are sent again although the server may have them: only that it has them takes their marks away.
    var sentAgain: Set<EntryKey> = []

    private(set) var outcomes: [RecordOutcome] = []
    /// Roots to push once more in this run.
    private(set) var again: [Int64] = []
    var recreated: Set<EntryKey> = []
    private(set) var lost: Set<EntryKey> = []
    private var lostMarks: [FlightLog.Mark] = []
    /// What the server has now as it was pushed: conflicts about it are over.
    private var arrived: [EntryKey] = []
    /// The ids of parents that are others now.
    var replaced: [ReplacedIds.Change] = []
    /// Creations whose parents got other ids after they were sent.
    var followings: [EntryKey: Following] = [:]
    /// How many entries, or trees, did not reach the server as a whole, because the push ended before.
    private(set) var unsent = 0
    /// What ended the push before everything was sent.
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

    /// Settles an entry, or a tree.
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
            // What failed under a record that is gone is made again with it.
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

    /// Takes note of changes that were not sent.
    mutating func skip(_ unit: PushUnit, because failure: PushFailure) throws {
        for member in unit.members where member.isDirty { try skip(member, because: failure) }
    }

    private mutating func skip(_ member: PushMember, because failure: PushFailure) throws {
        // What the server was asked about in vain is no choice of the mode.
        if failure.isRetryable, failure.code != PushFailure.inFlight.code { return try fail(member, failure) }
        if failure.isAboutTree, try !ConflictLog.isListed(member.key, in: writer) {
            return tell(member, .skipped, .waitsForTree)
        }
        let isConflict = failure.code == PushFailure.conflict.code || mergeMode == .merge && failure.isGone
        tell(member, isConflict ? .conflicted : .skipped, failure)
    }

    /// Takes note of a change that could not be sent.
    mutating func fail(_ member: PushMember, _ failure: PushFailure) throws {
        try stampError(member, failure)
        tell(member, .failed, failure)
    }

    /// Settles the outcome of one entry alone.
    ///
    /// - Parameter parentId: for children, the id that their parent got by this push.
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

    /// Deletes an entry that the server deleted.
    ///
    /// An entry that was edited meanwhile and is no longer to be deleted is kept: the server has no such record any
    /// more, so it becomes a creation.
    func deleteEntry(_ member: PushMember) throws {
        let deletion = EntryDeletion(id: member.key.id, ifVersion: member.version)
        guard try writer.delete([deletion], from: member.key.soup).isEmpty,
            let entry = try writer.retrieve([member.key.id], from: member.key.soup).first
        else { return }
        if entry.flags.deleted {
            try writer.delete([entry.id], from: member.key.soup)
        } else {
            try stamp(member.key, .creation)
        }
    }

    /// Takes note that nobody knows what became of a change.
    ///
    /// The note in the entry is written once, and again when an edit of the app has replaced it.
    ///
    /// - Parameter mayRepeat: whether a creation that may be sent twice is.
    mutating func lose(_ member: PushMember, _ failure: PushFailure, mayRepeat: Bool = true) throws {
        let text = "\(failure.json)"
        let entry = try writer.retrieve([member.key.id], from: member.key.soup).first
        var version = entry?.lastModified
        let isSame = version == member.version
        if let entry, entry[JSONPath(EntryField.lastError)]?.stringValue != text {
            try stamp(member.key, Stamp().setting(EntryField.lastError, .string(text)))
            // The note is a write of our own: the version that was pushed is the one behind it.
            version = try writer.retrieve([member.key.id], from: member.key.soup).first?.lastModified
        }
        if member.kind == .create || unrepeatable.contains(member.key) {
            let isRepeatable = mayRepeat && !unrepeatable.contains(member.key)
            lostMarks.append(
                FlightLog.Mark(
                    key: member.key, version: isSame ? version ?? member.version : member.version,
                    record: member.record, isLost: true, isRepeatable: isRepeatable))
            if !isRepeatable { lost.insert(member.key) }
        }
        tell(member, .unknown, failure)
    }

    /// Takes note that the server has an entry as it was pushed.
    mutating func arrive(_ key: EntryKey) { arrived.append(key) }

    /// Brings the notes about entries in line with what became of them.
    ///
    /// - Parameter creations: those that carry marks.
    func settleNotes(of creations: some Sequence<EntryKey>) throws {
        let kept = lost.union(sentAgain.subtracting(arrived))
        try FlightLog.clear(creations.filter { !kept.contains($0) }, in: writer)
        try FlightLog.set(lostMarks, in: writer)
        try settleFollowings()
        try ConflictLog.clear(arrived, in: writer)
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

    /// Stamps an entry that the server has now as it was pushed.
    ///
    /// An entry that was edited meanwhile starts from what was pushed: that is its synced copy.
    ///
    /// - Parameters:
    ///   - stamp: the flags of an entry that is as it was pushed.
    ///   - otherwise: the flags of one that was edited meanwhile.
    ///   - news: what the push changed in any case.
    ///   - link: which parent the record was pushed under. An entry that was edited meanwhile may have been put under
    ///     another one, which stays.
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

    /// Removes entries that the server never knew, unless the app touched them meanwhile.
    private func remove(_ members: [PushMember]) throws {
        for member in members {
            let deletion = EntryDeletion(id: member.key.id, ifVersion: member.version)
            if try !writer.delete([deletion], from: member.key.soup).isEmpty { try deleteLocalChildren(of: member) }
        }
    }

    func delete(_ keys: [EntryKey]) throws {
        for key in keys { try writer.delete([key.id], from: key.soup) }
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

    /// One outcome for each child, in the order of the unit; what became of a record that was not taken became of what
    /// is below it too, unless the target says otherwise.
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
            // That the parent is gone says nothing about where its children are.
            (failure.isGone, failure.isRelatedGone) = (false, false)
            result = .failed(failure)
        }
        return children.map { _ in PushOutcome(result) }
    }

    /// One outcome a change; when the target gave another number nobody knows which belongs to which.
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
