// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// A request inside a composite request or a graph.
struct Subrequest {
    /// The request as it is written: its references are not resolved, and it has no body.
    var request: OrgRequest
    var referenceId: String
    var body: JSONValue?
    /// The reference IDs of the subrequests whose responses it uses.
    var references: [String]

    /// The path below the version.
    var target: ArraySlice<String> { request.segments.dropFirst(3) }
    var isCollection: Bool { target.starts(with: ["composite", "sobjects"]) }
    /// Whether it is a query or a collection, of which a composite request may contain few.
    var isHeavy: Bool { ["query", "queryAll"].contains(target.first) || isCollection }

    init(method: String, url: String, referenceId: String, body: JSONValue?, headers: HTTPFields) {
        request = OrgRequest(method: method, url: url, headers: headers)
        self.referenceId = referenceId
        self.body = body
        references = CompositeReferences.names(in: url) + (body.map { CompositeReferences.names(in: $0) } ?? [])
    }

    private static let forbiddenHeaders: Set<String> = ["accept", "authorization", "content-type"]

    /// Reads the subrequests of a body.
    ///
    /// - Throws: ``OrgError`` with 400 for a malformed subrequest, and for too many of them.
    static func list(in body: JSONObject, limit: Int = 25) throws -> [Subrequest] {
        guard let items = body["compositeRequest"]?.arrayValue else {
            throw OrgError(
                400, "INVALID_INPUT", message: "The request needs a compositeRequest, a list of subrequests")
        }
        guard !items.isEmpty else {
            throw OrgError(
                400, "INVALID_INPUT", message: "The compositeRequest is empty: it needs at least one subrequest")
        }
        if items.count > limit {
            throw OrgError(
                400, "LIMIT_EXCEEDED", message: "Limit exceeded: there may be \(limit) subrequests at most")
        }
        var seen: Set<String> = []
        return try items.map { item in
            guard let method = item["method"]?.stringValue, let url = item["url"]?.stringValue else {
                throw OrgError(400, "INVALID_INPUT", message: "Each subrequest needs a method and a url")
            }
            guard let reference = item["referenceId"]?.stringValue, isReferenceId(reference) else {
                throw OrgError(
                    400, "INVALID_INPUT",
                    message: "Each subrequest needs a referenceId of letters, digits and underscores")
            }
            guard seen.insert(reference).inserted else {
                throw OrgError(400, "INVALID_INPUT", message: "Duplicate referenceId: \(reference)")
            }
            var headers = HTTPFields()
            for (name, value) in item.httpHeaders?.objectValue?.members ?? [] {
                guard !forbiddenHeaders.contains(name.lowercased()) else {
                    throw OrgError(
                        400, "INVALID_INPUT", message: "The header \(name) is not allowed in a subrequest")
                }
                if let name = HTTPField.Name(name), let value = value.stringValue { headers[name] = value }
            }
            return Subrequest(
                method: method.uppercased(), url: url, referenceId: reference, body: item.body, headers: headers)
        }
    }

    /// Returns whether a text consists of ASCII letters, digits and underscores.
    private static func isReferenceId(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
