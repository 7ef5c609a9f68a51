// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A version of a record that was fetched from the server after this device had sent its own.
///
/// It can have values that were not sent: the server has set them, or another user has saved them since. An entry gets
/// the date of such a version only together with these values. With the date alone, they would count as known, and the
/// next edit of the entry would replace them without a conflict.
struct LaterVersion {
    /// The version that was fetched.
    private let record: JSONText
    private let sent: [String: JSONText]
    private let serverMembers: Set<String>

    /// - Parameter sent: the record that this device has sent.
    init(_ record: JSONText, after sent: JSONText, _ level: RecordLayout.Level) {
        self.record = record
        self.sent = Self.members(of: sent)
        serverMembers = Set(EntryMerge.serverMembers(level, in: [record, sent]) + EntryField.own)
    }

    /// The names of the values that were not sent; null counts as no value.
    var unsentMembers: [String] { unsent.map(\.key) }

    private var unsent: [(key: String, value: JSONText)] {
        ownMembers.filter { $0.value != .null && (sent[$0.key] ?? .null) == .null }
    }

    private var ownMembers: [(key: String, value: JSONText)] {
        (record.members ?? []).filter { !serverMembers.contains($0.key) && !$0.key.utf8.contains(UInt8(ascii: ".")) }
    }

    /// Returns the values that were not sent, for an entry that may have been edited since.
    ///
    /// - Returns: `nil` if the entry was edited in one of them, so that the edit does not start from this version.
    func unsentValues(for entry: SoupEntry) -> RecordBatch.Stamp? {
        let own = Self.members(of: entry.stored)
        var values = RecordBatch.Stamp()
        for member in unsent where own[member.key]?.value != member.value.value {
            guard own[member.key] == sent[member.key] else { return nil }
            values = values.setting(member.key, member.value)
        }
        return values
    }

    /// Returns the values in which an entry without local changes differs from this version, as a sync down writes
    /// them.
    func values(for entry: SoupEntry) -> RecordBatch.Stamp {
        let own = Self.members(of: entry.stored)
        return ownMembers.reduce(RecordBatch.Stamp()) { values, member in
            let isEqual = (own[member.key] ?? .null).value == member.value.value
            return isEqual ? values : values.setting(member.key, member.value)
        }
    }

    private static func members(of record: JSONText) -> [String: JSONText] {
        Dictionary((record.members ?? []).map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }
}
