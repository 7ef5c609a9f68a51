// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore

/// One request inside a composite request.
public struct CompositeSubrequest: Sendable, Hashable {
    /// The HTTP method, as the request would have it on its own.
    public var method: HTTPRequest.Method
    /// The path from the root of the server, percent-encoded.
    public var path: String
    /// The name of its response, for later subrequests (`@{name.id}`); see ``referenceId(for:taken:)``.
    public var referenceId: String
    /// The body to send, with references in its texts where needed; nil for requests without a body.
    public var body: JSONText?
    /// The headers of the subrequest, such as a precondition.
    public var headers: HTTPFields = [:]

    /// The maximum number of subrequests in a composite request.
    public static let maximum = 25

    /// Creates a subrequest; the caller must make sure that the reference ID is unique and well formed.
    public init(_ method: HTTPRequest.Method, _ path: String, referenceId: String, body: JSONText? = nil) {
        self.method = method
        self.path = path
        self.referenceId = referenceId
        self.body = body
    }

    /// Creates a subrequest for one record.
    package init(_ request: RowRequest, referenceId: String) {
        self.init(request.method, request.path, referenceId: referenceId, body: request.body)
        headers = request.headers
    }

    var json: JSONText {
        var members: [(name: String, value: JSONText)] = [
            ("method", .string(method.rawValue)), ("url", .string(path)), ("referenceId", .string(referenceId)),
        ]
        if let body { members.append(("body", body)) }
        if !headers.isEmpty {
            let fields = headers.map { (name: $0.name.rawName, value: JSONText.string($0.value)) }
            members.append(("httpHeaders", .object(fields)))
        }
        return .object(members)
    }

    /// Returns a unique reference ID for a record: its ID without characters other than letters, digits and
    /// underscores.
    ///
    /// - Parameter taken: the reference IDs of the same composite request; the result is added.
    public static func referenceId(for id: String, taken: inout Set<String>) -> String {
        let plain = String(
            id.unicodeScalars.map { scalar in
                let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                return isPlain ? Character(scalar) : "_"
            })
        let base = plain.isEmpty ? "ref" : plain
        var candidate = base
        var number = 2
        while !taken.insert(candidate).inserted {
            candidate = "\(base)_\(number)"
            number += 1
        }
        return candidate
    }
}

/// One response inside a composite response.
public struct CompositeSubanswer: Sendable, Hashable {
    /// The HTTP status of this subrequest; the whole response has its own.
    public var status: Int
    /// The record's response: an object for a success, an array of errors for a failure; null if there is none.
    public var body: JSONValue
    /// The reference ID of the subrequest.
    public var referenceId: String
}

extension HTTPAnswer {
    /// Returns the responses to the subrequests of a composite request, in their order.
    ///
    /// - Returns: nil if the body is not the response to these subrequests.
    public func subanswers(to subrequests: [CompositeSubrequest]) -> [CompositeSubanswer]? {
        (try? JSONValue(parsing: body))?.subanswers(to: subrequests)
    }
}

extension JSONValue {
    /// Returns the subresponses, in the order of the subrequests; nil if this is not the response to these.
    func subanswers(to subrequests: [CompositeSubrequest]) -> [CompositeSubanswer]? {
        guard let list = self["compositeResponse"]?.arrayValue, list.count == subrequests.count else { return nil }
        var answers: [CompositeSubanswer] = []
        for (item, subrequest) in zip(list, subrequests) {
            guard let status = item["httpStatusCode"]?.intValue.flatMap({ Int(exactly: $0) }),
                item["referenceId"]?.stringValue == subrequest.referenceId
            else { return nil }
            answers.append(
                CompositeSubanswer(
                    status: status, body: item["body"] ?? .null, referenceId: subrequest.referenceId))
        }
        return answers
    }
}
