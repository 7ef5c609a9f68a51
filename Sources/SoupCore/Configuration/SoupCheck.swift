// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Compares the soups that syncs use with those that are registered.
struct SoupCheck {
    let soups: SyncsConfig.Soups
    private var warned: Set<String> = []

    init(soups: SyncsConfig.Soups) { self.soups = soups }

    /// Notes soups that nobody registers, and indexes that a sync over them needs.
    ///
    /// A target with a layout names its soups itself, and then those are the ones that matter. One that could not be
    /// made is judged by the soups that its object names, such as those of parents and children.
    ///
    /// - Parameters:
    ///   - soup: the soup of the sync; nil when it could not be read.
    ///   - target: nil when it could not be made.
    mutating func check(
        _ soup: SoupName?, _ target: SyncTarget?, _ sync: ConfigurationReader, _ problems: inout [ConfigurationProblem]
    ) {
        let json = sync.object["target"] ?? .null
        guard let target else {
            let named = Self.soups(in: json, sync.at("target"))
            for (name, path) in named { check(name, idField: nil, at: path, &problems) }
            let isTree = json["parent"]?.objectValue != nil || json["children"]?.objectValue != nil
            if let soup, named.isEmpty, !isTree { check(soup, idField: nil, at: sync.at("soupName"), &problems) }
            return
        }
        guard let layout = target.layout else {
            if let soup { check(soup, idField: target.idField, at: sync.at("soupName"), &problems) }
            return
        }
        for part in layout.parts {
            let path = Self.path(to: part.soup, in: json, sync.at("target")) ?? sync.at("target")
            check(part.soup, idField: part.idField, at: path, &problems)
        }
        if let soup, layout.isTree, let parent = layout.parts.first, parent.soup != soup {
            problems.append(
                ConfigurationProblem(
                    .warning, at: sync.place("soupName"),
                    "the sync is over the soup \"\(soup)\", and its target puts parents into \"\(parent.soup)\"",
                    hint: "Name the same soup in both places."))
        }
    }

    /// - Parameter idField: nil when it is not known.
    private mutating func check(
        _ soup: SoupName, idField: String?, at path: [ConfigurationStep], _ problems: inout [ConfigurationProblem]
    ) {
        switch soups {
        case .unknown: return
        case .inCode(let file):
            guard warned.insert(soup.rawValue).inserted else { return }
            problems.append(
                ConfigurationProblem(
                    .warning, .soupNotFound, at: Place(path: path.text),
                    "nothing says that the soup \"\(soup)\" exists: there is no \(file) in the folder",
                    hint: "Add it to a \(file), or register it in code before the sync runs."))
        case .registered(let store):
            guard let found = store[soup] else {
                let known = store.soups.map(\.name.rawValue).sorted()
                let nearest = NameDistance.nearest(to: soup.rawValue, in: known)
                problems.append(
                    ConfigurationProblem(
                        .error, .soupNotFound, at: Place(path: path.text), "the store has no soup \"\(soup)\"",
                        hint: (known.isEmpty ? "No soups are registered." : "Known: \(known.joined(separator: ", ")).")
                            + (nearest.map { " Did you mean \"\($0)\"?" } ?? " Register it in the store's file.")))
                return
            }
            guard !found.indexes.isEmpty else { return }
            for (field, use) in [(idField, "find the records that arrive"), (EntryField.local, "find local changes")] {
                guard let field, !found.indexes.contains(where: { $0.path.rawValue == field }),
                    warned.insert("\(soup) \(field)").inserted
                else { continue }
                problems.append(
                    ConfigurationProblem(
                        .warning, .indexNotDefined, at: Place(path: path.text),
                        "the soup \"\(soup)\" has no index on \"\(field)\", which the sync needs to \(use)",
                        hint: "Add {\"path\": \"\(field)\", \"type\": \"string\"} to its indexes."))
            }
        }
    }

    /// The soups that a target object names, wherever it does, with the ways to their names.
    private static func soups(
        in value: JSONValue, _ path: [ConfigurationStep]
    ) -> [(soup: SoupName, path: [ConfigurationStep])] {
        switch value {
        case .object(let object):
            return object.members.flatMap { member -> [(soup: SoupName, path: [ConfigurationStep])] in
                let here = path + [.key(member.key)]
                guard member.key == "soupName", let name = member.value.stringValue else {
                    return soups(in: member.value, here)
                }
                return name.isEmpty ? [] : [(SoupName(name), here)]
            }
        case .array(let values):
            return values.enumerated().flatMap { soups(in: $0.element, path + [.index($0.offset)]) }
        default: return []
        }
    }

    /// The way to the `soupName` in a target object that names a soup.
    private static func path(
        to soup: SoupName, in value: JSONValue, _ path: [ConfigurationStep]
    ) -> [ConfigurationStep]? {
        switch value {
        case .object(let object):
            if object["soupName"]?.stringValue == soup.rawValue { return path + [.key("soupName")] }
            return object.members.lazy.compactMap { Self.path(to: soup, in: $0.value, path + [.key($0.key)]) }.first
        case .array(let values):
            return values.enumerated().lazy.compactMap {
                Self.path(to: soup, in: $0.element, path + [.index($0.offset)])
            }.first
        default: return nil
        }
    }
}
