// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Compares the fields that syncs up send with those that syncs down bring into the same soup.
///
/// A misspelt name in a list of updates is an edit that is never sent, and that the next sync down takes back.
struct SentFieldCheck {
    private struct Sending {
        var sync: String
        var soup: SoupName
        var list: SentFields
        /// Members that come and go without being in a list.
        var always: Set<String>
        /// Where the list is in the file.
        var path: [ConfigurationStep]

        func problem(_ field: String, _ nearest: String?, isOtherCase: Bool) -> ConfigurationProblem {
            let what =
                isOtherCase
                ? "a sync brings \"\(nearest ?? "")\": case counts in records, which have the server's spelling"
                : "no sync brings such a field"
            let remedy =
                isOtherCase
                ? "Write both as the server does. "
                : nearest.map { "Did you mean \"\($0)\"? " } ?? "Let a sync down bring it, too. "
            return ConfigurationProblem(
                .warning, at: Place(path: path.text),
                "\"\(sync)\" sends \"\(field)\" of the soup \"\(soup)\", and \(what)",
                hint: remedy
                    + "An edit of a field that is in no list is not sent, and the next sync down takes it back.")
        }
    }

    private var sendings: [Sending] = []
    /// The members that are brought, as the queries write them: in the records they are written as the server does.
    private var brought: [SoupName: Set<String>] = [:]
    /// Soups into which somebody brings nobody knows what.
    private var unknown: Set<SoupName> = []

    /// Takes note of what a sync brings or sends.
    ///
    /// - Parameter path: where the sync is.
    mutating func note(
        _ name: String, _ soup: SoupName, _ target: SyncTarget, _ options: SyncOptions, at path: [ConfigurationStep]
    ) {
        for (position, part) in target.parts(for: soup).enumerated() {
            if target.type == .syncDown {
                let members = target.broughtFields(position).flatMap(\.fields).map { SentFields.member(of: $0) }
                if members.isEmpty { unknown.insert(part.soup) }
                brought[part.soup, default: []].formUnion(members)
            }
            for list in target.sentFields(position, options) {
                let always = ["attributes", part.idField, part.modificationDateField, part.parentIdField]
                sendings.append(
                    Sending(
                        sync: name, soup: part.soup, list: list, always: Set(always.compactMap { $0 }),
                        path: path + list.steps))
            }
        }
    }

    /// Warns of fields of updates that no sync brings, and of those of creations that look like one that is brought.
    ///
    /// Of soups of which it is not known what comes into them nothing is said, and neither of those that nothing comes
    /// into.
    func finish(_ problems: inout [ConfigurationProblem]) {
        var told: Set<String> = []
        for sending in sendings where !unknown.contains(sending.soup) {
            guard let known = brought[sending.soup] else { continue }
            for (field, member) in zip(sending.list.fields, sending.list.members) {
                guard !known.contains(member), !sending.always.contains(member) else { continue }
                let nearest = NameDistance.nearest(to: member, in: known.sorted())
                // What is only ever created may well never come back.
                guard sending.list.kind == .update || nearest != nil else { continue }
                guard told.insert("\(sending.path.text) \(field)").inserted else { continue }
                problems.append(
                    sending.problem(field, nearest, isOtherCase: nearest?.lowercased() == member.lowercased()))
            }
        }
    }
}
