// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

extension SalesforceClient {
    /// Fetches the description of an object: its fields, its relationships, and the user's permissions; one request.
    ///
    /// - Throws: ``SoupError``: `objectNotFound`, `json`, `server`, `unavailable`, `network`, `sessionExpired`;
    ///   `CancellationError`.
    public func describe(_ object: String) async throws -> JSONText {
        let what = "the description of \(object)"
        let answer = try await send(.get, "\(apiPath)/sobjects/\(URLText.segment(object))/describe")
        guard answer.isOK else { throw answer.salesforceFailure(of: what) }
        guard let text = try? JSONText(answer.body[...]) else {
            throw SoupError(.json, "\(what) is not JSON", hint: SoupError.changedResponsesHint)
        }
        return text
    }
}
