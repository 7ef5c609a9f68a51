// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// A reader for the values of a test file, which collects every fault instead of ending at the first one.
struct TestReader {
    typealias Path = [ConfigurationStep]

    let configuration: TestedConfiguration
    private(set) var problems: [ConfigurationProblem] = []

    init(_ configuration: TestedConfiguration) { self.configuration = configuration }

    mutating func note(_ path: Path, _ message: String, hint: String? = nil) {
        problems.append(ConfigurationProblem(at: SoupError.Place(path: path.text), message, hint: hint))
    }

    /// Returns an object; adds a problem for another value, and for each key that is not in `known`.
    ///
    /// - Parameter known: the keys; nil for the names of fields, objects or soups.
    mutating func object(_ value: JSONValue, at path: Path, keys known: [String]? = nil) -> JSONObject? {
        guard let object = value.objectValue else {
            note(path, "expected an object, found \(value.noun)", hint: "Write an object in braces.")
            return nil
        }
        for key in object.keys where known.map({ !$0.contains(key) && !Self.isComment(key) }) ?? false {
            note(
                path + [.key(key)], "the key \"\(key)\" is not known",
                hint: NameDistance.hint(for: key, among: known ?? []))
        }
        return object
    }

    mutating func array(_ value: JSONValue, at path: Path) -> [(value: JSONValue, path: Path)] {
        guard let array = value.arrayValue else {
            note(path, "expected an array, found \(value.noun)", hint: "Write an array in brackets.")
            return []
        }
        return array.enumerated().map { ($1, path + [.index($0)]) }
    }

    /// Returns a text that is not empty; nil without a problem if the key is missing.
    mutating func text(_ key: String, of object: JSONObject, at path: Path) -> String? {
        guard let value = object[key] else { return nil }
        guard let text = value.stringValue, !text.isEmpty else {
            let found = value.stringValue == nil ? value.noun : "an empty string"
            note(path + [.key(key)], "expected a string, found \(found)", hint: "Write a text in double quotes.")
            return nil
        }
        return text
    }

    /// Returns a number of records; nil without a problem if the key is missing.
    mutating func count(_ key: String, of object: JSONObject, at path: Path) -> Int? {
        guard let value = object[key] else { return nil }
        guard let count = value.intValue.flatMap({ Int(exactly: $0) }), count >= 0 else {
            note(path + [.key(key)], "expected a number of records, found \(value)", hint: "Write 0, 1, 2 or more.")
            return nil
        }
        return count
    }

    /// Returns the name of a sync of the configuration.
    mutating func sync(_ key: String, of object: JSONObject, at path: Path) -> String? {
        guard let name = text(key, of: object, at: path) else { return nil }
        if configuration.syncs[name] == nil {
            let known = configuration.syncs.keys.sorted()
            note(
                path + [.key(key)], "the configuration has no sync named \"\(name)\"",
                hint: known.isEmpty ? "Add the sync to the configuration." : NameDistance.hint(for: name, among: known))
        }
        return name
    }

    /// Returns the name of a soup of the configuration, with a problem for an unknown one.
    mutating func soup(_ name: String, at path: Path) -> SoupName {
        let soup = SoupName(name)
        if configuration.soups[soup] == nil {
            let known = configuration.soups.keys.map(\.rawValue).sorted()
            note(
                path, "the configuration has no soup named \"\(name)\"",
                hint: known.isEmpty ? "Add the soup to the configuration." : NameDistance.hint(for: name, among: known))
        }
        return soup
    }

    /// Whether a key is a comment, which readers ignore.
    private static func isComment(_ key: String) -> Bool { ["_", "//", "#", "$"].contains(where: key.hasPrefix) }
}

#endif
