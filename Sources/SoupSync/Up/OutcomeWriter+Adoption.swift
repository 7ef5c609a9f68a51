// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OutcomeWriter {
    /// Which of two entries for the same record contains the server's version.
    enum LastKnown {
        /// The entry that was pushed now.
        case pushed
        /// The copy that a sync down fetched after the push; also the pushed entry, if it was edited since.
        case copy
        /// Unknown: the changes of the pushed entry still have to be pushed.
        case neither
    }

    /// Sets the server's ID in an entry.
    ///
    /// A sync down may have fetched the same record into an entry of its own, before the ID of the created record was
    /// known. In that case one of the two entries is removed: the copy, unless only the copy was edited since. If both
    /// were edited, neither is removed. Server values that only the removed copy has are added to the entry.
    ///
    /// - Parameters:
    ///   - news: the other values that the push changed.
    ///   - link: the parent under which the record was pushed.
    /// - Returns: `false` if both entries are kept, and the creation remains unresolved.
    mutating func adopt(
        _ member: PushMember, _ serverId: String?, _ news: Stamp, _ link: Stamp = Stamp(),
        lastKnown: LastKnown = .pushed
    ) throws -> Bool {
        let part = layout.parts[member.part]
        let soup = member.key.soup
        // If the app removed the entry from the soup during the push, the entry is not restored. A sync down can fetch
        // the record.
        guard let entry = try writer.retrieve([member.key.id], from: soup).first else { return true }
        var (news, link) = (news, link)
        let isEdited = entry.lastModified != member.version
        if let serverId {
            if let copy = try copy(of: member, serverId) {
                if !copy.flags.local {
                    news = Self.gains(from: copy, over: entry).merging(news)
                    if lastKnown == .copy, !isEdited { link = link.merging(Self.gains(from: copy)) }
                    try writer.remove([copy.id], from: soup)
                } else if !isEdited, lastKnown != .neither {
                    try writer.remove([entry.id], from: soup)
                    return true
                } else {
                    try lose(member, .twoCopies(serverId, copy.id), mayRepeat: false)
                    return false
                }
            }
            news = news.setting(part.idField, try value(serverId, at: part.idField, in: soup))
        }
        let stillDirty = Stamp.update.setting(EntryField.locallyCreated, .false)
        guard lastKnown == .neither else {
            try stampPushed(member, Stamp.clean, otherwise: stillDirty, news, link)
            return true
        }
        try stamp(member.key, stillDirty.merging(news))
        return true
    }

    /// Returns the values of a copy: all of them, or only those that another entry does not have.
    private static func gains(from copy: SoupEntry, over entry: SoupEntry? = nil) -> Stamp {
        let known = Set(EntryField.own + (entry?.stored.members ?? []).map(\.key))
        return Stamp(
            (copy.recordForServer.members ?? [])
                .filter { !known.contains($0.key) && !$0.key.utf8.contains(UInt8(ascii: ".")) }
                .map { Stamp.Member($0.key, $0.value) })
    }

    /// Returns an ID in the type of the soup's index: as a number for an integer index.
    func value(_ id: String, at field: String, in soup: SoupName) throws -> JSONText {
        let kind = try writer.indexSpecs(of: soup).first { $0.path == JSONPath(field) }?.kind
        if kind == .integer, let number = Int64(id) { return .integer(number) }
        return .string(id)
    }

    func copy(of member: PushMember, _ serverId: String) throws -> SoupEntry? {
        let path = JSONPath(layout.parts[member.part].idField)
        let soup = member.key.soup
        guard try writer.indexSpecs(of: soup).contains(where: { $0.path == path }),
            let id = try writer.lookup(try value(serverId, at: path.rawValue, in: soup).value, at: path, in: soup),
            id != member.key.id
        else { return nil }
        return try writer.retrieve([id], from: soup).first
    }
}

extension PushFailure {
    fileprivate static func twoCopies(_ serverId: String, _ entryId: Int64) -> PushFailure {
        PushFailure(
            code: "TWO_COPIES",
            message: "the server has this record as \(serverId), which entry \(entryId) stands for too, and both have "
                + "changes that it may not have: merge them, delete one and resolve the other")
    }
}
