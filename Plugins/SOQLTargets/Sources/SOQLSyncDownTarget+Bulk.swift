// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
internal import SoupCore

extension SOQLSyncDownTarget {
    /// Whether many records are read by a Bulk 2.0 query job.
    public enum BulkMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// When a first run finds more than the threshold, and the query is one that a job can run.
        case auto
        /// Always page by page.
        case never
    }

    /// Hands the query over to a job when it finds many records.
    ///
    /// The first page of the query tells how many there are, exactly and whatever its conditions, in the request that
    /// is made anyway.
    ///
    /// - Returns: nil when the pages of the query are to be read, also when the server has no job for it.
    func bulkStart(for page: Page, in context: SyncContext) async throws -> BulkQueryCursor? {
        guard bulk == .auto, context.highWaterMark == nil, page.next != nil, let total = page.totalSize,
            total > bulkThreshold, let object, let fields = query.plainFields
        else { return nil }
        do {
            let job = try await context.startBulkQuery(
                query.jobText, of: object, fields: fields, totalSize: total, serverTime: page.serverTime)
            context.log("\(total) records of \(object) are read by the bulk query job \(job.job)")
            return job
        } catch let error as SoupError where error.code != .sessionExpired {
            context.log("no bulk query, reading page by page: \(error)")
            return nil
        }
    }

    /// A page of the job's result, or the first page of the query when the job has failed or is gone.
    ///
    /// One bad answer may be that of a server that is too busy, or of something on the way to it, and a job of which
    /// much was read is not given up for that: when the query is answered, and then still not the job, the job is what
    /// the server does not answer.
    func bulkPage(at place: BulkQueryCursor, of object: String, in context: SyncContext) async throws -> UnreadPage {
        do {
            return UnreadPage(try await jobPage(at: place, of: object, in: context))
        } catch let error as SoupError where Self.meansLost.contains(error.code) {
            context.log("the bulk query failed, reading page by page: \(error)")
            return try await pageAgain(after: nil, in: context)
        } catch let error as SoupError where Self.mayMeanLost.contains(error.code) {
            let page = try await pageAgain(after: nil, in: context)
            do {
                return UnreadPage(try await jobPage(at: place, of: object, in: context))
            } catch let error as SoupError where Self.meansLost.union(Self.mayMeanLost).contains(error.code) {
                context.log("only the query is answered, and not its job, reading page by page: \(error)")
                return page
            }
        }
    }

    /// What says that a job will bring nothing more, however often it is asked.
    private static let meansLost: Set<SoupError.Code> = [.bulkQueryFailed, .objectNotFound, .cursorExpired]
    /// What a job that will bring nothing more is answered with, and now and then any other one.
    private static let mayMeanLost: Set<SoupError.Code> = [.unavailable, .server, .json]

    /// The records of a page of a job's result, from all places at which it is read.
    ///
    /// Of pages of 2,000 not five, but four: two such are in memory at a time, and a first sync is to do with 80 MB.
    private var jobPageSize: Int { min(maxBatchSize * SyncContext.bulkWidth, 8000) }

    /// A page of the job's result.
    ///
    /// - Throws: as `SyncContext.bulkPage`. A connection that broke says nothing about the job; where it always does,
    ///   the error says what else can be done.
    private func jobPage(
        at place: BulkQueryCursor, of object: String, in context: SyncContext
    ) async throws -> Page {
        do {
            var page = try await context.bulkPage(at: place, of: object, size: jobPageSize)
            page.job = .used
            return page
        } catch var error as SoupError where error.code == .network {
            error.hint =
                error.hint
                ?? "The next run goes on with the result of the bulk query; \"bulk\": \"never\" reads page by page."
            throw error
        }
    }

    // MARK: After a job that failed

    private static let againPrefix = "again:"

    private static func cursorAgain(_ cursor: PageCursor) -> PageCursor { PageCursor(againPrefix + cursor.rawValue) }

    /// The cursor of the query itself, for a cursor of ``pageAgain(after:in:)``; nil for any other.
    static func placeAgain(_ cursor: PageCursor) -> PageCursor? {
        guard cursor.rawValue.hasPrefix(againPrefix) else { return nil }
        return PageCursor(String(cursor.rawValue.dropFirst(againPrefix.count)))
    }

    /// A page of the query, which brings everything again that a job brought a part of.
    ///
    /// What the job brought was in no order: how far the records of these pages go says nothing of what is still to
    /// come, before the last one.
    func pageAgain(after place: PageCursor?, in context: SyncContext) async throws -> UnreadPage {
        var again = context
        again.announceNext = { context.announceNext(Self.cursorAgain($0)) }
        var page = try await queryPage(after: place, in: again)
        page.head.isUnfinished = true
        page.head.beginsAgain = place == nil
        page.head.job = place == nil ? .lost : nil
        page.head.next = page.head.next.map(Self.cursorAgain)
        return page
    }
}
