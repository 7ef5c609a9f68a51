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
    /// Creations that must not be sent again before somebody knows what became of them.
    let unrepeatable: Set<EntryKey>

    private(set) var outcomes: [RecordOutcome] = []
    /// Roots to push once more in this run.
    private(set) var again: [Int64] = []
    private(set) var recreated: Set<EntryKey> = []
    private(set) var lost: Set<EntryKey> = []

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
        let childOutcomes = Self.aligned(outcome.children, with: unit.children)
        let mustRecreate = mustRecreate(unit, outcome, childOutcomes)
        let newParentId: String? =
            if unit.root.kind == .create, case .ok = outcome.result { outcome.serverId } else { nil }
        try delete(unit.removals)
        var again = mustRecreate
        for (child, childOutcome) in zip(unit.children, childOutcomes) {
            if mustRecreate, childOutcome.failure != nil { continue }
            if try settleChild(child, childOutcome, in: unit, newParentId: newParentId) { again = true }
        }
        if mustRecreate {
            try becomeCreation(unit, childOutcomes)
        } else if unit.root.kind != .none {
            try settle(unit.root, outcome, parentId: nil)
            try settleFamily(unit, outcome)
        }
        if again { self.again.append(unit.root.key.id) }
    }

    /// Takes note of a change that was not sent.
    mutating func skip(_ unit: PushUnit, because failure: PushFailure? = nil) {
        for member in unit.members where member.isDirty { tell(member, .skipped, failure) }
    }

    /// Takes note of a change that could not be sent.
    mutating func fail(_ member: PushMember, _ failure: PushFailure) throws {
        try stampError(member, failure)
        tell(member, .failed, failure)
    }

    /// Settles the outcome of one entry alone.
    ///
    /// - Parameter parentId: for children, the id that their parent got by this push.
    private mutating func settle(_ member: PushMember, _ outcome: PushOutcome, parentId: String?) throws {
        switch outcome.result {
        case .ok: try settleSuccess(member, outcome, parentId: parentId)
        case .failed(let failure) where failure.isGone && member.kind == .delete:
            try settleSuccess(member, outcome, parentId: parentId)
        case .failed(let failure): try fail(member, failure)
        case .skipped: tell(member, .skipped, nil)
        case .unknown(let failure): try lose(member, failure)
        }
    }

    private mutating func settleSuccess(_ member: PushMember, _ outcome: PushOutcome, parentId: String?) throws {
        let part = layout.parts[member.part]
        var news = Stamp().setting(EntryField.lastError, nil)
        if let date = outcome.modificationDate { news = news.setting(part.modificationDateField, .string(date)) }
        if let parentId, let field = part.parentIdField { news = news.setting(field, .string(parentId)) }
        switch member.kind {
        case .create:
            guard try adopt(member, outcome.serverId, news) else { return }
            tell(member, .ok, nil, id: outcome.serverId)
        case .update, .none:
            if let id = outcome.serverId, id != member.id { news = news.setting(part.idField, .string(id)) }
            try stamp(member, Stamp.clean.merging(news), otherwise: news)
            tell(member, .ok, nil, id: outcome.serverId)
        case .delete:
            try deleteEntry(member)
            tell(member, .ok, nil)
        }
    }

    /// Gives an entry the id under which the server has it now.
    ///
    /// A sync down may have brought the same record as an entry of its own, while nobody knew that the server had it.
    /// Then one of the two goes: the copy, unless only the copy was edited since. When both were, neither may go.
    ///
    /// - Returns: false when both stay, and the creation remains unresolved.
    mutating func adopt(_ member: PushMember, _ serverId: String?, _ news: Stamp = Stamp()) throws -> Bool {
        let part = layout.parts[member.part]
        var news = news
        if let serverId {
            if let copy = try copy(of: member, serverId) {
                let isEdited = try writer.retrieve([member.key.id], from: member.key.soup).first.map {
                    $0.lastModified != member.version
                }
                if !copy.flags.local {
                    try writer.delete([copy.id], from: member.key.soup)
                } else if isEdited == false {
                    try writer.delete([member.key.id], from: member.key.soup)
                    return true
                } else {
                    try lose(member, .twoCopies(serverId, copy.id))
                    return false
                }
            }
            news = news.setting(part.idField, .string(serverId))
        }
        let stillDirty = news.setting(EntryField.local, .true).setting(EntryField.locallyCreated, .false)
            .setting(EntryField.locallyUpdated, .true)
        try stamp(member, Stamp.clean.merging(news), otherwise: stillDirty)
        return true
    }

    private func copy(of member: PushMember, _ serverId: String) throws -> SoupEntry? {
        let path = JSONPath(layout.parts[member.part].idField)
        let soup = member.key.soup
        guard try writer.indexSpecs(of: soup).contains(where: { $0.path == path }),
            let id = try writer.lookup(.string(serverId), at: path, in: soup), id != member.key.id
        else { return nil }
        return try writer.retrieve([id], from: soup).first
    }

    /// Deletes an entry that the server deleted.
    ///
    /// An entry that was edited meanwhile and is no longer to be deleted is kept: the server has no such record any more, so
    /// it becomes a creation.
    private func deleteEntry(_ member: PushMember) throws {
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
    mutating func lose(_ member: PushMember, _ failure: PushFailure) throws {
        let text = JSONText.string("\(failure.json)")
        let note = Stamp().setting(EntryField.lastError, text)
        let wasSame = try writer.stamp(
            [EntryStamp(id: member.key.id, stamp: note, ifVersion: member.version, otherwise: note)],
            in: member.key.soup)
        if unrepeatable.contains(member.key) {
            // The note is a write of our own: the version that was pushed is the one behind it.
            let version = try writer.retrieve([member.key.id], from: member.key.soup).first?.lastModified
            let same = wasSame.first == true
            try FlightLog.set(
                [.init(key: member.key, version: same ? version ?? member.version : member.version, isLost: true)],
                in: writer)
            lost.insert(member.key)
        }
        tell(member, .unknown, failure)
    }

    /// Keeps a creation from being sent again, without another note.
    mutating func hold(_ key: EntryKey) { lost.insert(key) }

    private func stampError(_ member: PushMember, _ failure: PushFailure) throws {
        try stamp(member, Stamp().setting(EntryField.lastError, .string("\(failure.json)")), otherwise: .none)
    }

    private func stamp(_ member: PushMember, _ stamp: Stamp, otherwise: Stamp) throws {
        _ = try writer.stamp(
            [EntryStamp(id: member.key.id, stamp: stamp, ifVersion: member.version, otherwise: otherwise)],
            in: member.key.soup)
    }

    func stamp(_ key: EntryKey, _ stamp: Stamp) throws {
        _ = try writer.stamp([EntryStamp(id: key.id, stamp: stamp)], in: key.soup)
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

    /// One outcome a change; when the target gave another number nobody knows which belongs to which.
    static func aligned(_ outcomes: [PushOutcome], with members: [some Any]) -> [PushOutcome] {
        guard outcomes.count != members.count else { return outcomes }
        let failure = PushFailure(
            code: "BAD_TARGET", message: "the target gave \(outcomes.count) outcomes for \(members.count) changes")
        return members.map { _ in .unknown(failure) }
    }
}

extension OutcomeWriter {
    /// Whether the root is no longer on the server and has to be made again.
    private func mustRecreate(_ unit: PushUnit, _ outcome: PushOutcome, _ children: [PushOutcome]) -> Bool {
        guard mergeMode == .overwrite, !recreatedBefore.contains(unit.root.key) else { return false }
        switch unit.root.kind {
        case .create, .delete: return false
        case .update, .none:
            if outcome.failure?.isGone ?? false { return true }
            if case .ok = outcome.result, unit.root.kind == .update { return false }
            return children.contains { $0.failure?.isRelatedGone ?? false }
        }
    }

    /// Settles a child.
    ///
    /// - Returns: whether it is to be pushed again, as a creation.
    private mutating func settleChild(
        _ child: PushMember, _ outcome: PushOutcome, in unit: PushUnit, newParentId: String?
    ) throws -> Bool {
        if let failure = outcome.failure, failure.isGone, child.kind == .update, mergeMode == .overwrite,
            !recreatedBefore.contains(child.key), unit.root.kind != .delete
        {
            try stamp(child.key, .creation)
            recreated.insert(child.key)
            return true
        }
        if child.isDirty {
            try settle(child, outcome, parentId: newParentId)
        } else if newParentId != nil {
            if outcome.result != .ok { try stamp(child.key, .update) }
            try settle(child, outcome, parentId: newParentId)
        }
        return false
    }

    /// Brings the children of a root in line with what became of it.
    private func settleFamily(_ unit: PushUnit, _ outcome: PushOutcome) throws {
        let isGone: Bool
        switch outcome.result {
        case .ok: isGone = unit.root.kind == .delete
        case .failed(let failure): isGone = unit.root.kind == .delete && failure.isGone
        default: isGone = false
        }
        if unit.root.kind == .create, case .ok = outcome.result, let id = outcome.serverId {
            try repoint(unit.root, to: id)
        } else if isGone, layout.relationship == .masterDetail {
            let survives = try !writer.retrieve([unit.root.key.id], from: unit.root.key.soup).isEmpty
            try forEachChild(of: unit.root) { key, _ in
                if survives { try stamp(key, .creation) } else { try delete([key]) }
            }
        }
    }

    /// Makes the children of a parent point to its new id.
    func repoint(_ root: PushMember, to id: String) throws {
        guard layout.isTree, root.part == 0, id != root.id else { return }
        try forEachChild(of: root) { key, part in
            guard let field = part.parentIdField else { return }
            try stamp(key, Stamp().setting(field, .string(id)))
        }
    }

    /// Deletes the children of an entry that the server knows as little as the entry itself.
    func deleteLocalChildren(of root: PushMember) throws {
        try forEachChild(of: root) { key, _ in
            guard try writer.retrieve([key.id], from: key.soup).first?.flags.created == true else { return }
            try delete([key])
        }
    }

    /// Turns a root that is gone from the server, and what hung on it, into creations.
    private mutating func becomeCreation(_ unit: PushUnit, _ childOutcomes: [PushOutcome]) throws {
        try stamp(unit.root.key, .creation)
        recreated.insert(unit.root.key)
        let accepted = Set(zip(unit.children, childOutcomes).filter { $1.result == .ok }.map(\.0.key))
        try forEachChild(of: unit.root) { key, _ in
            // What the server took in this very push is there; the rest of a master went with it.
            let isThere = layout.relationship == .lookup || accepted.contains(key)
            try stamp(key, isThere ? .update : .creation)
        }
    }

    private func forEachChild(
        of root: PushMember, _ body: (EntryKey, RecordLayout.Part) throws -> Void
    ) throws {
        let reader = UnitReader(layout: layout, blocked: [], wantsBystanders: false)
        for part in layout.parts where part.parentIdField != nil {
            for entry in try reader.children(of: root, part, writer) {
                try body(EntryKey(soup: part.soup, id: entry.id), part)
            }
        }
    }
}

extension PushOutcome {
    var failure: PushFailure? { if case .failed(let failure) = result { failure } else { nil } }
}

extension Stamp {
    /// Marks an entry as one that the server does not have.
    fileprivate static let creation = Stamp().setting(EntryField.local, .true).setting(EntryField.locallyCreated, .true)

    /// Marks an entry as changed.
    fileprivate static let update = Stamp().setting(EntryField.local, .true).setting(EntryField.locallyUpdated, .true)
}

extension PushFailure {
    fileprivate static func twoCopies(_ serverId: String, _ entryId: Int64) -> PushFailure {
        PushFailure(
            code: "TWO_COPIES",
            message: "the server has this record as \(serverId), which entry \(entryId) stands for too, and both were "
                + "edited: merge them, delete one and resolve the other")
    }
}
