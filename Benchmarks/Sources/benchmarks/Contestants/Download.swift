// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupKit

/// The network's half of a first sync: fetches all pages of the query with SoupKit's own transport, and looks at nothing
/// in them but the way to the next one.
struct Download {
    private let context: SyncContext

    init(_ org: ServedOrg) {
        let credentials = SalesforceCredentials(
            instanceUrl: org.address.url, accessToken: org.address.accessToken)
        context = SyncContext(
            transport: SessionTransport(over: StandardTransport.make(), credentials: credentials), soup: SyncingApp.soup
        )
    }

    /// The bodies of all pages.
    ///
    /// - Parameter keeping: whether they are kept; none come back otherwise.
    @discardableResult
    func pages(keeping: Bool = false) async throws -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        var answer = try await context.query(SyncingApp.query)
        while true {
            if keeping { bodies.append(answer.body) }
            // What leads on stands in front of the records.
            let head = String(decoding: answer.body.prefix(600), as: UTF8.self)
            guard let mark = head.range(of: "\"nextRecordsUrl\":\"") else { return bodies }
            answer = try await context.nextPage(String(head[mark.upperBound...].prefix { $0 != "\"" }))
        }
    }
}
