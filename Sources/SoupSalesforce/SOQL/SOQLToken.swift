// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A word, literal or symbol of a query, as a range of its bytes.
struct SOQLToken: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// A keyword or an identifier; the grammar determines which.
        case word
        case string
        case number
        case date
        case dateTime
        case time
        /// `( ) , . : = != <> < <= > >=`
        case symbol
        case end
    }

    var kind: Kind
    var range: Range<Int>
}
