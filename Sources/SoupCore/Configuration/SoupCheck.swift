// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A check that compares the soups that syncs use with the registered ones.
struct SoupCheck {
    let soups: SyncsConfig.Soups
    private var warned: Set<String> = []

    init(soups: SyncsConfig.Soups) { self.soups = soups }

    /// Reports soups that are not registered, and indexes that a sync over them needs.
    ///
    /// If a target has a layout, its soups are checked. If a target could not be created, the soups that its object
    /// names are checked, such as those of parents and children. A problem that makes a run fail is an error, one that
    /// makes it slow is a warning.
    ///
    /// - Parameters:
    ///   - soup: the soup of the sync; nil if it could not be read.
    ///   - target: nil if it could not be created.
    ///   - sync: the object of the sync.
    mutating func check(
        _ soup: SoupName?, target: SyncTarget?, mode: MergeMode, sync: ConfigurationReader,
        problems: inout [ConfigurationProblem]
    ) {
        let json = sync.object["target"] ?? .null
        let local = IndexNeed.local(mode)
        guard let target else {
            let named = Self.soups(in: json, at: sync.at("target"))
            for (name, path) in named { check(name, needs: [local], at: path, problems: &problems) }
            let isTree = json["parent"]?.objectValue != nil || json["children"]?.objectValue != nil
            if let soup, named.isEmpty, !isTree {
                check(soup, needs: [local], at: sync.at("soupName"), problems: &problems)
            }
            return
        }
        guard let layout = target.layout else {
            let needs = [IndexNeed.id(target.idField, of: target.type), local]
            if let soup { check(soup, needs: needs, at: sync.at("soupName"), problems: &problems) }
            for (name, path) in Self.soups(in: json, at: sync.at("target")) where name != soup {
                let needs: [IndexNeed] = target.type == .syncDown ? [.ids(target.idField)] : []
                check(name, needs: needs, at: path, problems: &problems)
            }
            return
        }
        for (position, level) in layout.levels.enumerated() {
            let path = Self.path(to: level.soup, in: json, at: sync.at("target")) ?? sync.at("target")
            let needs = IndexNeed.all(of: position, in: layout, type: target.type) + [local]
            check(level.soup, needs: needs, at: path, problems: &problems)
        }
        if let soup, layout.isTree, let parent = layout.levels.first, parent.soup != soup {
            problems.append(
                ConfigurationProblem(
                    .warning, at: sync.place("soupName"),
                    "the sync names the soup \"\(soup)\", but its target saves parents in \"\(parent.soup)\"",
                    hint: "Name the same soup in both places."))
        }
    }

    private mutating func check(
        _ soup: SoupName, needs: [IndexNeed], at path: [ConfigurationStep], problems: inout [ConfigurationProblem]
    ) {
        switch soups {
        case .unknown: return
        case .inCode(let file):
            guard warned.insert(soup.rawValue).inserted else { return }
            problems.append(
                ConfigurationProblem(
                    .warning, code: .soupNotFound, at: SoupError.Place(path: path.text),
                    "the soup \"\(soup)\" is not configured: there is no \(file) in the folder",
                    hint: "Add it to a \(file), or register it in code before the sync runs."))
        case .registered(let store):
            guard let found = store[soup] else {
                let known = store.soups.map(\.name.rawValue).sorted()
                let nearest = NameDistance.nearest(to: soup.rawValue, in: known)
                problems.append(
                    ConfigurationProblem(
                        .error, code: .soupNotFound, at: SoupError.Place(path: path.text),
                        "the store has no soup \"\(soup)\"",
                        hint: (known.isEmpty
                            ? "No soups are registered." : NameDistance.hint(for: soup.rawValue, among: known))
                            + (nearest == nil ? " Register it in the store's file." : "")))
                return
            }
            guard !found.indexes.isEmpty else { return }
            for need in needs {
                guard !found.indexes.contains(where: { $0.path.rawValue == need.field }),
                    warned.insert("\(soup) \(need.field) \(need.severity)").inserted
                else { continue }
                problems.append(
                    ConfigurationProblem(
                        need.severity, code: .indexNotDefined, at: SoupError.Place(path: path.text),
                        "the soup \"\(soup)\" has no index on \"\(need.field)\", which the sync needs to \(need.use)",
                        hint: "Add {\"path\": \"\(need.field)\", \"type\": \"string\"} to its indexes."))
            }
        }
    }

    /// Returns the soups that a target object names at any depth, with the paths to their names.
    private static func soups(
        in value: JSONValue, at path: [ConfigurationStep]
    ) -> [(soup: SoupName, path: [ConfigurationStep])] {
        switch value {
        case .object(let object):
            return object.members.flatMap { member -> [(soup: SoupName, path: [ConfigurationStep])] in
                let here = path + [.key(member.key)]
                guard member.key == "soupName", let name = member.value.stringValue else {
                    return soups(in: member.value, at: here)
                }
                return name.isEmpty ? [] : [(SoupName(name), here)]
            }
        case .array(let values):
            return values.enumerated().flatMap { soups(in: $0.element, at: path + [.index($0.offset)]) }
        default: return []
        }
    }

    /// Returns the path to the `soupName` in a target object that names a soup.
    private static func path(
        to soup: SoupName, in value: JSONValue, at path: [ConfigurationStep]
    ) -> [ConfigurationStep]? {
        switch value {
        case .object(let object):
            if object["soupName"]?.stringValue == soup.rawValue { return path + [.key("soupName")] }
            return object.members.lazy.compactMap { Self.path(to: soup, in: $0.value, at: path + [.key($0.key)]) }.first
        case .array(let values):
            return values.enumerated().lazy.compactMap {
                Self.path(to: soup, in: $0.element, at: path + [.index($0.offset)])
            }.first
        default: return nil
        }
    }
}

/// An index that a sync needs in a soup.
private struct IndexNeed {
    var field: String
    /// The use of the index, for the message after "to".
    var use: String
    /// The severity: an error if a run would refuse to start.
    var severity: ConfigurationProblem.Severity

    static func local(_ mode: MergeMode) -> IndexNeed {
        guard mode.requiresSyncedCopies else {
            return IndexNeed(field: EntryField.local, use: "find local changes", severity: .warning)
        }
        let use = "keep synced copies for the merge mode \(mode.rawValue)"
        return IndexNeed(field: EntryField.local, use: use, severity: .error)
    }

    static func id(_ field: String, of type: SyncType) -> IndexNeed {
        IndexNeed(
            field: field,
            use: type == .syncDown ? "match fetched records to entries" : "find entries by the server's IDs",
            severity: type == .syncDown ? .error : .warning)
    }

    /// Returns the index for a soup from which a target reads IDs.
    static func ids(_ field: String) -> IndexNeed {
        IndexNeed(field: field, use: "read the IDs of its records", severity: .error)
    }

    /// Returns the indexes for a level of a layout; a sync up finds the records of a tree by IDs and parent IDs.
    static func all(of position: Int, in layout: RecordLayout, type: SyncType) -> [IndexNeed] {
        let level = layout.levels[position]
        guard type == .syncUp, layout.isTree else { return [id(level.idField, of: type)] }
        let isParent = level.parentIdField == nil || !layout.children(of: position).isEmpty
        let links = [level.parentIdField, isParent ? level.idField : nil].compactMap { $0 }
        return links.map { IndexNeed(field: $0, use: "relate children to their parents", severity: .error) }
            + (isParent ? [] : [id(level.idField, of: type)])
    }
}
