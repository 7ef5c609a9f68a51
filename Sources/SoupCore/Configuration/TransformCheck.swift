// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A check of the record transforms of each sync, and of those of syncs over the same soup.
///
/// A sync up that does not undo the transforms of a sync down would send records in the form of the store.
struct TransformCheck {
    private struct Use {
        var sync: String
        var soup: SoupName
        var type: SyncType
        /// The transforms of the records of the soup that can be undone, as written.
        var transforms: [TransformReference]
        /// The fields that transforms without an inverse change.
        var lostFields: Set<String>
        /// The fields that the sync sends; nil if they are unknown.
        var pushedFields: Set<String>?
        var path: [ConfigurationStep]
    }

    /// The soups of the store, with their indexes.
    let soups: SyncsConfig.Soups
    private var uses: [Use] = []

    init(soups: SyncsConfig.Soups) { self.soups = soups }

    /// Checks the transforms of a sync, and records them.
    ///
    /// - Parameter path: the place of the sync.
    mutating func note(
        _ target: SyncTarget, of sync: String, soup: SoupName, options: SyncOptions, registry: PluginRegistry,
        at path: [ConfigurationStep], problems: inout [ConfigurationProblem]
    ) {
        let place = path + [.key("options"), .key("transforms")]
        let levels = target.levels(for: soup)
        var transforms: [(reference: TransformReference, transform: any RecordTransform)] = []
        for (index, reference) in options.transforms.enumerated() {
            let place = place + [.index(index)]
            guard let transform = registry.recordTransform(reference, at: place, problems: &problems) else { continue }
            transforms.append((reference, transform))
            Self.check(transform, reference, levels: levels, at: place, problems: &problems)
            if target.type == .syncUp, transform.inverse == nil {
                problems.append(
                    ConfigurationProblem(
                        at: SoupError.Place(path: place.text),
                        "the transform \"\(reference.name?.rawValue ?? "")\" cannot be undone, and the sync pushes records",
                        hint:
                            "Remove it here, and do not push the fields that it changes: name the others in \"fieldlist\"."
                    ))
            }
        }
        for (position, level) in levels.enumerated() {
            let own = transforms.filter { $0.reference.soup == nil || $0.reference.soup == level.soup }
            if target.type == .syncDown {
                checkIndexes(of: level.soup, own.map(\.transform), at: place, problems: &problems)
            }
            let lists = target.pushedFields(position, options)
            if target.type == .syncUp {
                let names = Set(lists.flatMap(\.members))
                Self.checkNames(names, own.map(\.transform), at: path, problems: &problems)
            }
            uses.append(
                Use(
                    sync: sync, soup: level.soup, type: target.type,
                    transforms: own.filter { $0.transform.inverse != nil }.map(\.reference),
                    lostFields: Self.lostFields(of: own.map(\.transform)),
                    pushedFields: lists.isEmpty ? nil : Set(lists.flatMap(\.members)), path: path))
        }
    }

    /// Returns the names on the server of the fields that transforms without an inverse change.
    ///
    /// An earlier transform may have renamed them.
    private static func lostFields(of transforms: [any RecordTransform]) -> Set<String> {
        var lost: Set<String> = []
        for (position, transform) in transforms.enumerated() where transform.inverse == nil {
            let record = JSONText.object(transform.fields.map { (name: $0, value: .string("x")) })
            let inverses = transforms[..<position].reversed().compactMap(\.inverse)
            let original = try? inverses.reduce(record) { try $1.apply(to: $0) }
            lost.formUnion(original?.members?.map(\.key) ?? transform.fields)
        }
        return lost
    }

    /// Reports indexes on fields that the transforms remove or rename.
    private func checkIndexes(
        of soup: SoupName, _ transforms: [any RecordTransform], at place: [ConfigurationStep],
        problems: inout [ConfigurationProblem]
    ) {
        guard case .registered(let store) = soups, let indexes = store[soup]?.indexes else { return }
        let fields = Set(transforms.flatMap(\.fields))
        let record = JSONText.object(fields.sorted().map { (name: $0, value: .string("x")) })
        // A transform that needs other values shows nothing here.
        guard let stored = try? transforms.reduce(record, { try $1.apply(to: $0) }) else { return }
        let left = Set(stored.members?.map(\.key) ?? [])
        for index in indexes {
            guard let field = index.path.keys.first, fields.contains(field), !left.contains(field) else { continue }
            problems.append(
                ConfigurationProblem(
                    .warning, at: SoupError.Place(path: place.text),
                    "the soup \"\(soup)\" has an index on \"\(index.path)\", and the transforms remove or rename this field",
                    hint: "Index the field by its name in the store, or remove the index."))
        }
    }

    /// Reports names in the field lists of a sync up that no record has after its transforms were undone.
    private static func checkNames(
        _ names: Set<String>, _ transforms: [any RecordTransform], at path: [ConfigurationStep],
        problems: inout [ConfigurationProblem]
    ) {
        let fields = Set(transforms.flatMap(\.fields))
        let entry = JSONText.object(fields.sorted().map { (name: $0, value: .string("x")) })
        let inverses = transforms.reversed().compactMap(\.inverse)
        guard let record = try? inverses.reduce(entry, { try $1.apply(to: $0) }) else { return }
        let sent = Set(record.members?.map(\.key) ?? [])
        for name in names.intersection(fields).subtracting(sent).sorted() {
            problems.append(
                ConfigurationProblem(
                    .warning, at: SoupError.Place(path: (path + [.key("options")]).text),
                    "a field list names \"\(name)\", which is never sent: the transforms give it another name or remove it",
                    hint: "Write the name that the server has."))
        }
    }

    private static func check(
        _ transform: any RecordTransform, _ reference: TransformReference, levels: [RecordLayout.Level],
        at place: [ConfigurationStep], problems: inout [ConfigurationProblem]
    ) {
        if let soup = reference.soup, !levels.contains(where: { $0.soup == soup }) {
            problems.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: (place + [.key("soupName")]).text),
                    "the sync has no soup \"\(soup)\"",
                    hint: "Use \(levels.map { "\"\($0.soup)\"" }.joined(separator: " or ")), or remove the member."))
        }
        for level in levels where reference.soup == nil || reference.soup == level.soup {
            let needed = [level.idField, level.modificationDateField, level.versionField, level.parentIdField]
            for field in needed.compactMap({ $0 }) where transform.fields.contains(field) {
                problems.append(
                    ConfigurationProblem(
                        at: SoupError.Place(path: place.text),
                        "the transform changes \"\(field)\", which the sync needs to identify records and their versions",
                        hint: "Leave this field as it is."))
            }
        }
    }

    /// Compares the transforms of syncs over the same soup.
    mutating func finish(problems: inout [ConfigurationProblem]) {
        for up in uses where up.type == .syncUp {
            for down in uses where down.type == .syncDown && down.soup == up.soup {
                compare(up, with: down, problems: &problems)
            }
        }
    }

    private func compare(_ up: Use, with down: Use, problems: inout [ConfigurationProblem]) {
        let place = SoupError.Place(path: (up.path + [.key("options")]).text)
        let lost = down.lostFields.intersection(up.pushedFields ?? down.lostFields).sorted()
        if !lost.isEmpty {
            problems.append(
                ConfigurationProblem(
                    at: place,
                    "the sync would send \(lost.joined(separator: ", ")) of the soup \"\(up.soup)\" as the sync "
                        + "\"\(down.sync)\" has changed them, which cannot be undone",
                    hint: "Name the other fields in \"fieldlist\", or remove the transform of \"\(down.sync)\"."))
        } else if up.transforms != down.transforms {
            problems.append(
                ConfigurationProblem(
                    .warning, at: place,
                    "the sync has other transforms for the soup \"\(up.soup)\" than the sync \"\(down.sync)\", so records "
                        + "may be sent in another form than they were fetched in",
                    hint: "Write the same \"transforms\" in both, without those that cannot be undone in the sync up."))
        }
    }
}
