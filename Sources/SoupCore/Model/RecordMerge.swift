// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A merge of two changed versions of a record, member by member, against their common base version.
///
/// * A member that one side changed has that side's value. A member that both sides changed to the same value has that
///   value.
/// * A member that both changed, to different values, is in conflict.
/// * A member that a version does not contain counts as unchanged there; null is a value. Without a base, every
///   difference is a conflict.
/// * Members that belong to the server, such as its modification date, have the server's value.
///
/// Values are compared as in ``JSONValue``: numbers by value, objects without regard to the order of their members. Two
/// ISO 8601 times are equal if they are the same moment, because servers format them differently.
package struct RecordMerge: Sendable {
    /// The merged record; members in conflict have the local value.
    package let record: JSONText
    /// The members in conflict, in the order of the local record.
    package let conflicts: [String]
    /// The members whose merged value the server does not have, in the order of the local record.
    ///
    /// Each has a local value, or was changed locally and is not part of the server's version.
    package let localChanges: [String]
    /// Whether ``localChanges`` is not empty.
    package var hasLocalChanges: Bool { !localChanges.isEmpty }
    /// Whether the server changed a member, compared with the base.
    package let hasRemoteChanges: Bool

    /// Merges two versions.
    ///
    /// The values are copied as written. The server's members come first, in its order.
    ///
    /// - Parameters:
    ///   - base: the common base version; nil if it is unknown.
    ///   - local: a JSON object, without SoupKit's system fields.
    ///   - remote: a JSON object; it need not contain all members.
    ///   - serverMembers: members that only the server sets.
    package init(base: JSONText?, local: JSONText, remote: JSONText, serverMembers: [String]) {
        let base = base.map(Members.init)
        let (local, remote) = (Members(local), Members(remote))
        let own = Set(serverMembers.map { Array($0.utf8) })
        var merged: [(name: String, value: JSONText)] = []
        var inConflict: Set<[UInt8]> = []
        var ours: Set<[UInt8]> = []
        var remoteWins = false
        for (name, theirs) in remote.ordered {
            let key = Array(name.utf8)
            guard !own.contains(key) else {
                merged.append((name, theirs))
                continue
            }
            let choice = MemberChoice(base: base.map { $0[key] }, local: local[key], remote: theirs)
            merged.append((name, choice.value))
            if choice.isLocal { ours.insert(key) }
            if choice.isConflict { inConflict.insert(key) }
            remoteWins = remoteWins || choice.hasRemoteChange
        }
        for (name, mine) in local.ordered where remote[Array(name.utf8)] == nil {
            merged.append((name, mine))
            let isUnchanged = base.map { Self.isSame($0[Array(name.utf8)], mine) } ?? false
            if !own.contains(Array(name.utf8)), !isUnchanged { ours.insert(Array(name.utf8)) }
        }
        record = .object(merged)
        conflicts = local.ordered.map(\.name).filter { inConflict.contains(Array($0.utf8)) }
        localChanges = ours.isEmpty ? [] : local.ordered.map(\.name).filter { ours.contains(Array($0.utf8)) }
        hasRemoteChanges = remoteWins
    }

    /// Returns a record merged over another: its members replace those of the same name, and the others are added.
    package static func overlay(_ record: JSONText, over other: JSONText) -> JSONText {
        let above = Members(record)
        let below = Members(other)
        let kept = below.ordered.map { (name: $0.name, value: above[Array($0.name.utf8)] ?? $0.value) }
        let added = above.ordered.filter { below[Array($0.name.utf8)] == nil }
        return .object(kept + added)
    }

    /// The value of a member of the server's version after the merge.
    private struct MemberChoice {
        let value: JSONText
        /// Whether the value is the local one, which the server does not have.
        var isLocal = false
        /// Whether both sides changed the member.
        var isConflict = false
        /// Whether the server changed the member.
        let hasRemoteChange: Bool

        /// - Parameter base: the value in the base, which is nil if the base has none; nil for an unknown base.
        init(base: JSONText??, local: JSONText?, remote: JSONText) {
            let isChanged = base.map { !RecordMerge.isSame($0, remote) } ?? true
            guard let local, !RecordMerge.isSame(local, remote) else {
                (value, hasRemoteChange) = (remote, base != nil && isChanged)
                return
            }
            if let base, RecordMerge.isSame(base, local) {
                (value, hasRemoteChange) = (remote, true)
            } else {
                (value, hasRemoteChange) = (local, isChanged)
                (isLocal, isConflict) = (true, isChanged)
            }
        }
    }

    private static func isSame(_ left: JSONText?, _ right: JSONText?) -> Bool {
        left?.bytes == right?.bytes || left?.value == right?.value || isSameMoment(left, right)
    }

    private static func isSameMoment(_ left: JSONText?, _ right: JSONText?) -> Bool {
        guard let left = left?.string, let right = right?.string, let time = DateText.milliseconds(left) else {
            return false
        }
        return time == DateText.milliseconds(right)
    }

    /// The members of an object by the bytes of their names.
    ///
    /// Swift's strings do not distinguish a composed letter from a decomposed one.
    private struct Members {
        var ordered: [(name: String, value: JSONText)] = []
        private var positions: [[UInt8]: Int] = [:]

        /// Of a repeated member the first value is used, as in ``JSONValue``.
        init(_ record: JSONText) {
            for (name, value) in record.members ?? [] where positions[Array(name.utf8)] == nil {
                positions[Array(name.utf8)] = ordered.count
                ordered.append((name, value))
            }
        }

        subscript(key: [UInt8]) -> JSONText? { positions[key].map { ordered[$0].value } }
    }
}
