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
        /// Fields that come and go without being in a list, in lower case.
        var always: Set<String>
        /// Where the list is in the file.
        var path: [ConfigurationStep]
    }

    private var sendings: [Sending] = []
    /// What is brought, as it is written, by lower case; of fields over relationships the relationship.
    private var brought: [SoupName: [String: String]] = [:]
    /// Soups into which somebody brings nobody knows what.
    private var unknown: Set<SoupName> = []

    /// Takes note of what a sync brings or sends.
    ///
    /// - Parameter path: where the sync is.
    mutating func note(
        _ name: String, _ soup: SoupName, _ target: SyncTarget, _ options: SyncOptions, at path: [ConfigurationStep]
    ) {
        let parts = target.parts(for: soup)
        for (position, part) in parts.enumerated() {
            if target.type == .syncDown {
                let fields = target.broughtFields(position).flatMap(\.fields).map { Self.relationship(in: $0) }
                if fields.isEmpty { unknown.insert(part.soup) }
                brought[part.soup, default: [:]].merge(fields.map { ($0.lowercased(), $0) }) { first, _ in first }
            }
            for list in target.sentFields(position, options) {
                let always = [
                    part.idField, part.modificationDateField, target.modificationDateField, part.parentIdField,
                ].compactMap { $0?.lowercased() }
                let steps = list.path.map { ["target", $0] } ?? ["options", "fieldlist"]
                sendings.append(
                    Sending(
                        sync: name, soup: part.soup, list: list, always: Set(always),
                        path: path + steps.map { .key($0) }))
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
            for field in sending.list.fields {
                let own = Self.relationship(in: field)
                guard known[own.lowercased()] == nil, !sending.always.contains(own.lowercased()) else { continue }
                let nearest = NameDistance.nearest(to: own, in: known.values.sorted())
                // What is only ever created may well never come back.
                guard sending.list.kind == .update || nearest != nil else { continue }
                guard told.insert("\(sending.path.text) \(field)").inserted else { continue }
                problems.append(
                    ConfigurationProblem(
                        .warning, at: Place(path: sending.path.text),
                        "\"\(sending.sync)\" sends \"\(field)\" of the soup \"\(sending.soup)\", and no sync brings "
                            + "such a field",
                        hint: (nearest.map { "Did you mean \"\($0)\"? " } ?? "Let a sync down bring it, too. ")
                            + "An edit of a field that is in no list is not sent, and the next sync down takes it back."
                    ))
            }
        }
    }

    private static func relationship(in field: String) -> String {
        field.split(separator: ".", maxSplits: 1).first.map(String.init) ?? field
    }
}
