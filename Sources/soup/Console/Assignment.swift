// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// `key=value` on the command line.
struct Assignment: ExpressibleByArgument, Sendable {
    let key: String
    let value: JSONValue

    /// What help says of values.
    static let help = """
        A value that is JSON is taken as such (5, true, null, {"a":1}), anything else as a string; quote a string that \
        looks like JSON: Phone='"555"'.
        """

    /// Nil without a key and an equals sign.
    init?(argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else { return nil }
        key = String(argument[..<sign])
        let text = String(argument[argument.index(after: sign)...])
        value = (try? JSONValue(parsing: text)) ?? .string(text)
    }

    var defaultValueDescription: String { "\(key)=\(value)" }

    /// The members that assignments make.
    ///
    /// - Throws: `ValidationError` for a key that is there twice.
    static func object(_ assignments: [Assignment]) throws -> JSONObject {
        try assignments.reduce(into: JSONObject()) { object, assignment in
            guard object[assignment.key] == nil else {
                throw ValidationError("\(assignment.key) is set twice.")
            }
            object[assignment.key] = assignment.value
        }
    }
}

#endif
