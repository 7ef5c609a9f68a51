// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// One thing that is wrong with a configuration: where, what, and what to do.
public struct ConfigurationProblem: Sendable, Hashable, CustomStringConvertible {
    public enum Severity: String, Sendable, Hashable {
        /// The configuration cannot be used.
        case error
        /// It can be used, and probably does not do what its author thinks.
        case warning
    }

    public var severity: Severity
    public var code: SoupError.Code
    public var place: Place
    public var message: String
    public var hint: String?

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

    public var description: String {
        "\(place): \(severity == .warning ? "warning: " : "")\(message)" + (hint.map { ". \($0)" } ?? "")
    }

    public var error: SoupError { SoupError(code, message, place: place, hint: hint) }
}

/// The problems of a configuration, all of them, as an error.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    public var problems: [ConfigurationProblem]
    public init(_ problems: [ConfigurationProblem]) { self.problems = problems }
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// One step of the way to a value inside a JSON text.
public enum ConfigurationStep: Sendable, Hashable {
    case key(String)
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
