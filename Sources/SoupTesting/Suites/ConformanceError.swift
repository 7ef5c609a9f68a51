// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The violations that a suite found in a plug-in, one sentence each.
public struct ConformanceError: Error, Sendable, CustomStringConvertible {
    /// The checked plug-in: the name of a target, or the type of a module.
    public var plugin: String
    /// The violations in the order of the checks; not empty if a suite throws the error.
    public var violations: [String]

    /// Creates the error; your own suites may throw it too.
    public init(plugin: String, violations: [String]) {
        self.plugin = plugin
        self.violations = violations
    }

    /// - Throws: the error for these violations; nothing if there are none.
    static func check(_ plugin: String, _ violations: [String]) throws {
        guard violations.isEmpty else { throw ConformanceError(plugin: plugin, violations: violations) }
    }

    /// The number of violated rules, and a line for each.
    public var description: String {
        "\(plugin) breaks \(violations.count) rule(s):\n" + violations.map { "- \($0)" }.joined(separator: "\n")
    }
}

/// The violations that a suite has found so far.
///
/// A violation is one sentence that is understandable without context: the action of the suite, the reaction of the
/// plug-in, and, after a colon, the requirement of the rule.
struct SuiteReport {
    private(set) var violations: [String] = []

    mutating func require(_ holds: Bool, _ violation: @autoclosure () -> String) {
        if !holds { violations.append(violation()) }
    }

    mutating func note(_ violation: String) { violations.append(violation) }

    /// Runs a step that must not throw; if it throws, returns nil and adds a violation that quotes the error.
    ///
    /// - Parameters:
    ///   - action: the action of the suite and the failing call: `the batch is empty, and push`.
    ///   - rule: the required behaviour.
    mutating func expect<T>(_ action: String, rule: String, _ body: () async throws -> T) async -> T? {
        do {
            return try await body()
        } catch {
            violations.append("\(action) threw \(error.quoted): \(rule)")
            return nil
        }
    }
}

extension Error {
    /// The error for a sentence: its type, and its text if it has one of its own.
    var quoted: String {
        let type = "\(type(of: self))"
        let text = String("\(self)".prefix(300))
        if let error = self as? SoupError { return "\(type) \(error.code) (\"\(text)\")" }
        return text.hasPrefix(type) ? type : "\(type) (\"\(text)\")"
    }
}
