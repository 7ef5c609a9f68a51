// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Which cells of a matrix a run of the tests takes: the same ones every time, or all with `SOUPKIT_MATRIX=all`.
enum MatrixSample {
    static let takesAll = ProcessInfo.processInfo.environment["SOUPKIT_MATRIX"] == "all"

    /// A number that a pair always has, to choose its requests by.
    static func number(of pair: String) -> Int { pair.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 0xFFFF }

    /// Whether a pair is in the sample, which has one of so many.
    static func takes(_ pair: String, oneOf count: Int) -> Bool { takesAll || number(of: pair) % count == 0 }
}
