// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The records that the pages of one query have returned, and the numbers of records that they announced.
///
/// If a list changes while it is read page by page, a record can be on two pages, and with numbered pages another one
/// on none.
struct ReturnedRecords: Sendable {
    /// Hashes of the IDs.
    private var ids: Set<Int> = []
    /// The number of records that were returned again.
    private(set) var repeated = 0
    /// The smallest and the largest number of records that a page announced.
    private var totals: ClosedRange<Int>?
    /// Whether pages have numbers: a record that is deleted moves others to pages that were already read.
    private var isNumbered = false
    /// Beyond this number of records, repeated ones are not noticed, so that memory use does not grow.
    private static let maximum = 500_000

    /// Adds the records of a page; of a tree, the roots.
    mutating func add(_ page: FetchedPage, of layout: RecordLayout) {
        if page.head.isNextTemporary { isNumbered = true }
        if let total = page.head.plausibleTotal {
            totals = min(total, totals?.lowerBound ?? total)...max(total, totals?.upperBound ?? total)
        }
        for level in layout.isTree ? page.levels.prefix(1) : page.levels[...] {
            for record in level.records {
                var hasher = Hasher()
                hasher.combine(level.position)
                hasher.combine(level.id(of: record))
                let id = hasher.finalize()
                if ids.contains(id) {
                    repeated += 1
                } else if ids.count < Self.maximum {
                    ids.insert(id)
                }
            }
        }
    }

    /// Whether the list changed while its pages were read, or contains records twice.
    var showsChanges: Bool { repeated > 0 || totals.map { $0.lowerBound < $0.upperBound } ?? false }

    /// Compares the number of different records with the number that the last page announces.
    ///
    /// If the announced numbers differ, a list with numbered pages must have as many as the largest number. Other lists
    /// may have as many, because records that were deleted after they were returned are counted.
    ///
    /// - Parameters:
    ///   - page: the last page.
    ///   - count: the number of records of all pages, also repeated ones.
    func check(_ page: RecordPage, count: Int) -> RecordPage.CountCheck {
        var page = page
        if let totals, totals.lowerBound < totals.upperBound, let expected = page.expectedCount {
            let upper = max(expected.upperBound, totals.upperBound)
            page.expectedCount = (isNumbered ? upper : expected.lowerBound)...upper
        }
        return page.check(count: count - repeated)
    }
}

extension SoupError {
    /// The error for a list that changed while its pages were read.
    static func changedList(expected: Int, count: Int) -> SoupError {
        SoupError(
            .incompleteAnswer,
            "the list changed while its pages were read: \(expected) record(s) were announced, and the server sent "
                + "\(count) different ones",
            hint:
                "Run it again. A list with numbered pages loses records when it changes: use another paging if the "
                + "server has one. If the list itself contains records twice, the announced number is not exact.")
    }
}
