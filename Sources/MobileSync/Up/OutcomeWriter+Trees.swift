// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OutcomeWriter {
    /// Whether the root is no longer on the server and has to be made again.
    func mustRecreate(_ unit: PushUnit, _ outcome: PushOutcome, _ children: [PushOutcome]) -> Bool {
        guard mergeMode == .overwrite, !recreatedBefore.contains(unit.root.key), !standing.contains(unit.root.key)
        else { return false }
        return Self.seemsGone(unit, outcome, children)
    }

    /// Whether the outcome of a unit says that its root is no longer on the server.
    private static func seemsGone(_ unit: PushUnit, _ outcome: PushOutcome, _ children: [PushOutcome]) -> Bool {
        switch unit.root.kind {
        case .create, .delete: return false
        case .update, .none:
            if outcome.failure?.isGone ?? false { return true }
            if case .ok = outcome.result, unit.root.kind == .update { return false }
            return children.contains { $0.failure?.isRelatedGone ?? false }
        }
    }

    /// The members of a unit that the outcome calls gone, so that they would be made again.
    static func membersThatSeemGone(_ unit: PushUnit, _ outcome: PushOutcome) -> [PushMember] {
        guard unit.root.kind != .delete else { return [] }
        let outcomes = childOutcomes(of: unit, outcome)
        let root = seemsGone(unit, outcome, outcomes) ? [unit.root] : []
        return root
            + zip(unit.children, outcomes).filter { $0.kind == .update && $1.failure?.isGone ?? false }.map(\.0)
    }

    /// Settles a child.
    ///
    /// - Returns: whether it is to be pushed again, as a creation.
    mutating func settleChild(
        _ child: PushMember, _ outcome: PushOutcome, in unit: PushUnit, newParentId: String?
    ) throws -> Bool {
        if let failure = outcome.failure, failure.isGone, child.kind == .update, mergeMode == .overwrite,
            !recreatedBefore.contains(child.key), !standing.contains(child.key), unit.root.kind != .delete
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
    func settleFamily(_ unit: PushUnit, _ outcome: PushOutcome) throws {
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
            try stamp(key, Stamp().setting(field, try value(id, at: field, in: part.soup)))
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
    mutating func becomeCreation(_ unit: PushUnit, _ childOutcomes: [PushOutcome]) throws {
        try stamp(unit.root.key, .creation)
        recreated.insert(unit.root.key)
        let accepted = Set(zip(unit.children, childOutcomes).filter { $1.result == .ok }.map(\.0.key))
        try forEachChild(of: unit.root) { key, _ in
            // What the server took in this very push is there; the rest of a master went with it.
            let isThere = layout.relationship == .lookup || accepted.contains(key)
            try stamp(key, isThere ? .update : .creation)
        }
    }

    func forEachChild(
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
