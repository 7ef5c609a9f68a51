// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// `key=value` or `key:=value` on the command line.
struct Assignment: ExpressibleByArgument, Sendable {
    let key: String
    /// What was written behind the sign.
    let text: String
    /// The same as JSON, with the bytes that were written; nil when it is none.
    let json: JSONText?
    /// Whether it is to be taken as JSON, whatever the field holds: `key:=value`.
    let isJSON: Bool

    /// What help says of values.
    static let help = """
        A value that is JSON is taken as such (5, true, null, {"a":1}), anything else as a string. Where the field holds \
        a string, in this entry or, when it is empty there, in one of the first 200 of the soup, only null and a quoted \
        string count as JSON: Phone=20 stays the text 20. To say what is meant: Phone='"20"' is a string everywhere, \
        Age:=20 is JSON everywhere.
        """

    /// Nil without a key and an equals sign, and for what is no JSON behind `:=`.
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

    /// The value for a field.
    ///
    /// - Parameter holdsText: whether the field holds a string now.
    func value(whereTextIs holdsText: Bool) -> JSONText {
        guard let json else { return .string(text) }
        if isJSON || !holdsText || json == .null || json.string != nil { return json }
        return .string(text)
    }

    /// The members that assignments make in an entry of a soup, as one object.
    ///
    /// - Parameters:
    ///   - id: the entry; nil for one that is to be created.
    ///   - console: is told of values that were taken as JSON without a sign that they are meant so.
    /// - Throws: `ValidationError` for a key that is there twice; what the store throws.
    static func object(
        _ assignments: [Assignment], for id: Int64?, of soup: SoupName, in store: SmartStore, _ console: Console
    ) async throws -> JSONText {
        var keys: Set<String> = []
        for assignment in assignments where !keys.insert(assignment.key).inserted {
            throw ValidationError("\(assignment.key) is set twice.")
        }
        // What is a string or null in any case need not be looked up.
        let hasDoubt = assignments.contains {
            !$0.isJSON && $0.json.map { $0 != .null && $0.string == nil } ?? false
        }
        var records: [JSONObject] = []
        if hasDoubt, try await store.soupExists(soup) {
            var entries: [SoupEntry] = []
            if let id { entries = try await store.retrieve([id], from: soup) }
            entries += try await store.query(.all(soup, pageSize: 200)).entries
            records = entries.compactMap(\.stored.value.objectValue)
        }
        let members = assignments.map { assignment in
            let held = records.lazy.compactMap { $0[assignment.key] }.first { !$0.isNull }
            let value = assignment.value(whereTextIs: held?.stringValue != nil)
            let kind = value.value
            guard held == nil, !assignment.isJSON, kind.boolValue != nil || kind.doubleValue != nil else {
                return (name: assignment.key, value: value)
            }
            console.note(
                "\(assignment.key) is stored as \(value), and no entry tells whether it is a text",
                hint: "as a text: \(assignment.key)='\"\(assignment.text)\"', without this note: "
                    + "\(assignment.key):=\(assignment.text)")
            return (name: assignment.key, value: value)
        }
        return .object(members)
    }
}

#endif
