// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A check that compares the fields that sync ups send with those that sync downs fetch into the same soup.
///
/// If a list of updates contains a misspelt name, an edit is never sent, and the next sync down reverts it.
struct PushedFieldCheck {
    private struct PushedList {
        var sync: String
        var soup: SoupName
        var list: PushedFields
        /// Members that are fetched and sent without being in a list.
        var always: Set<String>
        /// The place of the list in the file.
        var path: [ConfigurationStep]

        func problem(_ field: String, nearest: String?, isOtherCase: Bool) -> ConfigurationProblem {
            let reason =
                isOtherCase
                ? "a sync down fetches as \"\(nearest ?? "")\"; case is significant in records"
                : "no sync down fetches"
            let correction =
                isOtherCase
                ? "Use the server's spelling in both. "
                : nearest.map { "Did you mean \"\($0)\"? " } ?? "Add it to a sync down. "
            return ConfigurationProblem(
                .warning, at: SoupError.Place(path: path.text),
                "the sync \"\(sync)\" pushes the field \"\(field)\" of the soup \"\(soup)\", which \(reason)",
                hint: correction
                    + "An edit of a field that is in no list is not sent, and the next sync down discards it.")
        }
    }

    private var lists: [PushedList] = []
    /// The fetched members, as written in the queries; the records have the server's spelling.
    private var fetched: [SoupName: Set<String>] = [:]
    /// Soups into which a sync fetches unknown fields.
    private var unknown: Set<SoupName> = []

    /// Records the fields that a sync fetches or sends.
    ///
    /// - Parameters:
    ///   - sync: the name of the sync.
    ///   - path: the place of the sync.
    mutating func note(
        _ target: SyncTarget, of sync: String, soup: SoupName, options: SyncOptions, at path: [ConfigurationStep]
    ) {
        for (position, level) in target.levels(for: soup).enumerated() {
            if target.type == .syncDown {
                let members = target.fetchedFields(position).flatMap(\.fields).map { PushedFields.member(of: $0) }
                if members.isEmpty { unknown.insert(level.soup) }
                fetched[level.soup, default: []].formUnion(members)
            }
            for list in target.pushedFields(position, options) {
                let always = ["attributes", level.idField, level.modificationDateField, level.parentIdField]
                lists.append(
                    PushedList(
                        sync: sync, soup: level.soup, list: list, always: Set(always.compactMap { $0 }),
                        path: path + list.steps))
            }
        }
    }

    /// Warns about fields of updates that no sync fetches, and fields of creations that resemble a fetched one.
    ///
    /// Reports nothing for a soup whose fetched fields are unknown, or into which no sync fetches records.
    func finish(problems: inout [ConfigurationProblem]) {
        var reported: Set<String> = []
        for pushed in lists where !unknown.contains(pushed.soup) {
            guard let known = fetched[pushed.soup] else { continue }
            for (field, member) in zip(pushed.list.fields, pushed.list.members) {
                guard !known.contains(member), !pushed.always.contains(member) else { continue }
                let nearest = NameDistance.nearest(to: member, in: known.sorted())
                // A field that is only sent with creations may legitimately never be fetched.
                guard pushed.list.kind == .update || nearest != nil else { continue }
                guard reported.insert("\(pushed.path.text) \(field)").inserted else { continue }
                problems.append(
                    pushed.problem(
                        field, nearest: nearest, isOtherCase: nearest?.lowercased() == member.lowercased()))
            }
        }
    }
}
