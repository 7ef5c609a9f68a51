// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A reader for an object of a configuration whose rules go beyond `Decodable`.
///
/// Each look-up records a fault and returns nil; reading then continues.
struct ConfigurationReader {
    let object: JSONObject
    let path: [ConfigurationStep]

    /// Creates a reader for an object, and warns about keys that are not read.
    ///
    /// Records a fault and returns nil if `value` is not an object.
    ///
    /// - Parameters:
    ///   - keys: the keys that are read; nil if other code reads the object and checks them.
    ///   - others: keys that are ignored without a warning.
    init?(
        _ value: JSONValue, at path: [ConfigurationStep], keys: [String]?, others: Set<String> = [],
        problems: inout [ConfigurationProblem]
    ) {
        self.path = path
        guard let object = value.objectValue else {
            Self.recordMismatch(expected: "an object", found: value, at: path, problems: &problems)
            return nil
        }
        self.object = object
        guard let keys else { return }
        problems += ConfigurationProblem.unknownKeys(in: object.keys, known: keys, others: others, at: path)
    }

    /// Returns a string that must exist and not be empty.
    func text(_ key: String, hint: String, problems: inout [ConfigurationProblem]) -> String? {
        guard let value = required(key, hint: hint, problems: &problems) else { return nil }
        guard let text = value.stringValue else {
            Self.recordMismatch(expected: "a string", found: value, at: at(key), problems: &problems)
            return nil
        }
        if text.isEmpty {
            problems.append(ConfigurationProblem(at: place(key), "\"\(key)\" is empty", hint: hint))
            return nil
        }
        return text
    }

    /// Returns one of a closed set of names.
    func choice<Choice: CaseIterable & RawRepresentable>(
        _ key: String, of type: Choice.Type, what: String, problems: inout [ConfigurationProblem]
    ) -> Choice? where Choice.RawValue == String {
        let known = type.allCases.map(\.rawValue)
        let missing = "Add \"\(key)\". \(NameDistance.list(of: known))"
        guard let text = text(key, hint: missing, problems: &problems) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        problems.append(
            ConfigurationProblem(
                at: place(key), "no \(what) \"\(text)\"", hint: NameDistance.hint(for: text, among: known)))
        return nil
    }

    /// Returns an array that must exist.
    func array(_ key: String, hint: String, problems: inout [ConfigurationProblem]) -> [JSONValue]? {
        guard let value = required(key, hint: hint, problems: &problems) else { return nil }
        if let array = value.arrayValue { return array }
        Self.recordMismatch(expected: "an array", found: value, at: at(key), problems: &problems)
        return nil
    }

    func required(_ key: String, hint: String, problems: inout [ConfigurationProblem]) -> JSONValue? {
        if let value = object[key], !value.isNull { return value }
        problems.append(
            ConfigurationProblem(
                at: place(key), "\"\(key)\" is \(object[key] == nil ? "missing" : "null")", hint: hint))
        return nil
    }

    func at(_ key: String) -> [ConfigurationStep] { path + [.key(key)] }

    func place(_ key: String) -> SoupError.Place { SoupError.Place(path: at(key).text) }

    /// Records a value of the wrong type.
    static func recordMismatch(
        expected noun: String, found: JSONValue, at path: [ConfigurationStep],
        problems: inout [ConfigurationProblem]
    ) {
        problems.append(
            ConfigurationProblem(
                at: SoupError.Place(path: path.text), "expected \(noun), found \(found.noun)",
                hint: "Write \(noun) here."))
    }
}
