// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Walks an object of a configuration by hand, where the rules go beyond what `Decodable` can say.
///
/// Each look-up notes what is wrong and gives nil; reading goes on.
struct ConfigurationReader {
    let object: JSONObject
    let path: [ConfigurationStep]

    /// Notes that `value` is no object, and gives nil, or else warns of keys that nobody reads.
    ///
    /// - Parameters:
    ///   - keys: those that are read; nil when somebody else reads the object, and knows.
    ///   - others: keys that are passed over in silence.
    init?(
        _ value: JSONValue, at path: [ConfigurationStep], keys: [String]?, others: Set<String> = [],
        problems: inout [ConfigurationProblem]
    ) {
        self.path = path
        guard let object = value.objectValue else {
            Self.expected("an object", value, path, &problems)
            return nil
        }
        self.object = object
        guard let keys else { return }
        problems += ConfigurationProblem.unknownKeys(in: object.keys, known: keys, others: others, at: path)
    }

    /// A string that must be there and not empty.
    func text(_ key: String, hint: String, problems: inout [ConfigurationProblem]) -> String? {
        guard let value = required(key, hint: hint, problems: &problems) else { return nil }
        guard let text = value.stringValue else {
            Self.expected("a string", value, at(key), &problems)
            return nil
        }
        if text.isEmpty {
            problems.append(ConfigurationProblem(at: place(key), "\"\(key)\" is empty", hint: hint))
            return nil
        }
        return text
    }

    /// One of a closed set of names.
    func choice<Choice: CaseIterable & RawRepresentable>(
        _ key: String, of type: Choice.Type, what: String, problems: inout [ConfigurationProblem]
    ) -> Choice? where Choice.RawValue == String {
        let known = type.allCases.map(\.rawValue)
        let list = "Known: \(known.joined(separator: ", "))."
        guard let text = text(key, hint: "Add \"\(key)\". \(list)", problems: &problems) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let nearest = NameDistance.nearest(to: text, in: known)
        problems.append(
            ConfigurationProblem(
                at: place(key), "no \(what) \"\(text)\"",
                hint: list + (nearest.map { " Did you mean \"\($0)\"?" } ?? "")))
        return nil
    }

    /// An array that must be there.
    func array(_ key: String, hint: String, problems: inout [ConfigurationProblem]) -> [JSONValue]? {
        guard let value = required(key, hint: hint, problems: &problems) else { return nil }
        if let array = value.arrayValue { return array }
        Self.expected("an array", value, at(key), &problems)
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

    func place(_ key: String) -> Place { Place(path: at(key).text) }

    static func expected(
        _ noun: String, _ found: JSONValue, _ path: [ConfigurationStep], _ problems: inout [ConfigurationProblem]
    ) {
        problems.append(
            ConfigurationProblem(
                at: Place(path: path.text), "expected \(noun), found \(found.noun)", hint: "Write \(noun) here."))
    }
}
