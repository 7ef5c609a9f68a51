// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupSalesforce
import SoupCore

/// A client of an org in a test, which sends requests and reads JSON.
struct OrgClient {
    let org: LocalOrg
    var version = "/services/data/v60.0"

    init(_ seed: OrgSeed = .tiny, clock: any SoupClock = SystemClock(), options: OrgOptions = OrgOptions()) throws {
        org = try LocalOrg(seed: seed, clock: clock, options: options)
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, body: JSONValue? = nil, headers: HTTPFields = [:]
    ) async throws -> HTTPAnswer {
        let path = path.hasPrefix("/services") || path.hasPrefix("/_emu") ? path : "\(version)/\(path)"
        return try await org.authorizedTransport.send(
            HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: headers),
            body: try body.map { Array(try JSONText($0).bytes) })
    }

    func json(_ method: HTTPRequest.Method, _ path: String, body: JSONValue? = nil) async throws -> JSONValue {
        try JSONValue(parsing: try await send(method, path, body: body).body)
    }

    /// Returns the whole response to a query.
    func query(_ soql: String, all: Bool = false, batchSize: Int? = nil) async throws -> JSONValue {
        var headers = HTTPFields()
        if let batchSize, let name = HTTPField.Name("Sforce-Query-Options") { headers[name] = "batchSize=\(batchSize)" }
        let answer = try await send(
            .get, "\(all ? "queryAll" : "query")?q=\(URLText.query(soql))", headers: headers)
        return try JSONValue(parsing: answer.body)
    }

    /// Returns the first field of each record that a query finds.
    func values(_ soql: String, all: Bool = false) async throws -> [JSONValue] {
        let answer = try await query(soql, all: all)
        guard let records = answer.records?.arrayValue else { return [answer] }
        return records.map { $0.objectValue?.members.first { $0.key != "attributes" }?.value ?? .null }
    }

    /// Returns the error code of a response.
    func code(_ answer: JSONValue) -> String? { answer[0]?.errorCode?.stringValue }

    /// Returns the rows of some objects as lines, deleted ones in brackets: the whole state in one text.
    func state(_ objects: [(String, [String])]) throws -> String {
        try objects.flatMap { object, fields in
            try org.state(of: object).map { row in
                let values = fields.map { row[$0]?.stringValue ?? row[$0]?.description ?? "?" }.joined(separator: " ")
                return row.IsDeleted == true ? "[\(object) \(values)]" : "\(object) \(values)"
            }
        }.joined(separator: "\n")
    }
}
