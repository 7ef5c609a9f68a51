// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The arguments of a call, by name; null counts as missing.
package struct BridgeArguments: Sendable {
    private let members: [String: JSONText]

    package init(_ object: JSONText?) {
        let members = (object?.members ?? []).filter { $0.value != .null }
        self.members = Dictionary(members.map { ($0.key, $0.value) }) { _, last in last }
    }

    package subscript(name: String) -> JSONText? { members[name] }

    /// Returns a text; nil if it is missing.
    ///
    /// - Throws: ``SoupError`` with `badArgument` for a value of another type; so do the other methods.
    package func text(_ name: String) throws -> String? {
        try value(name, as: "a text") { $0.string }
    }

    package func requiredText(_ name: String) throws -> String {
        guard let text = try text(name), !text.isEmpty else { throw Self.missing(name) }
        return text
    }

    package func flag(_ name: String) throws -> Bool? {
        try value(name, as: "true or false") { $0 == .true ? true : $0 == .false ? false : nil }
    }

    package func integer(_ name: String) throws -> Int64? {
        try value(name, as: "a whole number") { Self.integer($0) }
    }

    package func requiredInteger(_ name: String) throws -> Int64 {
        guard let number = try integer(name) else { throw Self.missing(name) }
        return number
    }

    /// Returns the elements of a list.
    package func list(_ name: String) throws -> [JSONText]? { try value(name, as: "a list") { $0.elements } }

    package func requiredList(_ name: String) throws -> [JSONText] {
        guard let list = try list(name) else { throw Self.missing(name) }
        return list
    }

    /// Returns the integers of a list.
    package func requiredIntegers(_ name: String) throws -> [Int64] {
        try requiredList(name).enumerated().map { index, element in
            guard let number = Self.integer(element) else {
                throw Self.mismatch("\(name)[\(index)]", expecting: "a whole number", found: element)
            }
            return number
        }
    }

    /// Returns the texts of a list.
    package func requiredTexts(_ name: String) throws -> [String] {
        try requiredList(name).enumerated().map { index, element in
            guard let text = element.string else {
                throw Self.mismatch("\(name)[\(index)]", expecting: "a text", found: element)
            }
            return text
        }
    }

    /// Returns an object.
    package func object(_ name: String) throws -> JSONObject? {
        try value(name, as: "an object") { $0.value.objectValue }
    }

    package func requiredObject(_ name: String) throws -> JSONObject {
        guard let object = try object(name) else { throw Self.missing(name) }
        return object
    }

    private func value<T>(_ name: String, as type: String, _ read: (JSONText) -> T?) throws -> T? {
        guard let json = members[name] else { return nil }
        guard let value = read(json) else { throw Self.mismatch(name, expecting: type, found: json) }
        return value
    }

    /// Returns a whole number, which scripts may also write as `1.0`.
    private static func integer(_ json: JSONText) -> Int64? {
        json.value.intValue ?? json.value.doubleValue.flatMap { Int64(exactly: $0) }
    }

    package static func missing(_ name: String) -> SoupError {
        SoupError(.badArgument, "\(name) is missing", hint: "Pass \(name).")
    }

    private static func mismatch(_ name: String, expecting type: String, found json: JSONText) -> SoupError {
        SoupError(.badArgument, "\(name) must be \(type), not \(json.description.excerpt(100))")
    }
}

extension SoupError.Code {
    /// An argument of a JavaScript call is missing or has the wrong type.
    public static let badArgument: Self = "badArgument"
    /// A JavaScript call names a service or an action that does not exist.
    public static let unknownAction: Self = "unknownAction"
    /// A JavaScript call names a cursor that its session does not have.
    public static let unknownCursor: Self = "unknownCursor"
    /// A bridge has as many sessions as it accepts.
    public static let tooManySessions: Self = "tooManySessions"
}
