// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension SalesforceClient {
    /// Returns whether the server has an object in the session's API version; one request.
    ///
    /// The API answers a wrong version, path or object with the same `NOT_FOUND` as a missing record. Call this before
    /// a `NOT_FOUND` counts as a deleted record.
    ///
    /// - Returns: true if the API describes the object; false if the API reports that it has no such object or version.
    /// - Throws: ``SoupError``: `server` for a response that is not the API's own, and for every other refusal;
    ///   `unavailable`, `network`, `sessionExpired`; `CancellationError`.
    public func hasObject(_ type: String) async throws -> Bool {
        let answer = try await send(.get, "\(apiPath)/sobjects/\(URLText.segment(type))")
        switch answer.apiAnswer {
        case .success(let body):
            let name = body["objectDescribe"]?["name"]?.stringValue
            guard name?.lowercased() == type.lowercased() else {
                throw SoupError(.server, "the response to the check of the object \(type) does not describe it")
            }
            return true
        case .refusal(let error) where error.code == "NOT_FOUND" && answer.status == 404: return false
        case .refusal, .foreign: throw answer.salesforceFailure(of: "the check of the object \(type)")
        }
    }

    /// Checks that the server has an object in the session's API version; one request.
    ///
    /// - Throws: ``SoupError`` with `objectNotFound` and a hint if it has none; the errors of ``hasObject(_:)``.
    public func requireObject(_ type: String) async throws {
        guard try await !hasObject(type) else { return }
        throw SoupError(
            .objectNotFound, "the server has no object \(type) at \(apiPath)",
            hint: "Check the apiVersion of the session and the sobjectType of the target.")
    }
}
