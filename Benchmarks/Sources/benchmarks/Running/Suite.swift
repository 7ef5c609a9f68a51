// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A question that is answered by measuring: one file, and one entry in ``Benchmarks/suites``.
protocol Suite: Sendable {
    /// The name for `--only`.
    var name: String { get }
    func run(_ settings: Settings) async throws -> [Metric]
}

/// How much a suite shall do.
struct Settings: Sendable {
    /// How many records; the goals hold for 100,000.
    var records: Int
    /// How often each contestant runs; results are medians.
    var rounds: Int
    /// How time is measured.
    var clock: Stopwatch
    /// The contestants to run, for a profiler to look at; nil for all.
    var contestants: [String]?
}

/// One measured number.
struct Metric: Sendable {
    enum Goal: Sendable, Equatable {
        case atLeast(Double)
        case atMost(Double)
    }

    /// Names it in `--json`, as `suite.what.unit`; ratios end in `vs_` and the contestant below the line.
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
