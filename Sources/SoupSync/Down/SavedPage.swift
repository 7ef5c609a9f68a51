// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The results of saving a page.
struct SavedPage: Sendable, Hashable {
    /// The number of records of the page; for trees, the number of parents.
    var count = 0
    /// The number of these records that the store already had.
    var unchanged = 0
    /// The additions to the results of the run; see ``CountedRecords``.
    var counts = RecordCounts()
    /// Whether earlier pages of the run had returned the records of the page.
    var content: RepeatedPages.Content { records == 0 ? .none : newRecords == 0 ? .known : .new }
    /// The number of records of all levels.
    var records = 0
    /// The number of these records that no earlier page had returned.
    var newRecords = 0
    /// The number of entries that were removed because the page reports their records as deleted.
    var deleted = 0
    /// The entries of such records that were kept because of local changes.
    var held: [HeldDeletion] = []
    /// The number of written records, by soup.
    var savedBySoup: [SoupName: Int] = [:]
    /// See ``QueryProgress/querySecond``.
    var querySecond: Int64?
    /// The dates of the records; for trees, of the parents.
    var seen = WatermarkAccumulator()
    /// For trees: the dates of the children, one element for each level after the first.
    var levels: [WatermarkAccumulator] = []

    /// Creates the results of a page without records.
    init(querySecond: Int64? = nil, of layout: RecordLayout? = nil) {
        self.querySecond = querySecond
        if let layout, layout.isTree { levels = layout.levels.dropFirst().map { _ in WatermarkAccumulator() } }
    }

    /// Adds the records of one level: their counts and their dates.
    ///
    /// - Parameters:
    ///   - latest: see ``QueryProgress/latest``.
    ///   - counted: the records that the run has counted; the new ones are added.
    mutating func add(
        _ writes: [RecordWrite], of level: FetchedLevel, isTree: Bool, latest: Int64, counted: CountedRecords
    ) {
        var counts = RecordCounts()
        records += writes.count
        for write in writes {
            let (isNew, added) = counted.note(write, of: level.position)
            counts += added
            if isNew { newRecords += 1 }
            // Trees are counted by their roots, and each level of a tree has its own high-water mark.
            if !isTree || level.position == 0 {
                count += 1
                if write.effect == .unchanged { unchanged += 1 }
                note(write, in: &seen, latest: latest)
            } else if !write.isMissing || write.access != .blockedWithRoot || write.hasOtherParent {
                // A record that was skipped with its root is fetched again with it, unless the root leaves the target.
                // It then leaves with the root, which the store must know if its entry has another parent.
                note(write, in: &levels[level.position - 1], latest: latest)
            }
        }
        self.counts += counts
        if counts.saved > 0 { savedBySoup[level.layout.soup, default: 0] += counts.saved }
    }

    private func note(_ write: RecordWrite, in seen: inout WatermarkAccumulator, latest: Int64) {
        seen.note(write.record.date, isSkipped: write.isMissing, querySecond: querySecond, latest: latest)
    }
}
