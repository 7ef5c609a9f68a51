// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The members of a part of a rule; what is not of the right kind is refused by name.
struct FaultMembers {
    private let object: JSONObject
    private let name: String

    /// - Parameter knows: the members that there are; nil asks nothing.
    init(_ json: JSONValue, _ name: String, knows: Set<String>?) throws {
        guard let object = json.objectValue else { throw Self.wrong("\(name) must be an object") }
        if let knows, let unknown = object.members.first(where: { !knows.contains($0.key) }) {
            let list = knows.sorted().joined(separator: ", ")
            throw Self.wrong("\(name) has no \"\(unknown.key)\": there are \(list)")
        }
        self.object = object
        self.name = name
    }

    static func wrong(_ message: String) -> OrgError { OrgError(400, "INVALID_INPUT", message) }

    private subscript(key: String) -> JSONValue? { object[key].flatMap { $0 == .null ? nil : $0 } }

    func text(_ key: String) throws -> String? {
        guard let value = self[key] else { return nil }
        guard let text = value.stringValue else { throw Self.wrong("\(name).\(key) must be a text") }
        return text
    }

    func number(_ key: String, from lowest: Int = 0, to highest: Int = .max) throws -> Int? {
        try self[key].map { try Self.number($0, "\(name).\(key)", lowest...highest) }
    }

    func numbers(_ key: String) throws -> [Int] {
        guard let value = self[key] else { return [] }
        return try (value.arrayValue ?? [value]).map { try Self.number($0, "\(name).\(key)", 1...Int.max) }
    }

    /// A day at most, so that nothing waits for ever.
    func milliseconds(_ key: String) throws -> Int64? { try number(key, to: 86_400_000).map { Int64($0) } }

    private static func number(_ value: JSONValue, _ name: String, _ range: ClosedRange<Int>) throws -> Int {
        guard let number = value.intValue.flatMap({ Int(exactly: $0) }), range.contains(number) else {
            throw wrong("\(name) must be a whole number\(range == 0...Int.max ? "" : " in its range")")
        }
        return number
    }
}
