// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// One thing that is wrong with a configuration: where, what, and what to do.
public struct ConfigurationProblem: Sendable, Hashable, CustomStringConvertible {
    /// Whether the configuration can be used all the same.
    public enum Severity: String, Sendable, Hashable {
        /// The configuration cannot be used.
        case error
        /// It can be used, and probably does not do what its author thinks.
        case warning
    }

    /// With one error nothing of the configuration is used; warnings are only told.
    public var severity: Severity
    /// What scripts test for: `badConfiguration`, when nothing more special fits.
    public var code: SoupError.Code
    /// The path inside the JSON, and the file with line and column after ``ConfigurationDocument/located(_:)``.
    public var place: Place
    /// What is wrong, in words that need no knowledge of the code, without a full stop.
    public var message: String
    /// What to write instead, where that can be said.
    public var hint: String?

    /// Makes an error with the code `badConfiguration`, unless told otherwise.
    public init(
        _ severity: Severity = .error, _ code: SoupError.Code = .badConfiguration, at place: Place, _ message: String,
        hint: String? = nil
    ) {
        self.severity = severity
        self.code = code
        self.place = place
        self.message = message
        self.hint = hint
    }

    /// One line: `file:line:column: path: message. hint`, with `warning: ` before the message of a warning.
    public var description: String {
        "\(place): \(severity == .warning ? "warning: " : "")\(message)" + (hint.map { ". \($0)" } ?? "")
    }

    /// The problem as something to throw; its severity gets lost.
    public var error: SoupError { SoupError(code, message, place: place, hint: hint) }
}

/// The problems of a configuration, all of them, as an error.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// In the order in which they were found; at least one of them is an error.
    public var problems: [ConfigurationProblem]
    /// For whoever found an error; warnings may come along.
    public init(_ problems: [ConfigurationProblem]) { self.problems = problems }
    /// One line a problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// One step of the way to a value inside a JSON text.
public enum ConfigurationStep: Sendable, Hashable {
    /// The member of an object.
    case key(String)
    /// The element of an array, counted from 0.
    case index(Int)
}

extension [ConfigurationStep] {
    /// The way as people write it: `syncs[3].target.query`.
    public var text: String {
        reduce(into: "") { text, step in
            switch step {
            case .key(let key): text += text.isEmpty ? key : ".\(key)"
            case .index(let index): text += "[\(index)]"
            }
        }
    }
}
