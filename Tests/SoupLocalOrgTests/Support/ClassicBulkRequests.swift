// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore

@testable import SoupLocalOrg

/// The requests of Bulk API 1.0 that its tests send.
protocol ClassicBulkRequests {}

extension ClassicBulkRequests {
    var base: String { "/services/async/60.0/job" }
    var contacts: [(String, [String])] { [("Contact", ["LastName", "Email"])] }

    func session(_ client: OrgClient) -> [String: String] { ["X-SFDC-Session": client.org.accessToken] }

    func post(
        _ client: OrgClient, _ path: String, body: String, type: String, headers: [String: String] = [:]
    ) async throws -> HTTPAnswer {
        try await client.send(
            .post, base + path, text: body, type: type, headers: session(client).merging(headers) { $1 })
    }

    func get(_ client: OrgClient, _ path: String, type: String = "application/xml") async throws -> HTTPAnswer {
        try await client.send(.get, base + path, headers: session(client).merging(["Content-Type": type]) { $1 })
    }

    func jobInfo(_ operation: String, _ object: String, members more: String = "", type: String = "CSV")
        -> String
    {
        "<?xml version='1.0' encoding='UTF-8'?>\n<jobInfo xmlns=\"http://www.force.com/2009/06/asyncapi/dataload\">"
            + "<operation>\(operation)</operation><object>\(object)</object>\(more)"
            + "<contentType>\(type)</contentType></jobInfo>"
    }

    func id(_ answer: HTTPAnswer) throws -> String {
        try XMLElement.parse(answer.body).first("id")?.text ?? ""
    }
}
