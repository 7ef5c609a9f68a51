// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OutcomeWriter {
    /// Returns the positions of the members that were deleted on the server and have to be created again.
    func mustRecreate(_ unit: PushUnit, _ outcomes: [PushOutcome]) -> Set<Int> {
        guard mergeMode == .overwrite else { return [] }
        let members = unit.members
        return Self.seemGone(unit, outcomes).filter {
            !recreatedBefore.contains(members[$0].key) && !standing.contains(members[$0].key)
        }
    }

    /// Returns the positions of the members that were deleted on the server, according to the outcomes.
    private static func seemGone(_ unit: PushUnit, _ outcomes: [PushOutcome]) -> Set<Int> {
        let members = unit.members
        let below = unit.positions
        let deleted = Set(members.indices.filter { members[$0].kind == .delete })
        return Set(
            members.indices.filter { position in
                let (kind, outcome) = (members[position].kind, outcomes[position])
                // Records below a record that is being deleted are not created again.
                guard kind == .update || kind == .none, !unit.isAny(of: deleted, above: position) else { return false }
                if outcome.failure?.isGone ?? false { return true }
                if outcome.result == .ok, kind == .update { return false }
                let children = below[position == 0 ? nil : position - 1] ?? []
                return children.contains { outcomes[$0 + 1].failure?.isRelatedGone ?? false }
            })
    }

    /// Returns the members of a unit that the outcome reports as deleted, so that they would be created again.
    static func membersThatSeemGone(_ unit: PushUnit, _ outcome: PushOutcome) -> [PushMember] {
        let gone = seemGone(unit, [outcome] + childOutcomes(of: unit, outcome))
        return gone.sorted().map { unit.members[$0] }
    }

    /// Applies the outcome of a child that is not created again.
    mutating func settleChild(_ child: PushMember, _ outcome: PushOutcome, newParentId: String?) throws {
        if child.isDirty {
            try settle(child, outcome, parentId: newParentId)
        } else if newParentId != nil {
            if outcome.result != .ok { try stamp(child.key, .update) }
            try settle(child, outcome, parentId: newParentId)
        }
    }

    /// Updates the children of a member after its outcome.
    mutating func settleFamily(_ member: PushMember, _ outcome: PushOutcome) throws {
        let isGone: Bool
        switch outcome.result {
        case .ok: isGone = member.kind == .delete
        case .failed(let failure): isGone = member.kind == .delete && failure.isGone
        default: isGone = false
        }
        if member.kind == .create, case .ok = outcome.result, let id = outcome.serverId {
            try repoint(member, to: id)
        } else if isGone, !layout.children(of: member.part).isEmpty {
            let survives = try !writer.retrieve([member.key.id], from: member.key.soup).isEmpty
            try layout.forEachDescendant(of: member.id, part: member.part, in: writer) { key, position, _ in
                guard layout.relationship(of: position) == .masterDetail else { return false }
                if survives { try stamp(key, .creation) } else { try delete([key]) }
                return true
            }
        }
    }

    /// Updates the children of a record to its new ID, and records the change for children that an app adds later.
    mutating func repoint(_ member: PushMember, to id: String) throws {
        let isParent = !layout.children(of: member.part).isEmpty
        let others = families[member.key.soup] ?? []
        guard let old = member.id, id != old, isParent || !others.isEmpty else { return }
        replaced.append(ReplacedIds.Change(soup: member.key.soup, old: old, new: id))
        try repointChildren(of: old, to: id, at: TreePlace(layout: layout, part: member.part))
        // In the trees of other sync ups, only children with local changes are updated: the server has the others under
        // the old ID, and this sync does not push them.
        for place in others { try repointChildren(of: old, to: id, at: place) { $0.flags.local } }
    }

    private mutating func repointChildren(
        of old: String, to id: String, at place: TreePlace, where isMeant: (SoupEntry) -> Bool = { _ in true }
    ) throws {
        let reader = UnitReader(layout: place.layout, blocked: [], wantsBystanders: false)
        for position in place.layout.children(of: place.part) {
            let part = place.layout.parts[position]
            guard let field = part.parentIdField else { continue }
            let new = try value(id, at: field, in: part.soup)
            for entry in try reader.children(of: old, part, writer) where isMeant(entry) {
                let key = EntryKey(soup: part.soup, id: entry.id)
                try stamp(key, Stamp().setting(field, new))
                try follow(entry, key, field, from: old, to: new)
            }
        }
    }

    /// Deletes the details of an entry that exist only locally, like the entry itself.
    func deleteLocalChildren(of member: PushMember) throws {
        try layout.forEachDescendant(of: member.id, part: member.part, in: writer) { key, position, entry in
            guard layout.relationship(of: position) == .masterDetail, entry.flags.created else { return false }
            try delete([key])
            return true
        }
    }

    /// Turns a record that was deleted on the server, and its details, into creations.
    ///
    /// - Parameter accepted: the entries that the server accepted in this push and therefore has.
    mutating func becomeCreation(_ member: PushMember, _ accepted: Set<EntryKey>) throws {
        recreated.insert(member.key)
        try Revival(layout: layout, writer: writer)
            .revive(member.key, id: member.id, part: member.part, sparing: accepted)
    }
}

extension PushUnit {
    /// Returns the position of a member's parent in ``members``; 0 for the root itself.
    func parent(of position: Int) -> Int {
        position == 0 ? 0 : (children[position - 1].parent ?? -1) + 1
    }

    /// Whether one of the given members is an ancestor of the member.
    func isAny(of positions: Set<Int>, above position: Int) -> Bool {
        var position = position
        while position > 0 {
            position = parent(of: position)
            if positions.contains(position) { return true }
        }
        return false
    }
}
