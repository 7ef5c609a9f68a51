// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// What became of one case.
public struct ConformanceResult: Sendable {
    /// The result of a case.
    public enum Outcome: Sendable {
        /// Every operation gave what is expected, or what a deviation says instead.
        case passed
        /// At least one did not.
        case failed([Mismatch])
        /// Nobody can tell: the case, or an operation of it, was not played. Nothing that was played was wrong.
        case notRun(String)
    }

    /// An operation that gave something else than expected.
    public struct Mismatch: Sendable {
        /// Its number in the case, counted from 0, and its name; nil where a case has but one.
        public var operation: (index: Int, name: String)?
        /// Where in an answer it is, such as `json[0].errorCode`; nil where the whole is compared.
        public var path: String?
        /// The expectations: any of them would have done.
        public var expected: [JSONValue]
        /// What came.
        public var found: JSONValue
        /// Whether the expectation is a deviation's.
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
    /// The case that was played, or was not.
    public let example: ConformanceCase
    /// What became of it.
    public let outcome: Outcome
}

/// What became of sets of cases.
public struct ConformanceReport: Sendable {
    /// The results, in the order of the sets and of their cases.
    public var results: [ConformanceResult] = []
    /// What could not be read; each counts as a failed case.
    public var problems: [SoupError] = []

    /// How many cases gave what is expected of them.
    public var passed: Int { results.count { if case .passed = $0.outcome { true } else { false } } }
    /// How many did not, and how many places of the sets could not be read.
    public var failed: Int {
        problems.count + results.count { if case .failed = $0.outcome { true } else { false } }
    }
    /// How many were not played, or not to their end.
    public var notRun: Int { results.count - results.count { if case .notRun = $0.outcome { false } else { true } } }

    /// Why cases were not run, with how many for each reason, in the order of their first.
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
