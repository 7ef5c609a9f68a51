// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncManager {
    /// The outcome of a creation whose response was lost, as the user or the app determined it.
    public enum Resolution: Sendable, Hashable {
        /// The server does not have the record; the next sync up sends it.
        ///
        /// If the entry has been deleted locally in the meantime, it is removed at once and is not sent.
        case resend
        /// The server has the record, with this ID.
        ///
        /// If the entry has been deleted locally in the meantime, the next sync up deletes the record on the server.
        case created(serverId: String)

        /// Returns the resolution for a record that the server has with this ID.
        public static func created(_ serverId: String) -> Resolution { .created(serverId: serverId) }
    }

    /// Returns the entries whose creation was sent with an unknown outcome, by soup.
    ///
    /// The next sync up asks its target about them. If the target cannot look them up, they are not sent again until
    /// ``resolveUnknown(entryId:soup:as:)`` is called.
    public func unknownCreations() async throws -> [SoupName: [Int64]] {
        try await knowingPushes { mayBePushing in
            try await services.backend.read { reader in
                let marks = try InFlightCreates.marks(of: Set(try reader.soupNames()), in: reader)
                return Dictionary(
                    grouping: marks.filter { !$0.isRepeatable && ($0.isLost || !mayBePushing) }, by: \.key.soup
                )
                .mapValues { $0.map(\.key.id) }
            }
        }
    }

    /// Resolves a creation with an unknown outcome.
    ///
    /// If the entry was edited after it was sent, the edit is kept, and the next sync up pushes it. Children that point
    /// to the entry by its temporary ID are updated to the server's ID. The targets of the sync ups define which soups
    /// have such children.
    ///
    /// - Parameter idField: the field of the entry that contains the server's ID.
    /// - Throws: ``SoupError``: `notUnknown` if the entry is no such creation; `syncAlreadyRunning` while it is in
    ///   flight; `differentRecord` if the ID belongs to another record in the soup. In that case nothing is changed.
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
        let keepsSyncedCopies = services.backend.capabilities.contains(.syncedCopies)
        try await services.backend.write { writer in
            let marks = try InFlightCreates.marks(of: [soup], in: writer)
            guard let mark = marks.first(where: { $0.key == key && !$0.isRepeatable }) else {
                throw SoupError(
                    .notUnknown, "entry \(entryId) of soup \"\(soup)\" is not a creation with an unknown outcome",
                    hint: "List them with `soup resolve` or unknownCreations().")
            }
            guard mark.isLost || !mayBePushing else {
                throw SoupError(
                    .syncAlreadyRunning, "entry \(entryId) of soup \"\(soup)\" is being sent to the server",
                    hint: "Wait until the sync has ended.")
            }
            let noError = RecordBatch.Stamp().setting(EntryField.lastError, nil)
            switch resolution {
            case .resend:
                let isLocalOnly = try writer.retrieve([entryId], from: soup).first?.flags.isLocalOnly ?? false
                if isLocalOnly { try writer.remove([entryId], from: soup) }
                // The stored error was written by the engine, and so is this change. Neither is a local edit to push.
                _ = try writer.stamp([EntryStamp(id: entryId, stamp: noError)], in: soup)
            case .created(let serverId):
                guard let entry = try writer.retrieve([entryId], from: soup).first else { break }
                // The entry gets its ID once. Its children are updated in each tree that contains the soup.
                for (number, place) in layouts.flatMap({ $0.places(of: soup) }).enumerated() {
                    var record = TreeReader(layout: place.layout)
                        .record(entry, .create, part: place.part, isDirty: true)
                    record.version = mark.version
                    if let sent = mark.record { record.record = sent }
                    let keepsCopies = keepsSyncedCopies && mark.record != nil
                    let entries = EntryWriter(layout: place.layout, writer: writer, keepsSyncedCopies: keepsCopies)
                    if let copy = try entries.copy(of: record, serverId: serverId) {
                        try Self.check(
                            copy, with: serverId, is: record.record, of: key, part: place.layout.parts[place.part])
                    }
                    if number == 0,
                        case .conflict = try entries.adopt(serverId, for: record, values: noError, latest: .copy)
                    {
                        throw SoupError(
                            .notUnique,
                            "another entry of soup \"\(soup)\" has the ID \(serverId), and both were edited",
                            hint: "Merge the two and delete one of them.")
                    }
                    var relinker = Relinker(layout: place.layout, writer: writer, keepsSyncedCopies: keepsCopies)
                    try relinker.relinkChildren(of: record, to: serverId)
                    try relinker.finish()
                }
                try ConflictStore.clear(key, in: writer)
            }
            try InFlightCreates.clear([key], in: writer)
        }
    }

    /// Throws if the ID belongs to a different record in the store, for example because the caller mistyped it.
    ///
    /// Another user may have changed the record since it was sent. Therefore the check fails only if more members
    /// differ than agree.
    private static func check(
        _ copy: SoupEntry, with serverId: String, is sent: JSONText, of key: EntryKey, part: RecordLayout.Part
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
            "\(serverId) is the ID of entry \(copy.id) of soup \"\(key.soup)\", which has other values in "
                + differing.joined(separator: ", "),
            hint: "Check the ID. If it is the same record, remove entry \(copy.id) first: "
                + "`soup delete \(key.soup) \(copy.id) --now`, or delete(_:from:).")
    }

    /// Returns the layouts in which a soup is pushed: the trees of all sync ups that contain it, or else the soup
    /// alone.
    ///
    /// - Parameter idField: the ID field of the soup; `nil` accepts any.
    /// - Returns: each layout once, in the order of the syncs; at least one.
    func layouts(of soup: SoupName, idField: String?) async throws -> [RecordLayout] {
        let found = try await services.pushedTrees().filter { layout in
            layout.parts.contains { $0.soup == soup && (idField == nil || $0.idField == idField) }
        }
        var layouts: [RecordLayout] = []
        for layout in found where !layouts.contains(layout) { layouts.append(layout) }
        return layouts.isEmpty
            ? [RecordLayout(parts: [RecordLayout.Part(soup: soup, idField: idField ?? "Id")])] : layouts
    }

    /// Runs `body`, with an argument for whether a sync in any process may be waiting for responses.
    ///
    /// If not, no sync of another process sends a request before `body` returns.
    private func knowingPushes<T: Sendable>(_ body: (Bool) async throws -> T) async throws -> T {
        try await holdingSyncsIfFree { isHeld in try await body(!isHeld || !active.isEmpty) }
    }
}

extension RecordLayout {
    /// Returns the positions of a soup in the tree.
    func places(of soup: SoupName) -> [(layout: RecordLayout, part: Int)] {
        parts.indices.filter { parts[$0].soup == soup }.map { (self, $0) }
    }
}
