// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

/// A check of the field lists of a sync before it runs, for the `problems(with:)` of targets.
package enum FieldListCheck {
    /// Returns warnings about changes that a push cannot send because a list is missing, and about empty lists.
    ///
    /// These are warnings because deletions need no list, and an app may only create records.
    ///
    /// - Parameters:
    ///   - create: the `createFieldlist` of the target.
    ///   - update: the `updateFieldlist` of the target.
    ///   - keys: the keys of the two lists in the target object.
    ///   - options: the sync's options, whose `fieldlist` replaces either list if it is missing.
    package static func push(
        create: [String]?, update: [String]?,
        keys: (create: String, update: String) = ("createFieldlist", "updateFieldlist"), _ options: SyncOptions
    ) -> [ConfigurationProblem] {
        let lists = [(keys.create, create, "created"), (keys.update, update, "updated")]
        let missing = lists.filter { ($0.1 ?? options.fieldlist) == nil }
        if missing.count == lists.count {
            return [
                ConfigurationProblem(
                    .warning, at: SoupError.Place(), "there is no field list, so only deletions can be sent",
                    hint:
                        "Add \"fieldlist\" to the options of the sync, or \"\(keys.create)\" and \"\(keys.update)\" "
                        + "to its target.")
            ]
        }
        return missing.map { key, _, verb in
            ConfigurationProblem(
                .warning, at: SoupError.Place(),
                "there is no field list for records that were \(verb) locally, so none of them can be sent",
                hint: "Add \"\(key)\" to the target or \"fieldlist\" to the options of the sync.")
        } + lists.compactMap { key, list, _ in list.flatMap { empty($0, at: key, "no field of a record is sent") } }
    }

    /// Returns a warning if a list of fields to fetch is empty.
    ///
    /// - Parameter path: the place of the list in the target object.
    package static func pull(_ list: [String]?, at path: String) -> [ConfigurationProblem] {
        list.flatMap { empty($0, at: path, "only the ID and the modification date of records are fetched") }
            .map { [$0] } ?? []
    }

    /// Returns a warning if a query that is sent unchanged does not select the modification date.
    ///
    /// - Parameters:
    ///   - fields: the selected fields; `nil` if they are unknown, or if the date is added to them.
    ///   - date: the field with the modification date.
    package static func unchanged(selecting fields: [String]?, date: String) -> [ConfigurationProblem] {
        guard let fields, !fields.contains(where: { $0.lowercased() == date.lowercased() }) else { return [] }
        return [
            ConfigurationProblem(
                .warning, at: SoupError.Place(path: "query"),
                "the query does not select \(date), so a sync up replaces changes of other users in every merge mode",
                hint: "Add \(date) to the query, or remove \"rewrite\".")
        ]
    }

    private static func empty(_ list: [String], at path: String, _ effect: String) -> ConfigurationProblem? {
        guard list.isEmpty else { return nil }
        return ConfigurationProblem(
            .warning, at: SoupError.Place(path: path), "the field list is empty: \(effect)",
            hint: "Add the names of the fields.")
    }
}
