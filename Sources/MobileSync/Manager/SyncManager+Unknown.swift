// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncManager {
    /// What became of a creation whose answer was lost, as somebody found out.
    public enum Resolution: Sendable, Hashable {
        /// The server does not have the record: the next sync up sends it. An entry that was deleted here meanwhile is
        /// removed at once; the server never needs to hear of it.
        case resend
        /// The server has the record, under this id. An entry that was deleted here meanwhile stays to be deleted there
        /// by the next sync up.
        case created(serverId: String)

        /// The server has the record, under this id.
        public static func created(_ serverId: String) -> Resolution { .created(serverId: serverId) }
    }

    /// The entries whose creation was sent and of which nobody knows whether the server has them, by soup.
    ///
    /// The next sync up asks its target for them; when that cannot tell, they wait for
    /// ``resolveUnknown(entryId:soup:as:)`` and are not sent again.
    public func unknownCreations() async throws -> [SoupName: [Int64]] {
        try await knowingPushes { mayBePushing in
            try await services.backend.read { reader in
                let marks = try FlightLog.marks(of: Set(try reader.soupNames()), in: reader)
                return Dictionary(
                    grouping: marks.filter { !$0.isRepeatable && ($0.isLost || !mayBePushing) }, by: \.key.soup
                )
                .mapValues { $0.map(\.key.id) }
            }
        }
    }

    /// Says what became of a creation of which nobody knew.
    ///
    /// An entry that was edited since it was sent keeps the edit, which goes up with the next sync. Children that point
    /// to it by its temporary id, by what the targets of the sync ups say, point to the server's id afterwards.
    ///
    /// - Parameter idField: the field of the entry that holds the server's id.
    /// - Throws: ``SoupError``: `notUnknown` when the entry is no such creation, `syncAlreadyRunning` while it is on
    ///   its way, `differentRecord` for the id of another record in the soup. Then nothing has changed.
    public func resolveUnknown(
        entryId: Int64, soup: SoupName, as resolution: Resolution, idField: String = "Id"
    ) async throws {
        try await knowingPushes { mayBePushing in
            try await resolveUnknown(
                EntryKey(soup: soup, id: entryId), as: resolution, idField: idField, mayBePushing: mayBePushing)
        }
    }

    private func resolveUnknown(
        _ key: EntryKey, as resolution: Resolution, idField: String, mayBePushing: Bool
    ) async throws {
        let (soup, entryId) = (key.soup, key.id)
        let layouts = try await layouts(of: soup, idField: idField)
        let keepsBases = services.backend.capabilities.contains(.syncedCopies)
        try await services.backend.write { writer in
            let marks = try FlightLog.marks(of: [soup], in: writer)
            guard let mark = marks.first(where: { $0.key == key && !$0.isRepeatable }) else {
                throw SoupError(
                    .notUnknown, "entry \(entryId) of soup \"\(soup)\" is no creation whose answer was lost",
                    hint: "`soup resolve`, or unknownCreations(), lists those that are.")
            }
            guard mark.isLost || !mayBePushing else {
                throw SoupError(
                    .syncAlreadyRunning, "entry \(entryId) of soup \"\(soup)\" is on its way to the server",
                    hint: "Wait for the end of the sync.")
            }
            let noError = Stamp().setting(EntryField.lastError, nil)
            switch resolution {
            case .resend:
                let isLocalOnly = try writer.retrieve([entryId], from: soup).first?.flags.isLocalOnly ?? false
                if isLocalOnly { try writer.delete([entryId], from: soup) }
                // The note was a write of ours, and so is this; neither is an edit that must go up.
                _ = try writer.stamp([EntryStamp(id: entryId, stamp: noError)], in: soup)
            case .created(let serverId):
                guard let entry = try writer.retrieve([entryId], from: soup).first else { break }
                // The entry is adopted once, and whatever is under it in any of the trees follows.
                for (number, place) in layouts.flatMap({ $0.places(of: soup) }).enumerated() {
                    var settling = OutcomeWriter(
                        layout: place.layout, mergeMode: .overwrite, writer: writer, recreatedBefore: [],
                        unrepeatable: [key])
                    var member = UnitReader(layout: place.layout, blocked: [], wantsBystanders: false)
                        .member(entry, .create, part: place.part, isDirty: true)
                    member.version = mark.version
                    if let record = mark.record {
                        member.record = record
                        settling.keepsBases = keepsBases
                    }
                    if let copy = try settling.copy(of: member, serverId) {
                        try Self.check(copy, is: member.record, serverId, of: key, place.layout.parts[place.part])
                    }
                    guard try number > 0 || settling.adopt(member, serverId, noError, lastKnown: .copy) else {
                        throw SoupError(
                            .notUnique,
                            "another entry of soup \"\(soup)\" has the id \(serverId), and both were edited",
                            hint: "Merge the two and delete one of them.")
                    }
                    try settling.repoint(member, to: serverId)
                    try ReplacedIds.note(settling.replaced, writer)
                    try settling.settleFollowings()
                }
                try ConflictLog.clear(key, in: writer)
            }
            try FlightLog.clear([key], in: writer)
        }
    }

    /// Refuses another record's id, as a slip of the pen makes it: one that the store knows with other values.
    ///
    /// Somebody may have changed the record since it was sent, so more must differ than agrees.
    private static func check(
        _ copy: SoupEntry, is sent: JSONText, _ serverId: String, of key: EntryKey, _ part: RecordLayout.Part
    ) throws {
        let skipped = Set(EntryMerge.serverMembers(part) + [part.parentIdField].compactMap { $0 })
        let there = copy.recordForServer.members ?? []
        var (agreeing, differing): (Int, [String]) = (0, [])
        for member in sent.members ?? [] where !skipped.contains(member.key) && member.value != .null {
            guard let value = there.first(where: { $0.key == member.key })?.value, value != .null else { continue }
            if value.value == member.value.value { agreeing += 1 } else { differing.append(member.key) }
        }
        guard differing.count > agreeing else { return }
        throw SoupError(
            .differentRecord,
            "\(serverId) is entry \(copy.id) of soup \"\(key.soup)\", a record with another "
                + differing.joined(separator: ", "),
            hint: "Look at the id once more. If it is the same record after all, take entry \(copy.id) out first: "
                + "`soup delete \(key.soup) \(copy.id) --now`, or delete(_:from:).")
    }

    /// The layouts in which a soup is pushed: the trees that it belongs to for some sync up, or the soup alone.
    ///
    /// - Parameter idField: of the soup; nil when any will do.
    /// - Returns: each once, in the order of the syncs; at least one.
    func layouts(of soup: SoupName, idField: String?) async throws -> [RecordLayout] {
        let found = try await services.pushedTrees().filter { layout in
            layout.parts.contains { $0.soup == soup && (idField == nil || $0.idField == idField) }
        }
        var layouts: [RecordLayout] = []
        for layout in found where !layouts.contains(layout) { layouts.append(layout) }
        return layouts.isEmpty
            ? [RecordLayout(parts: [RecordLayout.Part(soup: soup, idField: idField ?? "Id")])] : layouts
    }

    /// Runs `body`, which gets whether a sync may be waiting for responses, in this process or another.
    ///
    /// If not, no sync of another process sends a request before `body` returns.
    private func knowingPushes<T: Sendable>(_ body: (Bool) async throws -> T) async throws -> T {
        try await holdingSyncsIfFree { isHeld in try await body(!isHeld || !active.isEmpty) }
    }
}

extension RecordLayout {
    /// The positions at which a soup stands in the tree.
    func places(of soup: SoupName) -> [(layout: RecordLayout, part: Int)] {
        parts.indices.filter { parts[$0].soup == soup }.map { (self, $0) }
    }
}
