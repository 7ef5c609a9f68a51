// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One page of the server's records.
///
/// The article *How a sync works* of `SoupSync` describes how the engine uses the members.
public struct RecordPage: Sendable {
    /// The records, by the levels of the target's layout; one level without a layout.
    public var levels: [RecordBatch]
    /// The IDs of records that the server reports as deleted on this page, by the levels of the target's layout.
    ///
    /// Their entries are removed in the transaction of the page, before its records are saved. An entry with local
    /// changes stays, and so does an entry of another sync. The page need not contain an ID that the store never had.
    public var deletedIds: [[String]] = []
    /// The cursor of the next page; nil if this is the last one.
    public var next: PageCursor?
    /// Whether ``next`` is valid in this run only, as the number of a page is.
    ///
    /// Between two runs a list can change, so that its records are on other pages. A run that continues an interrupted
    /// one then starts from the high-water mark again. Default: false.
    public var isNextTemporary = false
    /// The number of records on all pages, if the server reports or estimates it.
    ///
    /// For trees: the number of parents.
    public var totalSize: Int?
    /// The number of records on all pages, if the server reports it reliably.
    ///
    /// For trees: the number of parents. Nil if ``totalSize`` is unknown or an estimate. Default: nil.
    ///
    /// Only the last page needs it. Return a range of several numbers if the server does not report whether a limit of
    /// the query is included. A target that sets it can implement
    /// ``SyncDownTarget/currentCount(unchangedSince:in:)`` for records that are deleted while the pages are read.
    public var expectedCount: ClosedRange<Int>?
    /// The server's time when it answered the first request of the query; nil if the server does not send it.
    ///
    /// Later pages repeat it. The pages contain every change that was made before this time; later changes may be
    /// missing.
    public var serverTime: Date?
    /// Whether the target itself left out records on purpose, as a `LIMIT` does.
    ///
    /// Set it on the last page, if the query had no high-water mark. The records that were left out are then not
    /// fetched by later runs either, unless they change.
    public var isLimited: Bool
    /// Whether the pages of the run contain every change before ``serverTime``, because no limit excludes one.
    ///
    /// Set it on the last page. The next run then starts at that time, less the ``SyncDownTarget/lookback``, even if
    /// all fetched records have earlier dates. Otherwise it never starts after the latest date. Default: false.
    public var hasAllChanges = false
    /// Whether records that belong to this page or to an earlier one come on later pages.
    ///
    /// Examples are children that the server returns on their own pages. Set it on every such page.
    public var isUnfinished = false
    /// Whether the target starts again with this page, because its previous way did not lead to the end.
    ///
    /// This page and the following ones must contain all records of the query, also those of earlier pages.
    public var beginsAgain = false
    /// The token from which the next run continues, for a server that reports changes since a token.
    ///
    /// Set it on the last page. It is saved in the transaction of that page, and the next run gets it in
    /// ``SyncContext/syncToken``. Default: nil, also for a run that began with a token.
    public var syncToken: String?
    /// Facts about the run for its result, by names that the target defines; default: none.
    ///
    /// A value of a later page replaces the value of an earlier page with the same name. They must not contain records
    /// or secrets.
    public var details: [String: String] = [:]
    /// The reason why records of the run are missing, if the server could not return all of them.
    ///
    /// Set it on the last page; the records of that page must be complete and valid.
    public var failure: SoupError?

    /// Creates a page for the soups of a layout.
    ///
    /// - Parameter levels: in the order of the layout, at most one for each of its levels. The last ones may be left
    ///   out.
    public init(
        levels: [RecordBatch], next: PageCursor? = nil, totalSize: Int? = nil, serverTime: Date? = nil,
        isLimited: Bool = false
    ) {
        self.levels = levels
        self.next = next
        self.totalSize = totalSize
        self.serverTime = serverTime
        self.isLimited = isLimited
    }

    /// Creates a page for the sync's own soup, or for the first one of a layout.
    public init(
        _ records: RecordBatch, next: PageCursor? = nil, totalSize: Int? = nil, serverTime: Date? = nil,
        isLimited: Bool = false
    ) {
        self.init(
            levels: [records], next: next, totalSize: totalSize, serverTime: serverTime, isLimited: isLimited)
    }
}
