// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Fetches the records of a JSON service over HTTP, as its configuration describes it.
///
/// The README of the plug-in lists the keys.
public struct HTTPSyncDownTarget: SyncDownTarget {
    /// The `type` of this target: `http`.
    public static let name: PluginName = "http"
    /// A list with numbered pages and a filter by date, for `soup targets http --sample`.
    public static let sample = try? JSONText(
        #"""
        {"type": "http", "url": "https://example.com/api/contacts", "records": "results", "id": "id",
        "modified": "updated_at", "parameters": {"updated_after": "{since}"},
        "paging": {"type": "page", "more": "next"}, "survivors": "each"}
        """#)

    /// The target object of a sync.
    public struct Configuration: Decodable, Sendable, Hashable {
        let service: ServiceConfiguration
        let list: ListConfiguration
        let lookback: Duration

        /// Reads the keys that the README lists.
        public init(from decoder: any Decoder) throws {
            service = try ServiceConfiguration(from: decoder)
            list = try ListConfiguration(from: decoder)
            // An overlap is the same time, subtracted by the target itself.
            lookback = try Lookback(from: decoder, standard: list.since?.overlap == nil ? Lookback.standard : .zero)
                .duration
        }
    }

    let list: RecordList
    let ghosts: GhostQuery?
    /// Whether the configuration states that the list is sorted by the date of the last change.
    public let ordersByModificationDate: Bool
    /// The key `lookback`; without it, zero if `since` has an `overlap`.
    public let lookback: Duration

    private var service: Service { list.service }

    /// - Throws: ``SoupError`` with the place of a fault; `ConfigurationError` with several of them.
    public init(configuration: Configuration) throws {
        var faults = ConfigurationFaults()
        let service = faults.check { try Service(configuration.service) }
        let list = service.flatMap { service in
            faults.check { try RecordList(configuration.list, of: service) }
        }
        let ghosts = list.flatMap { list in
            faults.check {
                try configuration.list.survivors.map {
                    try GhostQuery($0, of: list, constants: configuration.list.pagingParameters(list.paging))
                }
            }
        }
        self.list = try faults.finish(returning: list)
        self.ghosts = ghosts ?? nil
        ordersByModificationDate = configuration.list.sortedByModified ?? false
        lookback = configuration.lookback
    }

    /// The named connection of the configuration.
    public var connectionName: String? { service.connection }
    /// The member of an entry with the ID, `id` by default.
    public var idField: String { service.id.field }
    /// The member of an entry with the date of the last change.
    ///
    /// Without the key `modified`, the default of all targets.
    public var modificationDateField: String { service.dateField }
    /// The form of dates in records.
    public var dateFormat: RecordDateFormat { service.dateFormat }
    /// The member of an entry with the version of the record.
    public var versionField: String? { service.version?.field }

    /// Fetches a page, and divides it into records and deletions.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`, `incompleteAnswer`; `cursorExpired` for a cursor or a
    ///   token that the server no longer knows.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        let position = try cursor.map {
            try PagePosition($0, list.paging, usesCursorVariable: list.usesCursorVariable)
        }
        let client = ServiceClient(service: service, context: context)
        let step = try await list.step(at: position, with: client)
        var page = RecordPage(
            step.page.records, next: step.next?.cursor, totalSize: step.page.total, serverTime: step.answer.serverTime)
        page.isNextTemporary = step.next?.isNumbered ?? false
        if !step.page.deletedIds.isEmpty { page.deletedIds = [step.page.deletedIds] }
        if step.next == nil {
            page.syncToken = try syncToken(of: step.page, client)
            page.expectedCount = try expectedCount(of: step.page)
        }
        return page
    }

    private func expectedCount(of page: ListPage) throws -> ClosedRange<Int>? {
        guard list.totalIsExact else { return nil }
        guard let total = page.total, total >= 0 else {
            throw SoupError(
                .json, "the server's page has no number of records at \"\(list.total?.description ?? "")\"",
                hint: "Check \"total\". \(SoupError.changedResponsesHint)")
        }
        return total...total
    }

    private func syncToken(of page: ListPage, _ client: ServiceClient) throws -> String? {
        guard let path = list.token else { return nil }
        guard let token = page.token, PagePosition.isToken(token) else {
            throw SoupError(
                .json, "the last page has no token at \"\(path)\"",
                hint: "Check \"token\" in \"delta\". \(SoupError.changedResponsesHint)")
        }
        if list.usesTokenVariable { return token }
        return try PageLink(token, relativeTo: client.listPath, origin: service.origin).path
    }

    /// Returns warnings about credentials in the headers and the parameters.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        service.problems
            + list.query.constantNames.filter(SecretName.isProbable).map { SecretName.problem(at: "parameters.\($0)") }
    }

    /// Returns the given IDs whose records exist; nil without the key `survivors`.
    ///
    /// - Throws: ``SoupError`` for every response that is not the service's own, and for an incomplete list.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        guard let ghosts else { return nil }
        return try await ghosts.survivors(of: ids, with: ServiceClient(service: service, context: context))
    }
}
