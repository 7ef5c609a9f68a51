// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The result of one case.
public struct ConformanceResult: Sendable {
    /// The outcome of a case.
    public enum Outcome: Sendable {
        /// The result of every operation is as expected, or as in its deviation.
        case passed
        /// The results of one or more operations are not as expected.
        case failed([Mismatch])
        /// The case, or an operation of it, was not run, for this reason; the other operations have no mismatches.
        case notRun(String)
    }

    /// A result that is not as expected.
    public struct Mismatch: Sendable {
        /// The number of the operation in the case, counted from 0, and its name; nil if a case has a single operation.
        public var operation: (index: Int, name: String)?
        /// The path in a response, such as `json[0].errorCode`; nil if the whole result is compared.
        public var path: String?
        /// The expected results, any of which is correct.
        public var expected: [JSONValue]
        /// The actual result.
        public var found: JSONValue
        /// Whether the expectation is that of a deviation.
        public var isDeviation: Bool

        /// `operation 1 (count): expected {"count":1}, got {"count":2}`.
        public var description: String {
            let start = operation.map { "operation \($0.index) (\($0.name)): " } ?? path.map { "\($0): " } ?? ""
            let wanted = expected.isEmpty ? "no error" : expected.map(\.description).joined(separator: " or ")
            return "\(start)expected \(wanted)\(isDeviation ? " (a deviation)" : ""), got \(found)"
        }
    }

    /// The name of the case's set.
    public let set: String
    /// The case.
    public let example: ConformanceCase
    /// The outcome of the case.
    public let outcome: Outcome
}

/// The results of sets of cases.
public struct ConformanceReport: Sendable {
    /// The results, in the order of the sets and of their cases.
    public var results: [ConformanceResult] = []
    /// The errors of cases that cannot be read; each counts as a failed case.
    public var problems: [SoupError] = []

    /// The number of cases that passed.
    public var passed: Int { results.count { if case .passed = $0.outcome { true } else { false } } }
    /// The number of cases that failed or cannot be read.
    public var failed: Int {
        problems.count + results.count { if case .failed = $0.outcome { true } else { false } }
    }
    /// The number of cases that were not run, or not completely.
    public var notRun: Int { results.count - results.count { if case .notRun = $0.outcome { false } else { true } } }

    /// The reasons why cases were not run, each with the number of cases, in the order of the first case.
    public var reasonsNotRun: [(reason: String, count: Int)] {
        var reasons: [(reason: String, count: Int)] = []
        for result in results {
            guard case .notRun(let reason) = result.outcome else { continue }
            if let known = reasons.firstIndex(where: { $0.reason == reason }) {
                reasons[known].count += 1
            } else {
                reasons.append((reason, 1))
            }
        }
        return reasons
    }
}
