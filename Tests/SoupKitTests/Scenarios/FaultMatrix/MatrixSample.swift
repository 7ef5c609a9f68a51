// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The sample of a matrix's cells: the same cells in every run, or all with `SOUPKIT_MATRIX=all`.
enum MatrixSample {
    static let includesAll = ProcessInfo.processInfo.environment["SOUPKIT_MATRIX"] == "all"

    /// Returns a constant number for a pair, which selects its requests.
    static func number(of pair: String) -> Int { pair.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 0xFFFF }

    /// Returns whether the sample, which has one of `count` pairs, includes a pair.
    static func includes(_ pair: String, oneOf count: Int) -> Bool { includesAll || number(of: pair) % count == 0 }
}
