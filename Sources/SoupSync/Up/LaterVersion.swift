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
    /// The record that this device has sent, with the members that the push did not send.
    private let sent: JSONText
    private let sentValues: [String: JSONText]
    private let level: RecordLayout.Level

    init(_ record: JSONText, after sent: JSONText, _ level: RecordLayout.Level) {
        self.record = record
        self.sent = sent
        self.level = level
        sentValues = Self.values(of: sent)
    }

    private var serverMembers: [String] { EntryMerge.serverMembers(level, in: [record, sent]) }

    /// The members with other values than those in the sent record; `nil` if the version contains none of them.
    var differences: [String]? {
        // On the server, the temporary ID of a parent has been replaced.
        let link = level.parentIdField.flatMap {
            (sentValues[$0]?.value.idText.map(LocalId.isLocal) ?? false) ? $0 : nil
        }
        let skipped = serverMembers + [link].compactMap { $0 }
        let known = Set(sentValues.keys).subtracting(skipped)
        guard record.members?.contains(where: { known.contains($0.key) }) ?? false else { return nil }
        let found = Self.values(of: record)
        return RecordMerge(base: nil, local: sent, remote: record, serverMembers: skipped).conflicts.filter { name in
            let texts = [sentValues[name], found[name]].map(Self.normalized)
            return texts[0] == nil || texts[0] != texts[1]
        }
    }

    /// Whether the version has a value that the sent record does not have; null counts as no value.
    var hasNews: Bool { !news.isEmpty }

    private var news: [(key: String, value: JSONText)] {
        let differences = Set(differences ?? [])
        return ownMembers.filter { name, value in
            value != .null && ((sentValues[name] ?? .null) == .null || differences.contains(name))
        }
    }

    private var ownMembers: [(key: String, value: JSONText)] {
        let skipped = Set(serverMembers + EntryField.own)
        return (record.members ?? []).filter { !skipped.contains($0.key) && !$0.key.utf8.contains(UInt8(ascii: ".")) }
    }

    /// Returns the values that the sent record does not have, for an entry that may have been changed since.
    ///
    /// - Returns: `nil` if a local change of the entry does not start from this version: an edit of one of these
    ///   values, or a deletion.
    func news(for entry: SoupEntry) -> RecordBatch.Stamp? {
        let own = Self.values(of: entry.stored)
        let unknown = news.filter { own[$0.key]?.value != $0.value.value }
        guard unknown.isEmpty || !entry.flags.deleted else { return nil }
        var values = RecordBatch.Stamp()
        for (name, value) in unknown {
            guard own[name] == sentValues[name], (own[name] ?? .null) == .null else { return nil }
            values = values.setting(name, value)
        }
        return values
    }

    /// Returns the values in which an entry without local changes differs from this version, as a sync down writes
    /// them.
    func values(for entry: SoupEntry) -> RecordBatch.Stamp {
        let own = Self.values(of: entry.stored)
        return ownMembers.reduce(RecordBatch.Stamp()) { values, member in
            let isEqual = (own[member.key] ?? .null).value == member.value.value
            return isEqual ? values : values.setting(member.key, member.value)
        }
    }

    /// Returns a string without surrounding white space, and null as an empty string; `nil` for other values.
    ///
    /// Servers may trim strings, and store empty strings as null.
    static func normalized(_ value: JSONText?) -> Substring? {
        guard value != .null else { return "" }
        guard let text = value?.string else { return nil }
        let trimmed = text.drop { $0.isWhitespace }
        return trimmed.lastIndex { !$0.isWhitespace }.map { trimmed[...$0] } ?? ""
    }

    private static func values(of record: JSONText) -> [String: JSONText] {
        Dictionary((record.members ?? []).map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }
}
