// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// A request as the resources of the org see it: path and query decoded, names of headers in any case.
struct OrgRequest {
    var method: String
    /// As it came, query included.
    var url: String
    /// The segments of the path, each decoded by itself; an empty one at the end is left out.
    var segments: [String]
    var query: [(name: String, value: String)]
    var headers: HTTPFields
    /// Unpacked.
    var body: [UInt8]
    /// Why the body cannot be read, when it cannot.
    var bodyFault: OrgError?

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

    /// A request as it comes over the network, still without its body: see ``take(_:_:)``.
    init(_ head: HTTPRequest) {
        self.init(method: head.method.rawValue.uppercased(), url: head.path ?? "/", headers: head.headerFields)
    }

    /// The request with the verb that a parameter of a POST names, for clients that know no others.
    var asMeant: OrgRequest {
        guard method == "POST", let verb = parameter("_HttpMethod")?.uppercased(),
            ["GET", "HEAD", "PATCH", "PUT", "DELETE"].contains(verb)
        else { return self }
        var request = self
        request.method = verb
        return request
    }

    /// A parameter of the query.
    func parameter(_ name: String) -> String? { query.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// The parts of a parameter that is a list with commas, without their spaces; nil when it is not there.
    ///
    /// Parts with nothing in them are left out.
    func list(_ name: String) -> [String]? { parameter(name).map { Self.list(of: $0) } }

    static func list(of text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: ",")).map { part in
            String(decoding: part.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self)
        }.filter { !$0.isEmpty }
    }

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    /// The parameters of a form, or of anything written like one.
    static func form(_ text: some StringProtocol) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                decoded(parts[0], plusIsSpace: true), parts.count > 1 ? decoded(parts[1], plusIsSpace: true) : ""
            )
        }
    }

    /// The text behind percent escapes.
    ///
    /// An escape that is none stays as it is; bytes that are no UTF-8 are replaced.
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

    /// The body as JSON.
    ///
    /// - Throws: ``OrgError`` with `JSON_PARSER_ERROR` and the place of the fault.
    func json() throws -> JSONValue {
        do {
            return try JSONValue(parsing: body)
        } catch {
            let place = Place(offset: min(error.offset, body.count), in: body)
            let found =
                error.offset < body.count
                ? "character ('\(Character(Unicode.Scalar(body[error.offset])))')" : "end-of-input"
            throw OrgError.badJSON("Unexpected \(found) at [line:\(place.line ?? 1), column:\(place.column ?? 1)]")
        }
    }

    /// The body as a JSON object.
    func jsonObject() throws -> JSONObject {
        guard let object = try json().objectValue else {
            throw OrgError.badJSON("The HTTP entity body is required to be a JSON object at [line:1, column:1]")
        }
        return object
    }
}

/// An answer before it becomes one of HTTP.
struct OrgAnswer {
    static let json = "application/json;charset=UTF-8"

    var status: Int
    var body: [UInt8]
    /// Nil for answers without a body.
    var contentType: String?
    var headers: [(name: String, value: String)] = []
    /// Whether the body is a client's own, that nothing may be changed in.
    var isVerbatim = false
    /// Whether the body leaves in the form of gzip to clients that can read it.
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

    /// The refusal of a verb that a resource does not have.
    static func methodNotAllowed(_ methods: [String], _ request: OrgRequest) -> OrgAnswer {
        let list = methods.joined(separator: ",")
        var answer = OrgAnswer(
            OrgError(405, "METHOD_NOT_ALLOWED", "HTTP Method '\(request.method)' not allowed. Allowed are \(list)"))
        answer.headers = [(name: "Allow", value: list)]
        return answer
    }

    var isSuccess: Bool { (200..<300).contains(status) }
}
