// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What a suite found wrong with a plug-in: every violation, one sentence each.
public struct ConformanceError: Error, Sendable, CustomStringConvertible {
    /// What was checked: the name of a target, or the type of a module.
    public var plugin: String
    /// The violations in the order of the checks; not empty when a suite throws the error.
    public var violations: [String]

    /// Makes the error; suites of your own may throw it too.
    public init(plugin: String, violations: [String]) {
        self.plugin = plugin
        self.violations = violations
    }

    /// - Throws: the error for these violations; nothing when there are none.
    static func check(_ plugin: String, _ violations: [String]) throws {
        guard violations.isEmpty else { throw ConformanceError(plugin: plugin, violations: violations) }
    }

    /// How many rules are broken, and a line for each.
    public var description: String {
        "\(plugin) breaks \(violations.count) rule(s):\n" + violations.map { "- \($0)" }.joined(separator: "\n")
    }
}

/// Collects violations while a suite goes on.
///
/// A violation is one sentence for somebody who sees nothing else: what the suite did, what the plug-in made of it,
/// and, behind a colon, what the rule asks for.
struct SuiteReport {
    private(set) var violations: [String] = []

    mutating func require(_ holds: Bool, _ violation: @autoclosure () -> String) {
        if !holds { violations.append(violation()) }
    }

    mutating func note(_ violation: String) { violations.append(violation) }

    /// Runs a step that must not throw; nil, and a violation that quotes the error, when it does.
    ///
    /// - Parameters:
    ///   - what: what the suite did and who threw: `the batch is empty, and push`.
    ///   - rule: what to do instead.
    mutating func expect<T>(_ what: String, rule: String, _ body: () async throws -> T) async -> T? {
        do {
            return try await body()
        } catch {
            violations.append("\(what) threw \(error.quoted): \(rule)")
            return nil
        }
    }
}

extension Error {
    /// The error inside a sentence: its type, and its text if it has one of its own.
    var quoted: String {
        let type = "\(type(of: self))"
        let text = String("\(self)".prefix(300))
        if let error = self as? SoupError { return "\(type) \(error.code) (\"\(text)\")" }
        return text.hasPrefix(type) ? type : "\(type) (\"\(text)\")"
    }
}
