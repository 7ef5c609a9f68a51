// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A response before it is converted to HTTP.
struct OrgAnswer {
    static let json = "application/json;charset=UTF-8"

    var status: Int
    var body: [UInt8]
    /// Nil for a response without a body.
    var contentType: String?
    var headers: [(name: String, value: String)] = []
    /// Whether the body is data of a client and must not be changed.
    var isVerbatim = false
    /// Whether the body is compressed with gzip for clients that accept it.
    var isPacked = false

    init(_ status: Int, body: [UInt8] = [], contentType: String? = nil, headers: [(String, String)] = []) {
        self.status = status
        self.body = body
        self.contentType = contentType
        self.headers = headers.map { (name: $0.0, value: $0.1) }
    }

    init(_ json: JSONValue, status: Int = 200, headers: [(String, String)] = []) {
        self.init(
            status, body: (try? JSONText(json)).map { Array($0.bytes) } ?? [], contentType: Self.json, headers: headers)
    }

    init(_ output: JSONOutput, status: Int = 200) {
        self.init(status, body: output.bytes, contentType: Self.json)
    }

    init(_ error: OrgError) { self.init(error.json, status: error.status) }

    static let noContent = OrgAnswer(204)

    /// Returns the response to a verb that a resource does not have.
    static func methodNotAllowed(_ methods: [String], _ request: OrgRequest) -> OrgAnswer {
        let list = methods.joined(separator: ",")
        var answer = OrgAnswer(
            OrgError(
                405, "METHOD_NOT_ALLOWED", message: "HTTP Method '\(request.method)' not allowed. Allowed are \(list)"))
        answer.headers = [(name: "Allow", value: list)]
        return answer
    }

    var isSuccess: Bool { (200..<300).contains(status) }
}
