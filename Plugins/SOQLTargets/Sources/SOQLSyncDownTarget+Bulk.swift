// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

extension SOQLSyncDownTarget {
    /// Whether many records are read with a Bulk 2.0 query job.
    public enum BulkMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// If a first run finds more records than the threshold, and a job can run the query.
        case auto
        /// Always page by page.
        case never
    }

    /// Starts a job for the query if it finds many records.
    ///
    /// The first page of the query, which is requested anyway, contains the exact number of records.
    ///
    /// - Returns: nil if the query's pages are to be read instead, also if the server cannot run a job for it.
    func bulkStart(for page: RecordPage, in context: SyncContext) async throws -> BulkQueryCursor? {
        guard bulk == .auto, context.highWaterMark == nil, page.next != nil, let total = page.totalSize,
            total > bulkThreshold, let object, let fields = query.plainFields
        else { return nil }
        do {
            let job = try await SalesforceClient(context).startBulkQuery(
                query.jobText, of: object, fields: fields, totalSize: total, serverTime: page.serverTime)
            context.log("\(total) records of \(object) are read by the bulk query job \(job.job)")
            return job
        } catch let error as SoupError where error.code != .sessionExpired {
            context.log("no bulk query, reading page by page: \(error)")
            return nil
        }
    }

    /// Fetches a page of the job's result, or the first page of the query if the job has failed or no longer exists.
    ///
    /// A single failed response may come from an overloaded server, or from a gateway, and a mostly read job is not
    /// abandoned because of it. If the server then responds to the query, but still not to the job, the job counts as
    /// lost.
    func bulkPage(at place: BulkQueryCursor, of object: String, in context: SyncContext) async throws -> UnreadPage {
        do {
            return UnreadPage(try await jobPage(at: place, of: object, in: context))
        } catch let error as SoupError where Self.meansLost.contains(error.code) {
            context.log("the bulk query failed, reading page by page: \(error)")
            return try await restartedPage(after: nil, in: context)
        } catch let error as SoupError where Self.mayMeanLost.contains(error.code) {
            let page = try await restartedPage(after: nil, in: context)
            do {
                return UnreadPage(try await jobPage(at: place, of: object, in: context))
            } catch let error as SoupError where Self.meansLost.union(Self.mayMeanLost).contains(error.code) {
                context.log("the server responds to the query, but not to its job, reading page by page: \(error)")
                return page
            }
        }
    }

    /// The errors that mean that the job will return no more records, regardless of retries.
    private static let meansLost: Set<SoupError.Code> = [.bulkQueryFailed, .objectNotFound, .cursorExpired]
    /// The errors of a finished job that occasionally also occur for jobs that are still running.
    private static let mayMeanLost: Set<SoupError.Code> = [.unavailable, .requestLimit, .server, .json]

    /// The number of records of one page of a job's result, from all places at which it is read.
    ///
    /// It is limited to four pages of 2,000 instead of five: two such pages are in memory at a time, and a first sync
    /// must not need more than 80 MB.
    private var jobPageSize: Int { min(maxBatchSize * SalesforceClient.bulkConcurrency, 8000) }

    /// Fetches a page of the job's result.
    ///
    /// - Throws: as `SalesforceClient.bulkPage`. A connection error does not mean that the job is lost. If it occurs
    ///   repeatedly, the error's hint describes an alternative.
    private func jobPage(
        at place: BulkQueryCursor, of object: String, in context: SyncContext
    ) async throws -> RecordPage {
        do {
            var page = try await SalesforceClient(context).bulkPage(at: place, of: object, size: jobPageSize)
            page.bulkQuery = .used
            return page
        } catch var error as SoupError where error.code == .network {
            error.hint =
                error.hint
                ?? "Run the sync again to resume the bulk query, or set \"bulk\": \"never\" to read page by page."
            throw error
        }
    }

    // MARK: After a job that failed

    private static let restartPrefix = "again:"

    private static func restartCursor(_ cursor: PageCursor) -> PageCursor {
        PageCursor(restartPrefix + cursor.rawValue)
    }

    /// Returns the cursor of the query itself, for a cursor of ``restartedPage(after:in:)``; nil for any other.
    static func queryCursor(ofRestart cursor: PageCursor) -> PageCursor? {
        guard cursor.rawValue.hasPrefix(restartPrefix) else { return nil }
        return PageCursor(String(cursor.rawValue.dropFirst(restartPrefix.count)))
    }

    /// Fetches a page of the query, which fetches again the records that a job has already returned.
    ///
    /// The job's records had no order. Therefore, before the last page, these pages do not define how far the sync has
    /// progressed.
    func restartedPage(after place: PageCursor?, in context: SyncContext) async throws -> UnreadPage {
        var restart = context
        restart.announceNext = { context.announceNext(Self.restartCursor($0)) }
        var page = try await queryPage(after: place, in: restart)
        page.head.isUnfinished = true
        page.head.beginsAgain = place == nil
        page.head.bulkQuery = place == nil ? .lost : nil
        page.head.next = page.head.next.map(Self.restartCursor)
        return page
    }
}
