// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A count of consecutive pages with only records that the run already has, to detect a list that never ends.
///
/// A server that ignores the number of the page, or that alternates between pages, returns them forever, each with
/// another cursor. A query that starts again after an expired cursor returns as many known pages as it had before.
struct RepeatedPages: Sendable {
    /// The number of repeated pages that a moving list may have in addition.
    static let tolerance = 100

    /// The pages before the current run of repeated ones.
    private var earlier = 0
    private var repeated = 0

    /// Adds a page.
    ///
    /// - Parameter hasOnlyKnownRecords: false for a page without records: a server may filter its pages.
    /// - Returns: whether the list is taken to be endless.
    mutating func isEndless(after hasOnlyKnownRecords: Bool) -> Bool {
        guard hasOnlyKnownRecords else {
            earlier += repeated + 1
            repeated = 0
            return false
        }
        repeated += 1
        return repeated > earlier + Self.tolerance
    }
}
