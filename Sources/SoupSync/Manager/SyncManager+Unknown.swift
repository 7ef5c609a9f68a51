// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
        ///
        /// - Parameter modificationDate: the date of the version that has the values that were sent, from
        ///   ``Verification/verified(modificationDate:)``. Without it, other users may have changed the record since:
        ///   local changes then count as older than every version of the server, so that a merge mode that detects
        ///   conflicts overwrites none.
        case created(serverId: String, modificationDate: Date? = nil)

        /// Returns the resolution for a record that the server has with this ID.
        public static func created(_ serverId: String, modificationDate: Date? = nil) -> Resolution {
            .created(serverId: serverId, modificationDate: modificationDate)
        }
    }

    /// Returns the entries whose creation was sent with an unknown outcome, by soup.
    ///
    /// The next sync up asks its target about them. If the target cannot look them up, they are not sent again until
    /// ``resolveUnknown(entryId:soup:as:idField:)`` is called.
    public func unknownCreations() async throws -> [SoupName: [Int64]] {
        try await checkingForPushes { mayBePushing in
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
    /// - Parameter idField: the field of the entry that contains the server's ID; `nil` for the one that the sync ups
    ///   of the soup define, and for `Id` without such a sync.
    /// - Throws: ``SoupError``: `notUnknown` if the entry is no such creation; `syncAlreadyRunning` while it is in
    ///   flight; `differentRecord` if the ID belongs to another record in the soup. In that case nothing is changed.
    public func resolveUnknown(
        entryId: Int64, soup: SoupName, as resolution: Resolution, idField: String? = nil
    ) async throws {
        try await checkingForPushes { mayBePushing in
            try await resolveUnknown(
                EntryKey(soup: soup, id: entryId), as: resolution, idField: idField, mayBePushing: mayBePushing)
        }
    }

    /// The result of ``verifyCreated(_:entryId:soup:)``.
    public enum Verification: Sendable, Hashable {
        /// The server has the record with the values that were sent.
        ///
        /// The date is that of its last change. It is nil if the record has none, or if it has values that were not
        /// sent, for example those of another user.
        case verified(modificationDate: Date?)
        /// The server's record was not compared: no sync up of the soup has a target that fetches single records, or
        /// the values that were sent are unknown.
        case notVerified
    }

    /// Asks the server whether it has the record of a creation with an unknown outcome under an ID; call it before
    /// ``resolveUnknown(entryId:soup:as:idField:)``.
    ///
    /// A record with another value in one of the fields that were sent counts as a different one, although another
    /// user may have changed it since. Null counts as no value.
    ///
    /// - Parameter serverId: the ID that the user or the app has found.
    /// - Throws: ``SoupError``: `differentRecord` if the server has no record with the ID, or a different one;
    ///   `notUnknown` if the entry is no creation with an unknown outcome; the errors of the target.
    public func verifyCreated(_ serverId: String, entryId: Int64, soup: SoupName) async throws -> Verification {
        let key = EntryKey(soup: soup, id: entryId)
        let mark = try await services.backend.read { reader in
            try InFlightCreates.marks(of: [soup], in: reader).first { $0.key == key && !$0.isRepeatable }
        }
        guard let mark else { throw Self.notUnknown(entryId, soup) }
        guard let sent = mark.record else { return .notVerified }
        var isMissing = false
        for state in try await syncs() where state.definition.type == .syncUp {
            guard let target = try? services.registry.upTarget(of: state.definition) else { continue }
            let layout = target.recordLayout(for: state.definition.soup)
            guard let level = layout.levels.firstIndex(where: { $0.soup == soup }) else { continue }
            let context = services.context(for: state.definition, connection: target.connectionName)
            let creation = RecordChange(
                .create, soup: soup, entryId: entryId, serverId: serverId, record: sent, level: level)
            let server = ServerQuestions(target: target, context: context)
            switch try await server.records(of: [creation]).first {
            case .record(let record)?:
                let (equal, different) = UnknownResolution.comparison(of: record, with: sent, layout.levels[level])
                guard different.isEmpty else { throw Self.differentRecord(serverId, than: key, in: different) }
                // Nothing that was sent can be compared.
                if equal == 0 { continue }
                let date = try await date(of: record, sentAs: creation, layout.levels[level], askedOf: server)
                return .verified(modificationDate: date.map { Date(millisecondsSince1970: $0) })
            // The target of another sync up can have created it.
            case .missing?: isMissing = true
            case .failed(let error)?: throw services.masked(error)
            case .unsupported?, nil: continue
            }
        }
        guard isMissing else { return .notVerified }
        throw SoupError(
            .differentRecord, "the server has no record with the ID \(serverId)",
            hint: "Check the ID. If the server does not have the record, resolve the entry as to be sent again.")
    }

    /// Returns the date of a created record in milliseconds since 1970.
    ///
    /// Updates can send other fields than creations, so the record is fetched a second time, with these.
    ///
    /// - Parameter record: the record as it was fetched first, whose date counts.
    /// - Returns: `nil` if it has values that were not sent, or no date.
    private func date(
        of record: JSONText, sentAs creation: RecordChange, _ level: RecordLayout.Level, askedOf server: ServerQuestions
    ) async throws -> Int64? {
        guard let later = try await server.records(of: [creation.asUpdate]).first?.record else { return nil }
        let whole = RecordMerge.overlay(record, over: later)
        guard !LaterVersion(whole, after: creation.record, level).hasNews else { return nil }
        return level.dateFormat.milliseconds(in: record[JSONPath(level.modificationDateField)])
    }

    private static func differentRecord(_ serverId: String, than key: EntryKey, in fields: [String]) -> SoupError {
        SoupError(
            .differentRecord,
            "the server's record \(serverId) has other values than entry \(key.id) of soup \"\(key.soup)\" in "
                + fields.joined(separator: ", "),
            hint: "Check the ID. If it is the right one, and another user has changed the record since, resolve "
                + "the entry without this check (`--unverified`).")
    }

    private static func notUnknown(_ entryId: Int64, _ soup: SoupName) -> SoupError {
        SoupError(
            .notUnknown, "entry \(entryId) of soup \"\(soup)\" is not a creation with an unknown outcome",
            hint: "List these creations with `soup resolve` or unknownCreations().")
    }

    private func resolveUnknown(
        _ key: EntryKey, as resolution: Resolution, idField: String?, mayBePushing: Bool
    ) async throws {
        let (soup, entryId) = (key.soup, key.id)
        let layouts = try await layouts(of: soup, idField: idField)
        let keepsSyncedCopies = layouts.allSatisfy { services.keepsSyncedCopies(of: $0) }
        try await services.backend.write { writer in
            let marks = try InFlightCreates.marks(of: [soup], in: writer)
            guard let mark = marks.first(where: { $0.key == key && !$0.isRepeatable }) else {
                throw Self.notUnknown(entryId, soup)
            }
            guard mark.isLost || !mayBePushing else {
                throw SoupError(
                    .syncAlreadyRunning, "entry \(entryId) of soup \"\(soup)\" is being sent to the server",
                    hint: "Wait until the sync has ended.")
            }
            try UnknownResolution(layouts: layouts, keepsSyncedCopies: keepsSyncedCopies, writer: writer)
                .resolve(mark, as: resolution)
        }
    }

    /// Returns the layouts in which a soup is pushed: the trees of all sync ups that contain it, or else that of the
    /// first sync up of the soup alone.
    ///
    /// - Parameter idField: the ID field of the soup; `nil` accepts any.
    /// - Returns: each layout once, in the order of the syncs; at least one.
    func layouts(of soup: SoupName, idField: String?) async throws -> [RecordLayout] {
        let found = try await services.pushedLayouts().filter { layout in
            layout.levels.contains { $0.soup == soup && (idField == nil || $0.idField == idField) }
        }
        let trees = found.filter(\.isTree)
        var layouts: [RecordLayout] = []
        for layout in trees.isEmpty ? Array(found.prefix(1)) : trees where !layouts.contains(layout) {
            layouts.append(layout)
        }
        return layouts.isEmpty
            ? [RecordLayout(levels: [RecordLayout.Level(soup: soup, idField: idField ?? "Id")])] : layouts
    }

    /// Calls `body` and passes whether a sync of any process may be waiting for a response.
    ///
    /// If not, no sync of another process sends a request before `body` returns.
    private func checkingForPushes<T: Sendable>(_ body: (Bool) async throws -> T) async throws -> T {
        try await holdingSyncsIfFree { isHeld in try await body(!isHeld || !active.isEmpty) }
    }
}

extension RecordLayout {
    /// Returns the positions of a soup in the tree.
    func places(of soup: SoupName) -> [(layout: RecordLayout, level: Int)] {
        levels.indices.filter { levels[$0].soup == soup }.map { (self, $0) }
    }
}
