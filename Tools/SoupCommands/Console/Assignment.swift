// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// An argument `key=value` or `key:=value` that sets a field.
struct Assignment: ExpressibleByArgument, Sendable {
    let key: String
    /// The text after the sign.
    let text: String
    /// The text as JSON, byte for byte as given; nil if it is not valid JSON.
    let json: JSONText?
    /// Whether the value is JSON whatever the field contains: `key:=value`.
    let isJSON: Bool

    /// The help text about values.
    static let help = """
        A value that is valid JSON is stored as JSON (5, true, null, {"a":1}), any other value as a string. If the field \
        contains a string in this entry or, if it is empty there, in one of the first 200 entries of the soup, only null \
        and a quoted string are stored as JSON: Phone=20 is stored as the text 20. To choose the type of any field: \
        Phone='"20"' is always a string, Age:=20 is always JSON.
        """

    /// Returns nil for an argument without a key or an equals sign, and for `:=` with a value that is not valid JSON.
    init?(argument: String) {
        let bytes = Array(argument.utf8)
        guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        isJSON = sign > 0 && bytes[sign - 1] == UInt8(ascii: ":")
        key = String(decoding: bytes[..<(isJSON ? sign - 1 : sign)], as: UTF8.self)
        text = String(decoding: bytes[(sign + 1)...], as: UTF8.self)
        json = try? JSONText(text)
        if key.isEmpty || (isJSON && json == nil) { return nil }
    }

    var defaultValueDescription: String { "\(key)\(isJSON ? ":" : "")=\(text)" }

    /// Returns the value to store in a field.
    ///
    /// - Parameter fieldIsText: whether the field currently contains a string.
    func value(ifFieldIsText fieldIsText: Bool) -> JSONText {
        guard let json else { return .string(text) }
        if isJSON || !fieldIsText || json == .null || json.string != nil { return json }
        return .string(text)
    }

    /// Returns an object with the fields that assignments set in an entry of a soup.
    ///
    /// - Parameters:
    ///   - id: the entry; nil for a new one.
    ///   - console: prints a note for each value that is stored as JSON although neither the assignment nor an entry
    ///     shows that JSON is intended.
    /// - Throws: `ValidationError` for a key that is set twice; errors of the store.
    static func object(
        _ assignments: [Assignment], for id: Int64?, of soup: SoupName, in store: SmartStore, _ console: Console
    ) async throws -> JSONText {
        var keys: Set<String> = []
        for assignment in assignments where !keys.insert(assignment.key).inserted {
            throw ValidationError("\(assignment.key) is set twice.")
        }
        // Read entries only if a type is ambiguous: strings, null and := are not.
        let isAmbiguous = assignments.contains {
            !$0.isJSON && $0.json.map { $0 != .null && $0.string == nil } ?? false
        }
        var records: [JSONObject] = []
        if isAmbiguous, try await store.soupExists(soup) {
            var entries: [SoupEntry] = []
            if let id { entries = try await store.retrieve([id], from: soup) }
            entries += try await store.query(.all(soup, pageSize: 200)).entries
            records = entries.compactMap(\.stored.value.objectValue)
        }
        let members = assignments.map { assignment in
            let current = records.lazy.compactMap { $0[assignment.key] }.first { !$0.isNull }
            let value = assignment.value(ifFieldIsText: current?.stringValue != nil)
            let kind = value.value
            guard current == nil, !assignment.isJSON, kind.boolValue != nil || kind.doubleValue != nil else {
                return (name: assignment.key, value: value)
            }
            console.note(
                "\(assignment.key) is stored as \(value), and no entry shows whether the field contains text",
                hint: "Write \(assignment.key)='\"\(assignment.text)\"' to store text, or "
                    + "\(assignment.key):=\(assignment.text) to omit this note.")
            return (name: assignment.key, value: value)
        }
        return .object(members)
    }
}

#endif
