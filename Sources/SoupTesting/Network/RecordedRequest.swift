// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore

/// A request that a scripted transport received.
public struct RecordedRequest: Sendable, Hashable {
    /// The head as sent, percent-encoded; its authority is nil if the request is for the session's server.
    public var request: HTTPRequest
    /// The body; nil if there is none.
    public var body: [UInt8]?

    /// Creates a record of a request, to test a server closure without a transport.
    public init(_ request: HTTPRequest, body: [UInt8]? = nil) {
        self.request = request
        self.body = body
    }

    /// The HTTP method of the head.
    public var method: HTTPRequest.Method { request.method }

    /// The path with its query, percent-encoded as sent: the `path` of `HTTPRequest`.
    public var pathAndQuery: String { request.path ?? "" }

    /// Returns the value of a header; the case of its name is ignored.
    public func header(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { request.headerFields[$0] }
    }

    /// The path without the query, percent-encoded as sent; for the query see ``query`` and ``subscript(parameter:)``.
    public var pathWithoutQuery: String { String(pathAndQuery.prefix { $0 != "?" }) }

    /// The parameters of the query in order, percent-decoded, with `+` as a space.
    public var query: [(name: String, value: String)] {
        guard let path = request.path, let mark = path.firstIndex(of: "?") else { return [] }
        return path[path.index(after: mark)...].split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    /// The first parameter of that name.
    public subscript(parameter name: String) -> String? { query.first { $0.name == name }?.value }

    /// The body as UTF-8, with replacement characters for invalid bytes; nil without a body.
    public var bodyText: String? { body.map { String(decoding: $0, as: UTF8.self) } }

    /// The body as JSON; nil without a body, or if it is not JSON.
    public var json: JSONValue? { body.flatMap { try? JSONValue(parsing: $0) } }

    /// Percent-decodes a part of a query.
    static func decoded(_ text: some StringProtocol) -> String {
        var output: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "%"), let high = bytes.first.flatMap(hex),
                let low = bytes.dropFirst().first.flatMap(hex)
            {
                output.append(high << 4 | low)
                bytes = bytes.dropFirst(2)
            } else {
                output.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func hex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension RecordedRequest: CustomStringConvertible {
    /// `GET /query?q=select Id from Account`, with the query decoded, the body on the same line.
    public var description: String {
        let parameters = query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let host = request.authority.map { "\(request.scheme ?? "https")://\($0)" } ?? ""
        return "\(request.method.rawValue) \(host)\(pathWithoutQuery)" + (parameters.isEmpty ? "" : "?\(parameters)")
            + (bodyText.map { " \($0)" } ?? "")
    }
}
