// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OutcomeWriter {
    /// The positions of the members that are no longer on the server and have to be made again.
    func mustRecreate(_ unit: PushUnit, _ outcomes: [PushOutcome]) -> Set<Int> {
        guard mergeMode == .overwrite else { return [] }
        let members = unit.members
        return Self.seemGone(unit, outcomes).filter {
            !recreatedBefore.contains(members[$0].key) && !standing.contains(members[$0].key)
        }
    }

    /// The positions of the members that are no longer on the server, by what the outcomes say.
    private static func seemGone(_ unit: PushUnit, _ outcomes: [PushOutcome]) -> Set<Int> {
        let members = unit.members
        let below = unit.positions
        let deleted = Set(members.indices.filter { members[$0].kind == .delete })
        return Set(
            members.indices.filter { position in
                let (kind, outcome) = (members[position].kind, outcomes[position])
                // What hangs on a record that goes is not made again.
                guard kind == .update || kind == .none, !unit.isAny(of: deleted, above: position) else { return false }
                if outcome.failure?.isGone ?? false { return true }
                if outcome.result == .ok, kind == .update { return false }
                let children = below[position == 0 ? nil : position - 1] ?? []
                return children.contains { outcomes[$0 + 1].failure?.isRelatedGone ?? false }
            })
    }

    /// The members of a unit that the outcome calls gone, so that they would be made again.
    static func membersThatSeemGone(_ unit: PushUnit, _ outcome: PushOutcome) -> [PushMember] {
        let gone = seemGone(unit, [outcome] + childOutcomes(of: unit, outcome))
        return gone.sorted().map { unit.members[$0] }
    }

    /// Settles a child that is not made again.
    mutating func settleChild(_ child: PushMember, _ outcome: PushOutcome, newParentId: String?) throws {
        if child.isDirty {
            try settle(child, outcome, parentId: newParentId)
        } else if newParentId != nil {
            if outcome.result != .ok { try stamp(child.key, .update) }
            try settle(child, outcome, parentId: newParentId)
        }
    }

    /// Brings what hangs on a member in line with what became of it.
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

    /// Makes the children of a record point to its new id, also those that an app will put under the old one.
    mutating func repoint(_ member: PushMember, to id: String) throws {
        let isParent = !layout.children(of: member.part).isEmpty
        let others = families[member.key.soup] ?? []
        guard let old = member.id, id != old, isParent || !others.isEmpty else { return }
        replaced.append(ReplacedIds.Change(soup: member.key.soup, old: old, new: id))
        try repointChildren(of: old, to: id, at: TreePlace(layout: layout, part: member.part))
        // Those that the server has under the old id are not moved there by a sync that pushes none of them.
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

    /// Deletes what hangs on an entry and the server knows as little as the entry itself.
    func deleteLocalChildren(of member: PushMember) throws {
        try layout.forEachDescendant(of: member.id, part: member.part, in: writer) { key, position, entry in
            guard layout.relationship(of: position) == .masterDetail, entry.flags.created else { return false }
            try delete([key])
            return true
        }
    }

    /// Turns a record that is gone from the server, and what hung on it, into creations.
    ///
    /// - Parameter accepted: what the server took in this very push, and therefore has.
    mutating func becomeCreation(_ member: PushMember, _ accepted: Set<EntryKey>) throws {
        recreated.insert(member.key)
        try Revival(layout: layout, writer: writer)
            .revive(member.key, id: member.id, part: member.part, sparing: accepted)
    }
}

extension PushUnit {
    /// The position of a member's parent among ``members``; 0 for the root itself.
    func parent(of position: Int) -> Int {
        position == 0 ? 0 : (children[position - 1].parent ?? -1) + 1
    }

    /// Whether a member is below one of these.
    func isAny(of positions: Set<Int>, above position: Int) -> Bool {
        var position = position
        while position > 0 {
            position = parent(of: position)
            if positions.contains(position) { return true }
        }
        return false
    }
}
