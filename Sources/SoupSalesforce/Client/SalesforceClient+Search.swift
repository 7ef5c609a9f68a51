// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

extension SalesforceClient {
    /// Sends a search and returns the response, whose records are at `searchRecords`; it has no further pages.
    ///
    /// - Throws: ``SoupError``: `server` with Salesforce's code and text, `network`; `CancellationError`.
    public func search(_ sosl: String) async throws -> HTTPAnswer {
        let answer = try await send(.get, "\(apiPath)/search?q=\(URLText.query(sosl))")
        guard answer.isOK else { throw answer.salesforceFailure(of: "the search \(sosl.prefix(300))") }
        return answer
    }
}
