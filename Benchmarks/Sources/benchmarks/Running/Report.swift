// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Writes metrics to standard output, one line each, as soon as they are added.
struct Report {
    private let asJSON: Bool
    private var missed = 0
    private(set) var hasFailures = false

    init(asJSON: Bool) {
        self.asJSON = asJSON
        if !asJSON {
            Self.print(Self.row("metric", value: "value", goal: "goal", verdict: ""))
            Self.print(String(repeating: "-", count: 82))
        }
    }

    mutating func add(_ metrics: [Metric]) {
        for metric in metrics {
            if asJSON {
                Self.print("{\"metric\":\"\(metric.name)\",\"value\":\(Self.plain(metric.value))}")
                continue
            }
            let verdict = metric.isReached.map { $0 ? "reached" : "MISSED" } ?? ""
            if metric.isReached == false { missed += 1 }
            Self.print(
                Self.row(
                    metric.name, value: Self.grouped(metric.value), goal: Self.text(metric.goal), verdict: verdict))
        }
    }

    /// Reports a suite that failed on standard error; the other suites still run.
    mutating func failed(_ suite: String, _ error: any Error) {
        hasFailures = true
        FileHandle.standardError.write(Data("\(suite): \(error)\n".utf8))
    }

    func finish() {
        if !asJSON && missed > 0 {
            Self.print("\(missed) goals missed. Other work on the machine affects the measurements.")
        }
    }

    private static func print(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private static func row(_ name: String, value: String, goal: String, verdict: String) -> String {
        name.padding(toLength: 46, withPad: " ", startingAt: 0)
            + String(repeating: " ", count: max(1, 12 - value.count)) + value + "   "
            + goal.padding(toLength: 12, withPad: " ", startingAt: 0) + " " + verdict
    }

    private static func text(_ goal: Metric.Goal?) -> String {
        switch goal {
        case nil: ""
        case .atLeast(let bound): ">= \(plain(bound))"
        case .atMost(let bound): "<= \(plain(bound))"
        }
    }

    /// Returns a number with at most four decimal places and without an exponent.
    private static func plain(_ value: Double) -> String {
        let rounded = (value * 10_000).rounded() / 10_000
        return rounded == rounded.rounded() ? String(Int64(rounded)) : "\(rounded)"
    }

    private static func grouped(_ value: Double) -> String {
        if value < 100 { return String(format: "%.2f", value) }
        var digits = Array(String(Int64(value.rounded())))
        for position in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: position) }
        return String(digits)
    }
}
