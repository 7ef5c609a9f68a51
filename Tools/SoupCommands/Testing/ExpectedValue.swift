// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// The expected value of a field, in which names of records are replaced by their IDs.
enum ExpectedValue: Sendable {
    /// Any value except null: `"$any"`.
    case any
    /// No such field: `"$absent"`.
    case absent
    case scalar(JSONValue)
    /// The ID of a record with a name: `"@name"`.
    case record(name: String, id: String)
    /// An object of which only the named members are compared.
    case members([(key: String, value: ExpectedValue)])
    /// An array of the same length.
    case elements([ExpectedValue])

    static let placeholders = ["$any", "$absent"]

    /// Whether a text begins with `$` and is neither a placeholder nor the text `$$...`.
    static func isUnknownPlaceholder(_ text: String) -> Bool {
        text.hasPrefix("$") && !text.hasPrefix("$$") && !placeholders.contains(text)
    }

    /// - Parameter names: resolves the names of records; an unknown name stays as it is.
    init(_ json: JSONValue, names: TestNames) {
        switch json {
        case .string("$any"): self = .any
        case .string("$absent"): self = .absent
        case .string(let text) where text.hasPrefix("$$"): self = .scalar(.string(String(text.dropFirst())))
        case .string(let text):
            self = names.id(of: text).map { .record(name: text, id: $0) } ?? .scalar(names.resolved(json))
        case .array(let values): self = .elements(values.map { ExpectedValue($0, names: names) })
        case .object(let object):
            self = .members(object.members.map { ($0.key, ExpectedValue($0.value, names: names)) })
        default: self = .scalar(names.resolved(json))
        }
    }

    /// Returns whether a value is as expected.
    ///
    /// Numbers are compared by value. `null` is a value: a missing field differs from it.
    ///
    /// - Parameter found: nil if there is no such field.
    func matches(_ found: JSONValue?) -> Bool {
        switch self {
        case .any: found.map { !$0.isNull } ?? false
        case .absent: found == nil
        case .scalar(let value): found == value
        case .record(_, let id): found == .string(id)
        case .members(let members): found?.objectValue.map { Self.matches(members, $0) } ?? false
        case .elements(let values):
            found?.arrayValue.map { found in
                found.count == values.count && zip(values, found).allSatisfy { $0.matches($1) }
            } ?? false
        }
    }

    private static func matches(_ members: [(key: String, value: ExpectedValue)], _ found: JSONObject) -> Bool {
        members.allSatisfy { $0.value.matches(found[$0.key]) }
    }
}

extension ExpectedValue {
    /// A difference inside a value.
    struct Difference: Hashable {
        /// The names of the members from the field down.
        var path: [String]
        var expected: String
        var found: String
    }

    /// Returns the differences between the expected value and a found one; of objects, those of their members.
    ///
    /// - Parameter names: a found ID of a record with a name is shown as this name.
    func differences(from found: JSONValue?, at path: [String], names: TestNames) -> [Difference] {
        if case .members(let members) = self, let found = found?.objectValue {
            return members.flatMap { $0.value.differences(from: found[$0.key], at: path + [$0.key], names: names) }
        }
        guard !matches(found) else { return [] }
        let name = found?.stringValue.flatMap { names.name(of: $0) }
        return [Difference(path: path, expected: text, found: name ?? found?.excerpt ?? "no such field")]
    }

    /// The expected value as messages show it.
    var text: String {
        switch self {
        case .any: "any value"
        case .absent: "no such field"
        case .scalar(let value): value.excerpt
        case .record(let name, _): name
        case .members(let members):
            "{" + members.map { "\(JSONValue.string($0.key)):\($0.value.text)" }.joined(separator: ",") + "}"
        case .elements(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        }
    }
}

extension JSONValue {
    /// The value as one line of JSON, shortened if it is long.
    var excerpt: String {
        let text = description.unicodeScalars
        return text.count > 200 ? String(String.UnicodeScalarView(text.prefix(200))) + "…" : String(text)
    }
}

#endif
