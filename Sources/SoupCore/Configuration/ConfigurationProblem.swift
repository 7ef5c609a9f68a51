// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A problem in a configuration, with its place, a message and a hint.
public struct ConfigurationProblem: Sendable, Hashable, CustomStringConvertible {
    /// Whether the configuration can be used despite the problem.
    public enum Severity: String, Sendable, Hashable {
        /// The configuration cannot be used.
        case error
        /// The configuration can be used, but probably does not have the intended effect.
        case warning
    }

    /// The severity.
    ///
    /// If any problem is an error, the configuration is not used. Warnings are only reported.
    public var severity: Severity
    /// The error code for scripts; `badConfiguration` unless a more specific one exists.
    public var code: SoupError.Code
    /// The path inside the JSON; after `ConfigurationDocument.located(_:)` also the file, line and column.
    public var place: SoupError.Place
    /// The message for users who do not know the code, without a full stop.
    public var message: String
    /// The correction to make, if it is known.
    public var hint: String?

    /// Creates a problem, by default an error with the code `badConfiguration`.
    public init(
        _ severity: Severity = .error, code: SoupError.Code = .badConfiguration, at place: SoupError.Place,
        _ message: String,
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

    /// The problem as an error to throw, without its severity.
    public var error: SoupError { SoupError(code, message, place: place, hint: hint) }
}

/// An error with all problems of a configuration.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The problems in the order in which they were found; at least one of them is an error.
    public var problems: [ConfigurationProblem]
    /// Creates an error from problems, at least one of which is an error; warnings may be included.
    public init(_ problems: [ConfigurationProblem]) { self.problems = problems }
    /// One line a problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// One step of the path to a value inside a JSON text.
public enum ConfigurationStep: Sendable, Hashable {
    /// The member of an object.
    case key(String)
    /// The element of an array, counted from 0.
    case index(Int)
}

extension [ConfigurationStep] {
    /// The path in readable form: `syncs[3].target.query`.
    public var text: String {
        reduce(into: "") { text, step in
            switch step {
            case .key(let key): text += text.isEmpty ? key : ".\(key)"
            case .index(let index): text += "[\(index)]"
            }
        }
    }
}
