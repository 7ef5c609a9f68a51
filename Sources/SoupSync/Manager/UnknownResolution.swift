// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Resolves a creation with an unknown outcome as the user or the app determined it, inside one transaction.
struct UnknownResolution {
    /// The layouts in which the soup of the creation is pushed.
    let layouts: [RecordLayout]
    let keepsSyncedCopies: Bool
    let writer: any StoreWriter

    private static let noError = RecordBatch.Stamp().setting(EntryField.lastError, nil)

    /// Resolves a creation, and removes its mark.
    func resolve(_ mark: InFlightCreates.Mark, as resolution: SyncManager.Resolution) throws {
        switch resolution {
        case .resend: try sendAgain(mark.key)
        case .created(let serverId, let date):
            if let entry = try writer.retrieve([mark.key.id], from: mark.key.soup).first {
                try adopt(serverId, modifiedAt: date?.millisecondsSince1970, for: entry, sentAs: mark)
            }
        }
        try InFlightCreates.clear([mark.key], in: writer)
    }

    private func sendAgain(_ key: EntryKey) throws {
        let isLocalOnly = try writer.retrieve([key.id], from: key.soup).first?.flags.isLocalOnly ?? false
        if isLocalOnly { try writer.remove([key.id], from: key.soup) }
        // The stored error was written by the engine, and so is this change. Neither is a local edit to push.
        _ = try writer.stamp([EntryStamp(id: key.id, stamp: Self.noError)], in: key.soup)
    }

    /// Sets the server's ID of an entry and in its children.
    ///
    /// The entry gets its ID once. Its children are updated in each tree that contains the soup.
    ///
    /// - Parameter date: the date of the version that has the values that were sent; `nil` if it is unknown, and local
    ///   changes count as older than every version.
    private func adopt(
        _ serverId: String, modifiedAt date: Int64?, for entry: SoupEntry, sentAs mark: InFlightCreates.Mark
    ) throws {
        let key = mark.key
        let keepsCopies = keepsSyncedCopies && mark.record != nil
        for (number, place) in layouts.flatMap({ $0.places(of: key.soup) }).enumerated() {
            var record = TreeReader(layout: place.layout).record(entry, .create, level: place.level, isDirty: true)
            record.version = mark.version
            if let sent = mark.record { record.record = sent }
            let entries = EntryWriter(layout: place.layout, writer: writer, keepsSyncedCopies: keepsCopies)
            if let copy = try entries.copy(of: record, serverId: serverId) {
                let former = try ReplacedIds.formerIds(of: serverId, in: key.soup, writer)
                guard former.allSatisfy({ $0 == record.id }) else {
                    throw SoupError(
                        .differentRecord,
                        "entry \(copy.id) of soup \"\(key.soup)\", which was created on this device, has the ID "
                            + serverId,
                        hint: "Two creations are two records: check the ID. If the server has only one of them, "
                            + "resolve the other as to be sent again.")
                }
                try check(copy, with: serverId, is: record.record, of: key, level: place.layout.levels[place.level])
            }
            let level = place.layout.levels[place.level]
            let values = Self.noError
                .setting(level.modificationDateField, level.dateFormat.value(ofMilliseconds: date ?? 0))
                .merging(level.stamp(ofVersion: nil))
            if number == 0,
                case .conflict = try entries.adopt(serverId, for: record, values: values, latest: .copy)
            {
                throw SoupError(
                    .notUnique,
                    "another entry of soup \"\(key.soup)\" has the ID \(serverId), and both were edited",
                    hint: "Merge the two and delete one of them.")
            }
            var relinker = Relinker(layout: place.layout, writer: writer, keepsSyncedCopies: keepsCopies)
            try relinker.relink(record, to: serverId)
            try relinker.finish()
        }
        try ConflictStore.clear(key, in: writer)
    }

    /// Throws if the ID belongs to a different record in the store, for example because the caller mistyped it.
    ///
    /// The copy in the store can contain later changes of others, and edits of this device. Therefore, other than
    /// ``SyncManager/verifyCreated(_:entryId:soup:)``, which asks the server, the check fails only if more members are
    /// different than equal.
    private func check(
        _ copy: SoupEntry, with serverId: String, is sent: JSONText, of key: EntryKey, level: RecordLayout.Level
    ) throws {
        let (equal, different) = Self.comparison(of: copy.recordForServer, with: sent, level)
        guard different.count > equal else { return }
        throw SoupError(
            .differentRecord,
            "\(serverId) is the ID of entry \(copy.id) of soup \"\(key.soup)\", which has other values in "
                + different.joined(separator: ", "),
            hint: "Check the ID. If it is the same record, remove entry \(copy.id) first: "
                + "`soup delete \(key.soup) \(copy.id) --now`, or delete(_:from:).")
    }

    /// Compares a record with a creation that was sent.
    ///
    /// - Returns: the number of members with equal values, and the members with other values, or with null in the
    ///   record; members that one of them lacks, and those that the server sets, do not count.
    static func comparison(
        of record: JSONText, with sent: JSONText, _ level: RecordLayout.Level
    ) -> (equal: Int, different: [String]) {
        let skipped = Set(
            EntryMerge.serverMembers(level, in: [record, sent]) + [level.parentIdField].compactMap { $0 })
        let members = record.members ?? []
        var (equal, different): (Int, [String]) = (0, [])
        for member in sent.members ?? [] where !skipped.contains(member.key) && member.value != .null {
            guard let value = members.first(where: { $0.key == member.key })?.value else { continue }
            let texts = [value, member.value].map { LaterVersion.normalized($0) }
            let isEqual = value.value == member.value.value || texts[0] != nil && texts[0] == texts[1]
            if isEqual { equal += 1 } else { different.append(member.key) }
        }
        return (equal, different)
    }
}
