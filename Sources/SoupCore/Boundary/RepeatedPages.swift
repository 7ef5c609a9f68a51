// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A count of consecutive pages without new records, to detect a list that never ends.
///
/// A server that ignores the number of the page, or that alternates between pages, returns them forever, each with
/// another cursor. A query that starts again returns as many known pages as it had before.
package struct RepeatedPages: Sendable {
    /// The records of a page.
    package enum Content: Sendable {
        /// At least one that no earlier page had.
        case new
        /// Only those of earlier pages.
        case known
        /// None: a server may filter its pages.
        case none
    }

    /// The number of pages with only known records that a moving list may have in addition.
    package static let tolerance = 100
    /// The number of consecutive pages without records.
    package static let maximumEmpty = 1_000

    /// The pages before the current run of repeated ones.
    private var earlier = 0
    private var repeated = 0
    private var empty = 0

    package init() {}

    /// Adds a page.
    ///
    /// - Returns: whether the list is taken to be endless.
    package mutating func isEndless(after content: Content) -> Bool {
        switch content {
        case .new:
            earlier += repeated + 1
            (repeated, empty) = (0, 0)
        case .known:
            repeated += 1
            empty = 0
        case .none: empty += 1
        }
        return repeated > earlier + Self.tolerance || empty > Self.maximumEmpty
    }

    /// Begins again: the pages so far return once more.
    package mutating func restart() {
        earlier += repeated
        (repeated, empty) = (0, 0)
    }
}
