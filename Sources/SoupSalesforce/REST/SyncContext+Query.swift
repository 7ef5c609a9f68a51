// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore
internal import HTTPTypes

extension SyncContext {
    /// The default batch size of the server.
    public static let defaultBatchSize = 2000

    /// Sends a query and returns the response with its first page.
    ///
    /// - Parameter batchSize: the number of records per page, limited to 200 through 2000. The server may send fewer.
    /// - Throws: ``SoupError``: `server` with Salesforce's code and text, `network`; `CancellationError`.
    public func query(_ soql: String, batchSize: Int = SyncContext.defaultBatchSize) async throws -> HTTPAnswer {
        var headers = HTTPFields()
        let size = min(max(batchSize, 200), 2000)
        if size != Self.defaultBatchSize, let name = HTTPField.Name("Sforce-Query-Options") {
            headers[name] = "batchSize=\(size)"
        }
        let answer = try await send(.get, "\(apiPath)/query?q=\(URLText.query(soql))", headers: headers)
        guard answer.isOK else { throw answer.salesforceFailure(of: "the query \(soql.prefix(300))") }
        return answer
    }

    /// Fetches the page at the `nextRecordsUrl` of another page.
    ///
    /// - Parameter beginning: receives the beginning of the response, see `HTTPTransport`.
    /// - Throws: as ``query(_:batchSize:)``; `cursorExpired` if the server no longer has the page.
    public func nextPage(
        _ url: String, showing beginning: (@Sendable (HTTPAnswer) -> Void)? = nil
    ) async throws -> HTTPAnswer {
        guard url.hasPrefix("/"), !url.hasPrefix("//"), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw SoupError(.cursorExpired, "the cursor \"\(url.excerpt(100))\" is not the path of a query page")
        }
        let answer = try await send(.get, url, showing: beginning)
        guard answer.isOK else { throw answer.salesforceFailure(of: "the next page of a query") }
        return answer
    }

    /// Returns those of `ids` that a query finds at `field`.
    ///
    /// Memory holds one page at a time, regardless of the size of the result. An ID of 15 characters equals its form of
    /// 18.
    ///
    /// - Parameters:
    ///   - asksForIds: whether the query requests only these IDs, so that a row with another ID belongs to the response
    ///     to another request.
    ///   - dateField: as for ``forEachPage(of:projecting:dateField:_:)``.
    /// - Throws: ``SoupError`` if a page cannot be fetched or read, if rows are missing, and for a row without an ID.
    ///   It never returns an incomplete result.
    public func found(
        _ ids: [String], by soql: String, at field: String, asksForIds: Bool = false, dateField: String? = nil
    ) async throws -> Set<String> {
        guard !ids.isEmpty else { return [] }
        let wanted = SalesforceID.Matcher(ids, field: field)
        var found: Set<String> = []
        var rows = QueryRowIDs(field: field)
        try await forEachPage(of: soql, projecting: [JSONPath(field)], dateField: dateField) { page in
            for record in 0..<page.count {
                let id = try rows.add(page.id(at: 0, field, in: record))
                let known = wanted.matches(id)
                // The server compares other fields by its own rules.
                if asksForIds, known.isEmpty, field.lowercased() == "id" {
                    throw QueryPageScan.foreign(id, requested: ids.count)
                }
                found.formUnion(known)
            }
        }
        return found
    }

    /// Returns those of `ids` whose records exist on the server, requested in slices that fit into a URL.
    public func existing(_ ids: [String], of type: String, idField: String) async throws -> Set<String> {
        var existing: Set<String> = []
        for slice in SOQLIdList.slices(of: ids) {
            try Task.checkCancellation()
            let soql = "select \(idField) from \(type) where \(idField) IN \(slice.text)"
            existing.formUnion(try await found(slice.ids, by: soql, at: idField, asksForIds: true))
        }
        return existing
    }
}
