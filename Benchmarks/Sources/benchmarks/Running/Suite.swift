// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that measures one aspect; each suite has a file and an entry in ``Benchmarks/suites``.
protocol Suite: Sendable {
    /// The name for `--only`.
    var name: String { get }
    func run(_ settings: Settings) async throws -> [Metric]
}

/// The settings of a run.
struct Settings: Sendable {
    /// The number of records; the goals apply to 100,000.
    var records: Int
    /// The number of rounds; results are medians.
    var rounds: Int
    /// The measured time.
    var clock: Stopwatch
    /// The names of the contestants to run, for profiling; nil for all.
    var contestants: [String]?
}

/// One measured number.
struct Metric: Sendable {
    enum Goal: Sendable, Equatable {
        case atLeast(Double)
        case atMost(Double)
    }

    /// The name in `--json`, as `suite.subject.unit`; names of ratios end in `vs_` and the contestant of the denominator.
    var name: String
    var value: Double
    var goal: Goal?

    init(_ name: String, _ value: Double, goal: Goal? = nil) {
        self.name = name
        self.value = value
        self.goal = goal
    }

    /// Whether the goal is reached; nil without one.
    var isReached: Bool? {
        switch goal {
        case nil: nil
        case .atLeast(let bound): value >= bound
        case .atMost(let bound): value <= bound
        }
    }
}
