// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A child that was sent with a temporary parent ID, and that now points to the parent's server ID.
///
/// The engine itself made this change. It is not a local edit to push, because the server already has the child under
/// this parent.
struct Following: Sendable {
    var field: String
    var old: String
    var new: JSONText
    /// The `lastModified` of the entry before that write, and after it.
    var before: Int64
    var after: Int64

    /// Returns the sent record as the server has it.
    func record(_ sent: JSONText) -> JSONText {
        guard sent[JSONPath(field)]?.idText == old else { return sent }
        return RecordMerge.overlay(.object([(name: field, value: new)]), over: sent)
    }

    func version(_ version: Int64) -> Int64 { version == before ? after : version }
}

extension OutcomeWriter {
    /// Records that a child with an unknown outcome, or one that was edited since it was sent, follows its parent.
    ///
    /// - Parameter entry: the entry before the change.
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

    /// Returns a creation as it was sent, with the parent's new ID.
    func followed(_ member: PushMember) -> PushMember {
        guard let following = followings[member.key] else { return member }
        var member = member
        member.version = following.version(member.version)
        member.record = following.record(member.record)
        return member
    }

    /// Updates the in-flight marks of creations with an unknown outcome to the new parent IDs.
    func settleFollowings() throws {
        guard !followings.isEmpty else { return }
        let marks = try InFlightCreates.marks(of: Set(followings.keys.map(\.soup)), in: writer)
        try InFlightCreates.set(
            marks.compactMap { mark in
                guard let following = followings[mark.key] else { return nil }
                var mark = mark
                mark.version = following.version(mark.version)
                mark.record = mark.record.map(following.record)
                return mark
            }, in: writer)
    }
}
