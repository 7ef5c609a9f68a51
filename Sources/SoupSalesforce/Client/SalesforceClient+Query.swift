// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore
internal import HTTPTypes

extension SalesforceClient {
    /// The default batch size of the server.
    public static let defaultBatchSize = 2000

    /// Sends a query and returns the response with its first page.
    ///
    /// - Parameter batchSize: the number of records per page, limited to 200 through 2000. The server may send fewer.
    /// - Throws: ``SoupError``: `server` with Salesforce's code and text, `network`; `CancellationError`.
    public func query(_ soql: String, batchSize: Int = SalesforceClient.defaultBatchSize) async throws -> HTTPAnswer {
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

    /// Fetches one page of a query: the first one, or the page of a cursor.
    ///
    /// While a page after the first is still arriving, the client announces the cursor of the following page with
    /// ``SyncContext/announceNext``.
    ///
    /// - Parameters:
    ///   - soql: evaluated only for the first page.
    ///   - batchSize: as for ``query(_:batchSize:)``.
    /// - Returns: the response, and the data of the first page that applies to all pages.
    /// - Throws: as ``nextPage(_:showing:)``; `cursorExpired` for a cursor that is not one of a query.
    package func queryPage(
        after cursor: PageCursor?, of soql: @autoclosure () throws -> String,
        batchSize: Int = SalesforceClient.defaultBatchSize
    ) async throws -> (answer: HTTPAnswer, head: QueryPageCursor?) {
        guard let cursor else { return (try await query(try soql(), batchSize: batchSize), nil) }
        let head = try QueryPageCursor(cursor)
        let announce = context.announceNext
        let answer = try await nextPage(head.url) { beginning in
            guard beginning.isOK, let front = QueryPageHead(beginning.body),
                let next = front.next(answer: beginning, head: head)
            else { return }
            announce(next)
        }
        return (answer, head)
    }
}
