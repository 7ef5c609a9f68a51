// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The records that the pages of one query have returned.
///
/// If a list moves while it is read page by page, a record can be on two pages in place of another one, which is on
/// none. The number of records is then right, and the number of different records is not.
struct ReturnedRecords: Sendable {
    /// Hashes of the IDs.
    private var ids: Set<Int> = []
    /// The number of records that were returned again.
    private(set) var repeated = 0
    /// Beyond this number of records, repeated ones are not noticed, so that memory use does not grow.
    private static let maximum = 500_000

    /// Adds the records of a page; of a tree, the roots.
    mutating func add(_ page: FetchedPage, of layout: RecordLayout) {
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
}
