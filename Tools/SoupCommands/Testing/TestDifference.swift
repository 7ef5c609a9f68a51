// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// A reason why a test failed.
struct TestDifference: Sendable, Hashable {
    enum Kind: String, Sendable {
        /// A field of a record has another value.
        case field
        /// An expected record does not exist.
        case missing
        /// A record exists and is not expected.
        case unexpected
        /// A step had another result than expected.
        case step
        /// The test cannot be run.
        case error
    }

    var kind: Kind
    /// The place in the test file.
    var path: [ConfigurationStep]
    /// The soup, the object or the sync.
    var subject: String?
    /// The name of the record in the test, or its ID.
    var record: String?
    /// The names of the members down to the value, joined by dots.
    var field: String?
    var expected: String?
    var found: String?
    var message: String
    var hint: String?
    /// The place with file and line, and the number of the step; set when the step has ended.
    var place: SoupError.Place?
    var step: Int?

    init(
        kind: Kind, path: [ConfigurationStep], subject: String? = nil, record: String? = nil, field: String? = nil,
        expected: String? = nil, found: String? = nil, message: String, hint: String? = nil
    ) {
        (self.kind, self.path, self.subject, self.record, self.field) = (kind, path, subject, record, field)
        (self.expected, self.found, self.message, self.hint) = (expected, found, message, hint)
    }

    /// Creates the difference for a problem with a place of its own.
    init(_ problem: ConfigurationProblem) {
        self.init(kind: .error, path: [], message: problem.message, hint: problem.hint)
        place = problem.place
    }

    /// One line, `file:line: step 2: soup "contacts": @ana: message`, and the hint on a second one.
    var text: String {
        let position = [place?.file, place?.line.map(String.init)].compactMap { $0 }.joined(separator: ":")
        let parts = [
            position.isEmpty ? nil : position, step.map { "step \($0)" }, subject, record, message,
        ]
        return parts.compactMap { $0 }.joined(separator: ": ") + (hint.map { "\n  \($0)" } ?? "")
    }

    /// `{"kind", "message", "file"?, "line"?, "path"?, "step"?, "subject"?, "record"?, "field"?, "expected"?, ...}`.
    var json: JSONValue {
        var object: JSONObject = ["kind": .string(kind.rawValue), "message": .string(message)]
        object["file"] = place?.file.map { .string($0) }
        object["line"] = place?.line.map { .int(Int64($0)) }
        object["path"] = place?.path.map { .string($0) }
        object["step"] = step.map { .int(Int64($0)) }
        let texts = [
            ("subject", subject), ("record", record), ("field", field), ("expected", expected), ("found", found),
            ("hint", hint),
        ]
        for (key, text) in texts { object[key] = text.map { .string($0) } }
        return .object(object)
    }
}

#endif
