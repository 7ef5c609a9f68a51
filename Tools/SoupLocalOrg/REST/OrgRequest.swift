// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// A request as the resources of the org read it: path and query are decoded, names of headers are case-insensitive.
struct OrgRequest {
    var method: String
    /// The URL as it was sent, with the query.
    var url: String
    /// The segments of the path, each decoded separately; empty ones at the end are left out.
    var segments: [String]
    var query: [(name: String, value: String)]
    var headers: HTTPFields
    /// The body, decompressed.
    var body: [UInt8]
    /// The error of a body that cannot be read.
    var bodyFault: OrgError?
    /// The values in the path, as the pattern of the route names them.
    var path = PathPattern.Values()
    /// Whether a composite request contains this one and requires that all or none of its records are written.
    var isAllOrNone = false

    init(method: String, url: String, headers: HTTPFields = [:], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        segments = (parts.first ?? "").split(separator: "/", omittingEmptySubsequences: false)
            .map { Self.decoded($0, plusIsSpace: false) }
        if segments.first == "" { segments.removeFirst() }
        while segments.last == "" { segments.removeLast() }
        query = parts.count > 1 ? Self.form(parts[1]) : []
    }

    /// Creates a request from the network, without its body: see ``take(_:_:)``.
    init(_ head: HTTPRequest) {
        self.init(method: head.method.rawValue.uppercased(), url: head.path ?? "/", headers: head.headerFields)
    }

    /// The request with the verb in the parameter `_HttpMethod` of a POST, for clients that cannot send other verbs.
    var withRequestedMethod: OrgRequest {
        guard method == "POST", let verb = parameter("_HttpMethod")?.uppercased(),
            ["GET", "HEAD", "PATCH", "PUT", "DELETE"].contains(verb)
        else { return self }
        var request = self
        request.method = verb
        return request
    }

    /// Returns a parameter of the query.
    func parameter(_ name: String) -> String? { query.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// Returns the parts of a comma-separated parameter, without spaces; nil if the parameter is absent.
    ///
    /// Empty parts are left out.
    func list(_ name: String) -> [String]? { parameter(name).map { Self.list(of: $0) } }

    static func list(of text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: ",")).map { part in
            String(decoding: part.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self)
        }.filter { !$0.isEmpty }
    }

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    /// Returns the parameters of a form or a query.
    static func form(_ text: some StringProtocol) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                decoded(parts[0], plusIsSpace: true), parts.count > 1 ? decoded(parts[1], plusIsSpace: true) : ""
            )
        }
    }

    /// Decodes percent escapes.
    ///
    /// A malformed escape stays unchanged; bytes that are not UTF-8 are replaced.
    static func decoded(_ text: some StringProtocol, plusIsSpace: Bool) -> String {
        var output: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace: output.append(0x20)
            case UInt8(ascii: "%"):
                let digits = String(decoding: bytes.prefix(2), as: UTF8.self)
                if digits.utf8.count == 2, !digits.hasPrefix("+"), !digits.hasPrefix("-"),
                    let value = UInt8(digits, radix: 16)
                {
                    output.append(value)
                    bytes = bytes.dropFirst(2)
                } else {
                    output.append(byte)
                }
            default: output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns the body as JSON.
    ///
    /// - Throws: ``OrgError`` with `JSON_PARSER_ERROR` and the position of the error.
    func json() throws -> JSONValue {
        do {
            return try JSONValue(parsing: body)
        } catch {
            let place = SoupError.Place(offset: min(error.offset, body.count), in: body)
            let found =
                error.offset < body.count
                ? "character ('\(Character(Unicode.Scalar(body[error.offset])))')" : "end-of-input"
            throw OrgError.badJSON("Unexpected \(found) at [line:\(place.line ?? 1), column:\(place.column ?? 1)]")
        }
    }

    /// Returns the body as a JSON object.
    func jsonObject() throws -> JSONObject {
        guard let object = try json().objectValue else {
            throw OrgError.badJSON("The HTTP entity body is required to be a JSON object at [line:1, column:1]")
        }
        return object
    }
}
