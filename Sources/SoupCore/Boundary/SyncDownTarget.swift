// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Where records come from.
///
/// One method is required: the page after a cursor.
///
/// ```swift
/// struct WeatherTarget: SyncDownTarget {
///     struct Configuration: Decodable, Sendable { var station: String }
///     static let name: PluginName = "weather"
///     let station: String
///     init(configuration: Configuration) { station = configuration.station }
///
///     func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page {
///         let path = "/stations/\(URLText.segment(station))/readings"
///         let answer = try await context.get(path + "?page=\(URLText.query(cursor?.rawValue ?? "1"))")
///         return try Page(answer, recordsAt: "readings", nextAt: "nextPage")
///     }
/// }
/// ```
///
/// A target holds no state between calls: it is a value, made anew for each run, and everything that leads to the next
/// page is in the cursor, which is saved with the rows of the page that it came with.
public protocol SyncDownTarget: SyncPlugin {
    /// The page after `cursor`, or the first page for nil.
    ///
    /// Repeatable: after a crash the engine asks for the same cursor again, and must get at least the records that it
    /// did not see. When the server no longer knows the cursor, throw `cursorExpired`: the engine starts again from the
    /// high-water mark. Every other error fails the run; what was saved stays. Cancellation throws `CancellationError`.
    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page
    /// The same page with its records still to be read: what the engine calls, so that it can ask for the next page
    /// before it has looked at this one. Default: ``page(after:in:)``. The same errors, and as repeatable.
    ///
    /// Worth the trouble for targets whose answers tell the way on in front of many records.
    func unreadPage(after cursor: PageCursor?, in context: SyncContext) async throws -> UnreadPage

    /// The field of a record that holds the server's id; records replace entries by it. Default `Id`.
    var idField: String { get }
    /// The field that holds the time of a record's last change, ISO 8601. Default `LastModifiedDate`.
    var modificationDateField: String { get }
    /// Whether pages come in ascending order of that field, so that the high-water mark can rise page by page and not
    /// only at the end. Default false.
    var ordersByModificationDate: Bool { get }
    /// The soups that pages go to when there is more than the sync's own. Default: nil, the sync's soup alone.
    var layout: RecordLayout? { get }

    /// How many records a run from the context's high-water mark would fetch if it began now. Nil when the target
    /// cannot tell. Default nil. Repeatable.
    ///
    /// The engine calls this if a run of several pages returned fewer records than ``Page/expectedCount``: records that
    /// were deleted on the server while the run read its pages are missing rightly, all others are not. Without an
    /// answer the run fails, and the next one fetches everything again from the same high-water mark.
    ///
    /// - Parameter time: the server's time when the run began, in milliseconds since 1970; nil if the server did not
    ///   tell it. With it, count only records whose last change is older: those that were created or changed while the
    ///   run read its pages would hide the deletions.
    func currentCount(unchangedSince time: Int64?, in context: SyncContext) async throws -> Int?

    /// Whether a text can be a server ID of a record of this target.
    ///
    /// The engine leaves entries with other IDs out of every request, because most servers refuse a request as a whole
    /// for one malformed ID, and reports each of these entries. Default: every text that is not empty and has no
    /// control characters.
    ///
    /// - Parameter part: the position in ``layout``; 0 without one.
    func isPossibleId(_ id: String, part: Int) -> Bool

    /// Of these server ids of the soup, those that still belong to the target, for ghost cleaning. Nil when the target
    /// cannot tell: then cleaning throws `notSupported`. Default nil. Repeatable.
    ///
    /// - Parameter part: the position in ``layout``; 0 without one.
    func survivors(of ids: [String], part: Int, in context: SyncContext) async throws -> Set<String>?

    /// Whether deletions are asked for by their dates (``deletions(since:part:in:)``): at the end of every run, and in
    /// the place of a comparison of all ids when ghosts are cleaned. Default false.
    var tracksDeletions: Bool { get }
    /// The records that were deleted on the server from `time` on, in milliseconds since 1970. Nil when the server does
    /// not know all of them: then all ids are compared, by ``survivors(of:part:in:)``. Default nil. Repeatable.
    ///
    /// Ids of records that the sync never brought do no harm.
    func deletions(since time: Int64, part: Int, in context: SyncContext) async throws -> RecordDeletions?

    /// What will not work, or probably is not meant, with the options of the sync.
    ///
    /// Asked when a configuration is checked, not when a sync runs. Places are paths inside of the target object.
    /// Default: none.
    func problems(with options: SyncOptions) -> [ConfigurationProblem]

    /// The fields that records of a part have when they come, by objects; for warnings of syncs that bring different
    /// ones into the same soup. Default: none, nobody can tell.
    ///
    /// - Parameter part: the position in ``layout``; 0 without one.
    func broughtFields(part: Int) -> [BroughtFields]
}

extension SyncDownTarget {
    /// The page that ``page(after:in:)`` gives, with its records.
    public func unreadPage(after cursor: PageCursor?, in context: SyncContext) async throws -> UnreadPage {
        UnreadPage(try await page(after: cursor, in: context))
    }
    /// `Id`, the field that Salesforce objects have.
    public var idField: String { "Id" }
    /// `LastModifiedDate`, the field that Salesforce objects have.
    public var modificationDateField: String { "LastModifiedDate" }
    /// False: the high-water mark rises only at the end of a run.
    public var ordersByModificationDate: Bool { false }
    /// Nil: every page goes to the soup of the sync.
    public var layout: RecordLayout? { nil }
    /// Nil: the target cannot count, and a run that returned too few records fails.
    public func currentCount(unchangedSince time: Int64?, in context: SyncContext) async throws -> Int? { nil }
    /// True for every text that is not empty and has no control characters.
    public func isPossibleId(_ id: String, part: Int) -> Bool {
        !id.isEmpty && !id.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
    /// Nil: the target cannot tell, and ghosts cannot be cleaned.
    public func survivors(of ids: [String], part: Int, in context: SyncContext) async throws -> Set<String>? { nil }
    /// False: what was deleted on the server is found by a comparison of all ids, when somebody asks for it.
    public var tracksDeletions: Bool { false }
    /// None: the options of the sync are all the same to the target.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] { [] }
    /// None: nobody can tell before the records come.
    public func broughtFields(part: Int) -> [BroughtFields] { [] }
    /// Nil: the server does not tell, and all ids are compared.
    public func deletions(since time: Int64, part: Int, in context: SyncContext) async throws -> RecordDeletions? {
        nil
    }
}

/// What a server tells of the records that were deleted in a span of time.
public struct RecordDeletions: Sendable, Hashable {
    /// The server's ids, each in the form in which ``SyncDownTarget/page(after:in:)`` gives it.
    public var ids: [String]
    /// Every deletion before this time is told, in milliseconds since 1970: the next span begins there.
    public var coveredUntil: Int64

    /// An answer as a target reports it; nothing is checked.
    public init(ids: [String], coveredUntil: Int64) {
        self.ids = ids
        self.coveredUntil = coveredUntil
    }
}

/// What a target needs to find its next page: text that only the target understands.
public struct PageCursor: RawRepresentable, Sendable, Hashable, Codable {
    /// Whatever the target put in.
    ///
    /// It is kept in `syncs_soup` until the run is done: put no secrets in.
    public let rawValue: String
    /// Takes any text; only the target that made it ever reads it.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes the text that leads to the next page: a URL, an offset, a token of the server.
    public init(_ text: String) { self.rawValue = text }
}

/// What became of a job that the server was asked to run for a query, such as a Bulk 2.0 one.
public enum ServerJob: String, Sendable, Hashable, Codable {
    /// It was begun, and its result is read.
    case used
    /// It failed or was not heard of any more, and the records come without it.
    case lost
}

/// One page of records on its way to the store.
public struct Page: Sendable {
    /// The records, by the parts of the target's layout; one part without a layout.
    public var parts: [RecordBatch]
    /// Leads to the next page; nil when this is the last one.
    public var next: PageCursor?
    /// How many records the run will bring in all, when the server tells.
    ///
    /// For trees: parents.
    public var totalSize: Int?
    /// How many records all pages of the run hold together, if the server's answers say so for certain; for trees:
    /// parents.
    ///
    /// Nil when ``totalSize`` is unknown or an estimate. Default nil.
    ///
    /// Counts on the last page. The engine compares it with the number of records that came, and fails a run with
    /// another number: the high-water mark stays where it was before the run, so that the next run fetches everything
    /// again. See ``SyncDownTarget/currentCount(unchangedSince:in:)`` for records that are deleted while a run reads
    /// its pages. A range of several numbers is for servers that do not say whether a limit of the query is included.
    public var expectedCount: ClosedRange<Int>?
    /// The server's time when it answered, in milliseconds since 1970, when it tells; on later pages that of the first.
    ///
    /// The high-water mark never passes it, so that no change can be missed that is made while the query goes on.
    /// Without it the mark rises at the end of the query alone, and such a change can be missed.
    public var serverTime: Int64?
    /// Whether the target itself held back a rest that it does not want, as a `LIMIT` does: then the next run asks for
    /// what changed since ``serverTime``, and not for the rest.
    ///
    /// Counts on the last page of a run that had no high-water mark.
    public var isLimited: Bool
    /// Whether records that belong to those of this page or of an earlier one come on later pages, as children do that
    /// the server keeps on pages of their own: then the high-water mark does not rise by this page yet.
    public var isUnfinished = false
    /// Whether the target begins again with this page, because the way that it went on did not lead to the end: what
    /// earlier pages brought comes once more, and is counted once.
    public var beginsAgain = false
    /// How a job of the server has to do with this page; nil when the run says no more about one by it.
    public var job: ServerJob?
    /// Why records are missing that belong to what the run was to bring, when the server could not tell all of them.
    ///
    /// Counts on the last page: its records are saved, the high-water mark stays where it was before the run, and the
    /// run fails with this error, so that the next one asks for everything again.
    public var failure: SoupError?

    /// A page for the soups of a layout.
    ///
    /// - Parameter parts: in the order of the layout. The last ones may be left out; more of them than the layout has
    ///   fail the run.
    public init(
        parts: [RecordBatch], next: PageCursor? = nil, totalSize: Int? = nil, serverTime: Int64? = nil,
        isLimited: Bool = false
    ) {
        self.parts = parts
        self.next = next
        self.totalSize = totalSize
        self.serverTime = serverTime
        self.isLimited = isLimited
    }

    /// A page for the sync's own soup, or for the first one of a layout.
    public init(
        _ records: RecordBatch, next: PageCursor? = nil, totalSize: Int? = nil, serverTime: Int64? = nil,
        isLimited: Bool = false
    ) {
        self.init(
            parts: [records], next: next, totalSize: totalSize, serverTime: serverTime, isLimited: isLimited)
    }
}
