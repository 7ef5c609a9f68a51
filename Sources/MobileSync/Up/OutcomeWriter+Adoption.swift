// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OutcomeWriter {
    /// Gives an entry the id under which the server has it now.
    ///
    /// A sync down may have brought the same record as an entry of its own, while nobody knew that the server had it.
    /// Then one of the two goes: the copy, unless only the copy was edited since. When both were, neither may go.
    ///
    /// - Parameters:
    ///   - news: what the push changed besides.
    ///   - link: which parent the record was pushed under.
    /// - Returns: false when both stay, and the creation remains unresolved.
    mutating func adopt(
        _ member: PushMember, _ serverId: String?, _ news: Stamp, _ link: Stamp = Stamp()
    ) throws -> Bool {
        let part = layout.parts[member.part]
        let soup = member.key.soup
        // An entry that the app took out of the soup meanwhile is not brought back; a sync down will, if it is to.
        guard let entry = try writer.retrieve([member.key.id], from: soup).first else { return true }
        var news = news
        if let serverId {
            if let copy = try copy(of: member, serverId) {
                if !copy.flags.local {
                    try writer.delete([copy.id], from: soup)
                } else if entry.lastModified == member.version {
                    try writer.delete([entry.id], from: soup)
                    return true
                } else {
                    try lose(member, .twoCopies(serverId, copy.id))
                    return false
                }
            }
            news = news.setting(part.idField, try value(serverId, at: part.idField, in: soup))
        }
        let stillDirty = Stamp.update.setting(EntryField.locallyCreated, .false)
        try stampPushed(member, Stamp.clean, otherwise: stillDirty, news, link)
        return true
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
            message: "the server has this record as \(serverId), which entry \(entryId) stands for too, and both were "
                + "edited: merge them, delete one and resolve the other")
    }
}
