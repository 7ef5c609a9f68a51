// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A check that compares the assumptions of syncs over the same soups.
///
/// Each sync down replaces the entries that it fetches. If two fetch different fields of an object, the last run
/// decides which fields an entry has. In both directions, children must find their parents by the same field, and
/// records must have their IDs in the same field.
struct SharedSoupCheck {
    private struct Fetch {
        var sync: String
        var soup: SoupName
        var objectType: String
        /// The fields as written, by their lower-case form.
        var fields: [String: String]
    }

    /// The field by which the children in one soup find their parents in another.
    private struct ParentLink {
        var sync: String
        var soup: SoupName
        var parents: SoupName
        var field: String
    }

    /// The field with the IDs of the records in a soup.
    private struct Identity {
        var sync: String
        var type: SyncType
        var soup: SoupName
        var field: String
    }

    private var identities: [Identity] = []
    private var fetches: [Fetch] = []
    private var links: [ParentLink] = []

    /// Records a sync, and warns if an earlier sync differs from it.
    ///
    /// A difference is another set of fields for one of its soups, or another field for the parents of its children.
    ///
    /// - Parameters:
    ///   - sync: the name of the sync.
    ///   - path: the place of the target object.
    mutating func check(
        _ target: SyncTarget, of sync: String, soup: SoupName, at path: [ConfigurationStep],
        problems: inout [ConfigurationProblem]
    ) {
        let levels = target.levels(for: soup)
        for (position, level) in levels.enumerated() {
            let identity = Identity(sync: sync, type: target.type, soup: level.soup, field: level.idField)
            check(identity, at: path, problems: &problems)
            // The layout of an app's own target may name a parent level that does not exist; the run reports it.
            if let field = level.parentIdField, levels.indices.contains(level.parentLevel) {
                let link = ParentLink(
                    sync: sync, soup: level.soup, parents: levels[level.parentLevel].soup, field: field)
                check(link, at: path, problems: &problems)
            }
            for fetched in target.fetchedFields(position) {
                let fields = Self.fields(fetched, of: level)
                let own = Fetch(
                    sync: sync, soup: level.soup, objectType: fetched.objectType.lowercased(), fields: fields)
                // One warning for each object and soup is sufficient.
                let other = fetches.first { other in
                    (other.soup, other.objectType) == (own.soup, own.objectType) && other.sync != sync
                        && Set(other.fields.keys) != Set(fields.keys)
                }
                if let other {
                    let place = SoupError.Place(path: (path + [.key(fetched.path)]).text)
                    problems.append(Self.problem(own, other: other, objectType: fetched.objectType, at: place))
                }
                fetches.append(own)
            }
        }
    }

    private mutating func check(
        _ own: Identity, at path: [ConfigurationStep], problems: inout [ConfigurationProblem]
    ) {
        let other = identities.first { $0.soup == own.soup && $0.type != own.type && $0.field != own.field }
        identities.append(own)
        guard let other else { return }
        problems.append(
            ConfigurationProblem(
                .warning, at: SoupError.Place(path: path.text),
                "the syncs \"\(other.sync)\" and \"\(own.sync)\" of the soup \"\(own.soup)\" have the IDs of records in "
                    + "different fields: \(other.field) and \(own.field)",
                hint: "Use the same field in both: the sync up does not find the IDs that the sync down saved, and the "
                    + "server may refuse its changes or create records twice."))
    }

    private mutating func check(
        _ own: ParentLink, at path: [ConfigurationStep], problems: inout [ConfigurationProblem]
    ) {
        let other = links.first { other in
            (other.soup, other.parents) == (own.soup, own.parents) && other.field != own.field
        }
        links.append(own)
        guard let other else { return }
        problems.append(
            ConfigurationProblem(
                .warning, at: SoupError.Place(path: path.text),
                "the syncs \"\(other.sync)\" and \"\(own.sync)\" use different fields of \"\(own.soup)\" for the parents "
                    + "in \"\(own.parents)\": \(other.field) and \(own.field)",
                hint: "Use the same field in both, unless these are two relationships."))
    }

    private static func fields(_ fetched: FetchedFields, of level: RecordLayout.Level) -> [String: String] {
        // Every target fetches these, even if they are not listed.
        let always = [level.idField, level.modificationDateField].map { $0.lowercased() }
        var fields: [String: String] = [:]
        for field in fetched.fields + [level.parentIdField].compactMap({ $0 })
        where !always.contains(field.lowercased()) {
            fields[field.lowercased()] = fields[field.lowercased()] ?? field
        }
        return fields
    }

    private static func problem(
        _ own: Fetch, other: Fetch, objectType: String, at place: SoupError.Place
    ) -> ConfigurationProblem {
        func only(_ one: Fetch, not other: Fetch) -> String? {
            let names = one.fields.filter { other.fields[$0.key] == nil }.map(\.value).sorted()
            return names.isEmpty ? nil : "only \"\(one.sync)\" has \(names.joined(separator: ", "))"
        }
        let differences = [only(other, not: own), only(own, not: other)].compactMap { $0 }
        return ConfigurationProblem(
            .warning, at: place,
            "the syncs \"\(other.sync)\" and \"\(own.sync)\" fetch different fields of \(objectType) into the soup "
                + "\"\(own.soup)\": \(differences.joined(separator: "; "))",
            hint:
                "Fetch the same fields in both: a sync replaces the entries that it fetches, so that an entry has only "
                + "the fields of the sync that ran last.")
    }
}
