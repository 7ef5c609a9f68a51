// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OutcomeWriter {
    /// Which of two entries of one record holds what the server has.
    enum LastKnown {
        /// The one that was pushed just now.
        case pushed
        /// The one that a sync down brought after the push; the other one too, where it was edited since.
        case copy
        /// Nobody knows: the changes of the entry that was pushed are still to be sent.
        case neither
    }

    /// Gives an entry the id under which the server has it now.
    ///
    /// A sync down may have brought the same record as an entry of its own, while nobody knew that the server had it.
    /// Then one of the two goes: the copy, unless only the copy was edited since. When both were, neither may go. What
    /// a copy that goes has from the server, and the entry has not, the entry gets.
    ///
    /// - Parameters:
    ///   - news: what the push changed besides.
    ///   - link: which parent the record was pushed under.
    /// - Returns: false when both stay, and the creation remains unresolved.
    mutating func adopt(
        _ member: PushMember, _ serverId: String?, _ news: Stamp, _ link: Stamp = Stamp(),
        lastKnown: LastKnown = .pushed
    ) throws -> Bool {
        let part = layout.parts[member.part]
        let soup = member.key.soup
        // An entry that the app took out of the soup meanwhile is not brought back; a sync down will, if it is to.
        guard let entry = try writer.retrieve([member.key.id], from: soup).first else { return true }
        var (news, link) = (news, link)
        let isEdited = entry.lastModified != member.version
        if let serverId {
            if let copy = try copy(of: member, serverId) {
                if !copy.flags.local {
                    news = Self.gains(from: copy, over: entry).merging(news)
                    if lastKnown == .copy, !isEdited { link = link.merging(Self.gains(from: copy)) }
                    try writer.delete([copy.id], from: soup)
                } else if !isEdited, lastKnown != .neither {
                    try writer.delete([entry.id], from: soup)
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

    /// What a copy tells of a record: all of it, or what another entry does not have.
    private static func gains(from copy: SoupEntry, over entry: SoupEntry? = nil) -> Stamp {
        let known = Set(EntryField.own + (entry?.stored.members ?? []).map(\.key))
        return Stamp(
            (copy.recordForServer.members ?? [])
                .filter { !known.contains($0.key) && !$0.key.utf8.contains(UInt8(ascii: ".")) }
                .map { Stamp.Member($0.key, $0.value) })
    }

    /// An id as the soup keeps it: as a number where the index says so.
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
