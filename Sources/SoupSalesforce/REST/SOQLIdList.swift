// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Lists of values for `IN (…)`, in slices that fit into one query.
package enum SOQLIdList {
    /// The part of a list that fits into one query.
    package struct Slice: Sendable, Hashable {
        /// The texts, in their order in the whole list; at least one.
        package var ids: [String]
        /// Whether the values are written in quotes; numbers are not.
        package var isQuoted = true
        /// The list in SOQL: `('a', 'b')`, or `(1, 2)` without quotes.
        package var text: String { isQuoted ? SOQLLiteral.list(ids) : "(" + ids.joined(separator: ", ") + ")" }
    }

    /// Splits a list so that a query with one slice stays well below the maximum of 16,384 bytes for a URL.
    ///
    /// - Parameters:
    ///   - longest: the maximum number of bytes of a slice in the URL.
    ///   - count: the maximum number of values in a slice; a slice has one even if that exceeds the maximum.
    ///   - quoted: false for numbers.
    package static func slices(
        of ids: [String], longest: Int = 6000, atMost count: Int = .max, quoted: Bool = true
    ) -> [Slice] {
        var slices: [Slice] = []
        var length = 0
        for id in ids {
            let cost = URLText.query(SOQLLiteral.string(id) + ", ").utf8.count
            if let last = slices.indices.last, length + cost <= longest, slices[last].ids.count < count {
                slices[last].ids.append(id)
                length += cost
            } else {
                slices.append(Slice(ids: [id], isQuoted: quoted))
                length = cost
            }
        }
        return slices
    }
}
