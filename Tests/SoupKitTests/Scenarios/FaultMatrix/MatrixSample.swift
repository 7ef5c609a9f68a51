// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The sample of a matrix's cells: the same cells in every run, or all with `SOUPKIT_MATRIX=all`.
enum MatrixSample {
    static let includesAll = ProcessInfo.processInfo.environment["SOUPKIT_MATRIX"] == "all"

    /// Returns a constant number for a pair, which selects its requests.
    static func number(of pair: String) -> Int { pair.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 0xFFFF }

    /// Returns whether the sample, which has about one of `count` pairs, includes a pair.
    ///
    /// The sample has pairs of every row and of every column of the matrix.
    static func includes(
        _ row: String, _ column: String, of matrix: (rows: [String], columns: [String]), oneOf count: Int
    ) throws -> Bool {
        let (first, second) = (matrix.rows.firstIndex(of: row), matrix.columns.firstIndex(of: column))
        let sum = try #require(first) + #require(second)
        return includesAll || sum % min(count, matrix.rows.count, matrix.columns.count) == 0
    }
}
