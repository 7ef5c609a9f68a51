// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A type that fetches records from the server.
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
///     func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
///         let path = "/stations/\(URLText.segment(station))/readings"
///         let after = cursor.map { "?after=\(URLText.query($0.rawValue))" } ?? ""
///         return try RecordPage(await context.get(path + after), recordsAt: "readings", nextAt: "next")
///     }
/// }
/// ```
///
/// A target holds no state between calls. It is a value that is created for each run. The state for the next page is in
/// the cursor. The article *How a sync works* of `SoupSync` describes how the engine uses a target.
///
/// Plug-in interface: version 1. ``PluginInterface`` states what may change within it.
public protocol SyncDownTarget: SyncPlugin {
    /// Returns the page after `cursor`, or the first page for nil.
    ///
    /// It must be repeatable: the same cursor can be requested again, and the page must then contain at least the
    /// records that were not received.
    ///
    /// - Throws: ``SoupError`` with `cursorExpired` if the server no longer knows the cursor; any other error if the
    ///   page cannot be fetched; `CancellationError` if the task is cancelled.
    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage
    /// Returns the same page with its records not yet read.
    ///
    /// The errors and the repeatability are those of ``page(after:in:)``. Implement it if reading a page takes long and
    /// its cursor is known before. Default: the page of ``page(after:in:)``.
    func unreadPage(after cursor: PageCursor?, in context: SyncContext) async throws -> UnreadPage

    /// The name of the connection to the target's server; nil for the session of the app. Default: nil.
    ///
    /// By convention it is the member `connection` of the target object, where problems with it are reported.
    /// ``SyncContext/transport`` and ``SyncContext/basePath`` are then those of the connection.
    var connectionName: String? { get }
    /// The field of a record that contains the server's ID. Default: `Id`.
    var idField: String { get }
    /// The field that contains the time of a record's last change. Default: `LastModifiedDate`.
    var modificationDateField: String { get }
    /// The form of the values of ``modificationDateField``. Default: ISO 8601.
    var dateFormat: RecordDateFormat { get }
    /// The field that contains the version of a record on the server, such as a revision or an ETag. Default: nil.
    ///
    /// The engine keeps the server's value there, and never treats it as a local change. See ``SyncUpTarget``.
    var versionField: String? { get }
    /// Whether the records of a run come in ascending order of the modification date, also across pages. Default:
    /// false.
    var ordersByModificationDate: Bool { get }
    /// The soups that pages are saved to, if there are several. Default: nil, only the sync's soup.
    var layout: RecordLayout? { get }
    /// The longest time between the moment at which the server dates a change and the moment at which queries find it.
    ///
    /// A server dates a record inside a transaction that it may commit minutes later. Therefore the engine subtracts
    /// this time from the marks that it passes in the context, and records that come back unchanged are not written.
    /// Return zero for a server that never does this. Negative values count as zero. Default: ten minutes.
    var lookback: Duration { get }

    /// Returns the number of records that a run from the context's high-water mark would fetch if it began now; nil if
    /// the target cannot determine it.
    ///
    /// For trees: the number of parents. It must be repeatable. Default: nil.
    ///
    /// - Parameter time: the server's time when the run began; nil if it is unknown. If it
    ///   is given, only records whose last change is older are counted.
    func currentCount(unchangedSince time: Date?, in context: SyncContext) async throws -> Int?

    /// Returns whether a text can be a server ID of a record of this target.
    ///
    /// Return false for a text for which the server refuses a whole request. No request may be sent. Default: true for
    /// every text that is not empty and has no control characters.
    ///
    /// - Parameter level: the position in ``layout``; 0 without one.
    func isPossibleId(_ id: String, level: Int) -> Bool

    /// Returns those of the server IDs whose records the target would still fetch; nil if it cannot determine them.
    ///
    /// An ID may be left out only if the server reports, in its own form, that the record does not exist or does not
    /// belong to the target. For every other response throw. For no IDs, return an empty set. It must be repeatable.
    /// Default: nil; cleaning the ghosts of such a sync fails with `notSupported`.
    ///
    /// - Parameter level: the position in ``layout``; 0 without one.
    func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>?

    /// Returns those of the server IDs whose records exist, also of records that the target does not fetch; nil if it
    /// cannot determine them, or if the level has no records of this type.
    ///
    /// A complete cleaning asks about records that a sync up created and that no sync down has fetched, and removes the
    /// others. For an answer that may be incomplete throw. For no IDs, return an empty set. It must be repeatable.
    /// Default: nil; such records stay until a sync down fetches them or reports their deletion.
    ///
    /// - Parameters:
    ///   - type: the object of the records, as in their `attributes.type`.
    ///   - level: the position in ``layout``; 0 without one.
    func existing(_ ids: [String], type: String, level: Int, in context: SyncContext) async throws -> Set<String>?

    /// Returns the server's report of the records that were deleted from `time` on; nil if the target does not report
    /// deletions.
    ///
    /// A target returns nil for all times and levels, or for none. If the server does not know all deletions since
    /// `time`, return ``DeletionReport/incomplete``. If the response is not the server's own, throw. The report may
    /// contain IDs of records that the sync never fetched. It must be repeatable. Default: nil.
    ///
    /// - Parameters:
    ///   - time: the server's time up to which deletions are already known, less the ``lookback``; nil if there is
    ///     none: then return ``DeletionReport/incomplete`` without a request.
    ///   - level: the position in ``layout``; 0 without one.
    func deletions(since time: Date?, level: Int, in context: SyncContext) async throws -> DeletionReport?

    /// Returns the IDs of all records of the level's object that changed from `time` on, also of those that the target
    /// does not fetch; nil if the target cannot determine them, or if no change can remove a record from it.
    ///
    /// The engine asks ``survivors(of:level:in:)`` about those of its entries that have one of these IDs, and removes
    /// the others. It must be repeatable. Default: nil; then only complete cleanings find records that left the target.
    ///
    /// - Parameters:
    ///   - time: as for ``deletions(since:level:in:)``; for children an earlier time, without a bound, while local
    ///     changes prevent that changed ones are saved.
    ///   - level: the position in ``layout``; 0 without one.
    ///   - limit: the number of IDs above which the engine prefers to look up all its entries. If there are more,
    ///     return ``ChangeReport/incomplete``, if possible before all are requested.
    func changedIds(since time: Date, level: Int, limit: Int, in context: SyncContext) async throws -> ChangeReport?

    /// Returns the errors and the probable mistakes in the combination with the options of the sync.
    ///
    /// No request may be sent. Places are paths inside the target object. Default: none.
    func problems(with options: SyncOptions) -> [ConfigurationProblem]

    /// Returns the fields of the records of a level when they are fetched, by objects.
    ///
    /// No request may be sent. Default: none, which means unknown.
    ///
    /// - Parameter level: the position in ``layout``; 0 without one.
    func fetchedFields(level: Int) -> [FetchedFields]
}

extension SyncDownTarget {
    /// Nil: the target uses the session of the app.
    public var connectionName: String? { nil }
    /// Returns the page of ``page(after:in:)``, with its records.
    public func unreadPage(after cursor: PageCursor?, in context: SyncContext) async throws -> UnreadPage {
        UnreadPage(try await page(after: cursor, in: context))
    }
    /// `Id`, the field of Salesforce objects.
    public var idField: String { "Id" }
    /// `LastModifiedDate`, the field of Salesforce objects.
    public var modificationDateField: String { "LastModifiedDate" }
    /// ISO 8601, the form of Salesforce and of most other servers.
    public var dateFormat: RecordDateFormat { .iso8601 }
    /// Nil: records have no version.
    public var versionField: String? { nil }
    /// False: the records have any order.
    public var ordersByModificationDate: Bool { false }
    /// Nil: all pages are saved to the soup of the sync.
    public var layout: RecordLayout? { nil }
    /// Ten minutes, the longest time for which Salesforce runs a transaction.
    public var lookback: Duration { .seconds(600) }
    /// Nil: the target cannot count.
    public func currentCount(unchangedSince time: Date?, in context: SyncContext) async throws -> Int? { nil }
    /// True for every text that is not empty and has no control characters.
    public func isPossibleId(_ id: String, level: Int) -> Bool {
        !id.isEmpty && !id.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
    /// Nil: the target cannot determine the survivors.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? { nil }
    /// Nil: the target cannot determine which records exist.
    public func existing(
        _ ids: [String], type: String, level: Int, in context: SyncContext
    ) async throws -> Set<String>? { nil }
    /// Nil: the target cannot determine the changed IDs.
    public func changedIds(
        since time: Date, level: Int, limit: Int, in context: SyncContext
    ) async throws -> ChangeReport? { nil }
    /// None: the target works with all options.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] { [] }
    /// None: the fields are unknown before the records are fetched.
    public func fetchedFields(level: Int) -> [FetchedFields] { [] }
    /// Nil: the target does not report deletions.
    public func deletions(since time: Date?, level: Int, in context: SyncContext) async throws -> DeletionReport? {
        nil
    }
}

/// The server's report of the records that were deleted in a period of time.
public enum DeletionReport: Sendable, Hashable {
    /// All records that were deleted in the period.
    ///
    /// - Parameters:
    ///   - ids: the server's IDs, each in the form that ``SyncDownTarget/page(after:in:)`` uses.
    ///   - coveredUntil: the end of the period, which is the start of the next one. Every
    ///     deletion before this time is reported.
    case complete(ids: [String], coveredUntil: Date)
    /// The server does not know all deletions of the period, for example because it began too long ago.
    case incomplete
}

/// The server's report of the records that changed in a period of time.
public enum ChangeReport: Sendable, Hashable {
    /// All records that changed in the period.
    ///
    /// - Parameter ids: the server's IDs, each in the form that ``SyncDownTarget/page(after:in:)`` uses.
    case complete(ids: [String])
    /// There are more changes than the engine asked for.
    case incomplete
}

/// The text with which a target finds its next page; only the target interprets it.
public struct PageCursor: RawRepresentable, Sendable, Hashable, Codable {
    /// The text that the target put in.
    ///
    /// It is stored: it must not contain secrets.
    public let rawValue: String
    /// Creates a cursor from any text; only the target that made it reads it.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a cursor from the text for the next page: a URL, an offset, a token of the server.
    public init(_ text: String) { self.rawValue = text }
}
