// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore

extension OrgClient {
    /// Sends a body unchanged.
    func send(
        _ method: HTTPRequest.Method, _ path: String, text: String, type: String, headers: [String: String] = [:]
    ) async throws -> HTTPAnswer {
        try await send(method, path, bytes: Array(text.utf8), headers: ["Content-Type": type].merging(headers) { $1 })
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, bytes: [UInt8] = [], headers: [String: String]
    ) async throws -> HTTPAnswer {
        var fields = HTTPFields()
        for (name, value) in headers { if let name = HTTPField.Name(name) { fields[name] = value } }
        let path = path.hasPrefix("/services") ? path : "\(version)/\(path)"
        let request = HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: fields)
        return try await org.authorizedTransport.send(request, body: bytes)
    }

    /// Creates an ingest job, uploads to it, closes it, and returns its description.
    func ingest(_ job: JSONValue, _ csv: String) async throws -> JSONValue {
        let id = try await json(.post, "jobs/ingest", body: job).id?.stringValue ?? ""
        _ = try await send(.put, "jobs/ingest/\(id)/batches", text: csv, type: "text/csv; charset=UTF-8")
        _ = try await json(.patch, "jobs/ingest/\(id)", body: ["state": "UploadComplete"])
        return try await json(.get, "jobs/ingest/\(id)")
    }

    /// Returns one of the three results of an ingest job.
    func results(_ job: JSONValue, _ kind: String) async throws -> String {
        try await send(.get, "jobs/ingest/\(job.id?.stringValue ?? "")/\(kind)").text
    }
}

extension HTTPAnswer {
    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { response.headerFields[$0] } }
}
