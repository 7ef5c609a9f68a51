// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The checked description of a list of records: its parameters, its pages, and the values around the records.
struct RecordList: Sendable {
    let service: Service
    let query: ListQuery
    let paging: Paging
    let since: SinceFilter?
    let token: JSONPath?
    let expiredToken: Set<Int>
    let deleted: DeletedConfiguration?
    let deletedIds: JSONPath?
    let total: JSONPath?
    let totalIsExact: Bool
    /// Whether the records must have dates and versions; a list of survivors can contain only IDs.
    let needsStates: Bool

    /// Checks a configuration.
    ///
    /// - Throws: ``SoupError`` with the place of a fault, or a `ConfigurationError` with several of them.
    init(_ configuration: ListConfiguration, of service: Service) throws {
        var faults = ConfigurationFaults()
        self.service = service
        let paging = Paging(configuration.paging ?? PagingConfiguration(.none), faults: &faults)
        self.paging = paging
        let known =
            paging.variables + (service.modified == nil ? [] : [.since]) + (configuration.delta == nil ? [] : [.token])
        let parameters = paging.completed(configuration.parameters ?? [:])
        if service.modified == nil, let name = parameters.first(where: { $0.value.text.contains("{since}") })?.key {
            faults.add(
                SoupError(
                    .badConfiguration, "{since} needs the date of records",
                    place: SoupError.Place(path: "parameters.\(name)"),
                    hint: "Add \"modified\" with the path of the date of the last change."))
            try faults.finish()
        }
        let query = faults.check { try ListQuery(parameters, known: known, at: "parameters") }
        since = query?.contains(.since) == true ? SinceFilter(configuration.since, of: service) : nil
        token = configuration.delta.map { JSONPath(configured: $0.token) }
        expiredToken = Set(configuration.delta?.expired ?? [400, 404, 410])
        deleted = configuration.deleted
        deletedIds = configuration.deletedIds.map { JSONPath(configured: $0) }
        total = configuration.total.map { JSONPath(configured: $0) }
        totalIsExact = configuration.totalIsExact ?? false
        needsStates = true
        if let query { Self.check(configuration, paging, query: query, of: service, faults: &faults) }
        self.query = try faults.finish(returning: query)
    }

    private init(_ list: RecordList, query: ListQuery, paging: Paging) {
        service = list.service
        self.query = query
        self.paging = paging
        since = nil
        token = nil
        expiredToken = []
        deleted = list.deleted
        deletedIds = list.deletedIds
        total = list.total
        totalIsExact = list.totalIsExact
        needsStates = false
    }

    /// Returns a list of the same records with other parameters, without filters by time or token.
    func with(_ query: ListQuery) -> RecordList { RecordList(self, query: query, paging: paging) }

    /// Whether the server's cursor is a value for a parameter, and not a URL.
    var usesCursorVariable: Bool { query.contains(.cursor) }
    /// Whether the server's token is a value for a parameter, and not a URL.
    var usesTokenVariable: Bool { query.contains(.token) }

    private static func check(
        _ configuration: ListConfiguration, _ paging: Paging, query: ListQuery, of service: Service,
        faults: inout ConfigurationFaults
    ) {
        func require(_ condition: Bool, _ message: String, at place: String, hint: String) {
            guard !condition else { return }
            faults.add(SoupError(.badConfiguration, message, place: SoupError.Place(path: place), hint: hint))
        }
        require(
            configuration.since == nil || query.contains(.since), "no parameter contains {since}", at: "since",
            hint: service.modified == nil
                ? "Add \"modified\" with the path of the date, and a parameter such as \"changed_since\": \"{since}\"."
                : "Add a parameter such as \"changed_since\": \"{since}\".")
        require(
            paging.limit == nil || query.contains(.limit), "no parameter contains {limit}", at: "paging.limit",
            hint: "Add a parameter such as \"limit\": \"{limit}\".")
        require(
            paging.kind != .page || query.contains(.page), "no parameter contains {page}", at: "parameters",
            hint: "Add a parameter such as \"page\": \"{page}\".")
        require(
            paging.kind != .offset || query.contains(.offset), "no parameter contains {offset}", at: "parameters",
            hint: "Add a parameter such as \"offset\": \"{offset}\".")
        require(
            paging.kind != .lastId || query.contains(.lastId), "no parameter contains {lastId}", at: "parameters",
            hint: "Add a parameter such as \"starting_after\": \"{lastId}\".")
        if paging.kind == .keyset {
            require(
                query.contains(.lastId) && query.contains(.since), "keyset paging needs {since} and {lastId}",
                at: "parameters",
                hint: "Add \"modified\", and parameters such as \"since\": \"{since}\" and \"after_id\": \"{lastId}\".")
            require(
                configuration.sortedByModified == true, "keyset paging needs a list that is sorted by date and ID",
                at: "sortedByModified", hint: "If the list is sorted, write \"sortedByModified\": true.")
        }
        require(
            configuration.sortedByModified != true || service.modified != nil,
            "\"sortedByModified\" needs the date", at: "sortedByModified",
            hint: "Add \"modified\" with the path of the date of the last change.")
        require(
            configuration.totalIsExact != true || configuration.total != nil, "\"totalIsExact\" needs \"total\"",
            at: "totalIsExact", hint: "Add \"total\" with the path of the number of all records.")
        require(
            configuration.totalIsExact != true || (configuration.deleted == nil && configuration.deletedIds == nil),
            "\"totalIsExact\" cannot be combined with deletions in the list", at: "totalIsExact",
            hint: "Remove it: the number may include deleted records.")
        require(
            configuration.delta == nil || !query.contains(.since), "a list has {since} or a token, not both",
            at: "delta",
            hint: "Remove the parameter with {since}, or \"delta\".")
    }
}
