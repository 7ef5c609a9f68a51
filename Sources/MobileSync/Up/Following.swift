// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A child that was sent under a temporary id of its parent, and that points to the parent's own id by now.
///
/// That is a write of ours: for whoever asks later what became of the child, it is no edit that has to go up, and the
/// server has the child under this parent already.
struct Following: Sendable {
    var field: String
    var old: String
    var new: JSONText
    /// The `lastModified` of the entry in front of that write and behind it.
    var before: Int64
    var after: Int64

    /// What was sent, as the server has it.
    func record(_ sent: JSONText) -> JSONText {
        guard sent[JSONPath(field)]?.idText == old else { return sent }
        return RecordMerge.overlay(.object([(name: field, value: new)]), over: sent)
    }

    func version(_ version: Int64) -> Int64 { version == before ? after : version }
}

extension OutcomeWriter {
    /// Takes note that a child of unknown fate, or one that was edited since it was sent, follows its parent.
    ///
    /// - Parameter entry: as it was.
    mutating func follow(_ entry: SoupEntry, _ key: EntryKey, _ field: String, from old: String, to new: JSONText)
        throws
    {
        guard entry.flags.local else { return }
        let after = try writer.retrieve([entry.id], from: key.soup).first?.lastModified ?? entry.lastModified
        let following = Following(field: field, old: old, new: new, before: entry.lastModified, after: after)
        if entry.flags.created {
            followings[key] = following
        } else if keepsBases, LocalId.isLocal(old),
            let copy = try writer.syncedCopies(of: [entry.id], in: key.soup)[entry.id]
        {
            try writer.setSyncedCopies([entry.id: following.record(copy)], in: key.soup)
        }
    }

    /// A creation as it was sent, after its parent was settled.
    func followed(_ member: PushMember) -> PushMember {
        guard let following = followings[member.key] else { return member }
        var member = member
        member.version = following.version(member.version)
        member.record = following.record(member.record)
        return member
    }

    /// Lets the marks of creations of unknown fate follow, too.
    func settleFollowings() throws {
        guard !followings.isEmpty else { return }
        let marks = try FlightLog.marks(of: Set(followings.keys.map(\.soup)), in: writer)
        try FlightLog.set(
            marks.compactMap { mark in
                guard let following = followings[mark.key] else { return nil }
                var mark = mark
                mark.version = following.version(mark.version)
                mark.record = mark.record.map(following.record)
                return mark
            }, in: writer)
    }
}
