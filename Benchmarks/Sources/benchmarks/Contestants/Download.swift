// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupKit

/// The network part of a first sync: fetches all pages of the query with SoupKit's own transport, and reads only the URL
/// of the next page.
struct Download {
    private let client: SalesforceClient

    init(_ org: ServedOrg) {
        let credentials = SalesforceCredentials(
            instanceURL: org.address.url, accessToken: org.address.accessToken)
        let session = SessionTransport(over: StandardTransport.make(), credentials: credentials)
        client = SalesforceClient(SyncContext(transport: session, basePath: session.apiPath, soup: SyncingApp.soup))
    }

    /// Fetches all pages.
    ///
    /// - Parameter keeping: whether the bodies are returned; if false, returns none.
    @discardableResult
    func pages(keeping: Bool = false) async throws -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        var answer = try await client.query(SyncingApp.query)
        while true {
            if keeping { bodies.append(answer.body) }
            // The URL of the next page precedes the records.
            let head = String(decoding: answer.body.prefix(600), as: UTF8.self)
            guard let mark = head.range(of: "\"nextRecordsUrl\":\"") else { return bodies }
            answer = try await client.nextPage(String(head[mark.upperBound...].prefix { $0 != "\"" }))
        }
    }
}
