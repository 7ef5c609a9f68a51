// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// Prints the results of tests.
struct TestPrinter {
    let console: Console
    private var passed = 0
    private(set) var failed = 0

    init(_ console: Console) { self.console = console }

    /// Prints the result of a test, with its differences.
    mutating func print(_ name: String, in file: String, _ differences: [TestDifference]) {
        let isOK = differences.isEmpty
        if isOK { passed += 1 } else { failed += 1 }
        // The name of a test could otherwise look like the results of others.
        let line = name.split(whereSeparator: \.isNewline).joined(separator: " ")
        console.print(isOK ? "ok      \(line)" : "FAILED  \(line)")
        for difference in differences {
            console.print("  " + difference.text.split(separator: "\n").joined(separator: "\n    "))
        }
        console.event([
            "event": "test", "name": .string(name), "file": .string(file),
            "result": isOK ? "passed" : "failed", "differences": .array(differences.map(\.json)),
        ])
    }

    /// Prints the sums.
    func printSums() {
        console.event(["passed": .int(Int64(passed)), "failed": .int(Int64(failed))])
        console.print("\(passed) passed, \(failed) failed")
    }
}

#endif
