// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

extension SalesforceClient {
    /// The maximum number of IDs in a retrieve request.
    public static let maximumRetrieve = 2000

    /// Fetches fields of any number of records by ID, with 2,000 records per request.
    ///
    /// - Parameter ids: valid record IDs (``SalesforceID/isPossible(_:)``): the API refuses the whole request for one
    ///   invalid ID.
    /// - Returns: one object for each ID, in order; nil for a record that the server does not have.
    /// - Throws: ``SoupError``: `server`, `network`; `json` for a response in another form, or about other records.
    public func retrieve(_ ids: [String], of type: String, fields: [String]) async throws -> [JSONValue?] {
        var records: [JSONValue?] = []
        for start in stride(from: 0, to: ids.count, by: Self.maximumRetrieve) {
            try Task.checkCancellation()
            let slice = ids[start..<min(start + Self.maximumRetrieve, ids.count)]
            let body = JSONText.object([
                ("ids", .array(slice.map { JSONText.string($0) })),
                ("fields", .array(fields.map { JSONText.string($0) })),
            ])
            let path = "\(apiPath)/composite/sobjects/\(URLText.segment(type))"
            let answer = try await send(.post, path, json: body)
            guard answer.isOK else { throw answer.salesforceFailure(of: "the retrieve of \(type) records") }
            guard case .success(.array(let found)) = answer.apiAnswer, found.count == slice.count else {
                throw SoupError(.json, "the response to the retrieve is not an array of \(slice.count) elements")
            }
            guard zip(found, slice).allSatisfy({ $0.isNull || $0.isRecord($1) }) else {
                throw SoupError(
                    .json, "the response to the retrieve contains other records", hint: SoupError.changedResponsesHint)
            }
            // Written explicitly, because a bare nil would be the JSON value null.
            records += found.map { $0.isNull ? Optional<JSONValue>.none : .some($0) }
        }
        return records
    }
}
