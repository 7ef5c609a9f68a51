// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore

/// One request inside a composite request.
public struct CompositeSubrequest: Sendable, Hashable {
    /// The verb, as the request would have it on its own.
    public var method: HTTPRequest.Method
    /// The path from the root of the server, percent-encoded.
    public var path: String
    /// Names its answer, for later subrequests (`@{name.id}`); see ``referenceId(for:taken:)``.
    public var referenceId: String
    /// What to send, its texts with references where they are wanted; nil for requests without a body.
    public var body: JSONText?

    /// How many a composite request takes.
    public static let maximum = 25

    /// Makes a subrequest; that the reference id is unique and well formed is for the caller to see to.
    public init(_ method: HTTPRequest.Method, _ path: String, referenceId: String, body: JSONText? = nil) {
        self.method = method
        self.path = path
        self.referenceId = referenceId
        self.body = body
    }

    var json: JSONText {
        var members: [(name: String, value: JSONText)] = [
            ("method", .string(method.rawValue)), ("url", .string(path)), ("referenceId", .string(referenceId)),
        ]
        if let body { members.append(("body", body)) }
        return .object(members)
    }

    /// A reference id for a record: its id with everything but letters, digits and underscores replaced, made unique.
    ///
    /// - Parameter taken: the reference ids of the same composite request; gains the result.
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

/// One answer inside a composite answer.
public struct CompositeSubanswer: Sendable, Hashable {
    /// The HTTP status of this subrequest; that of the whole answer is another.
    public var status: Int
    /// The record's answer: an object for a success, an array of errors for a failure; null when there is none.
    public var body: JSONValue
    /// The reference id of the subrequest that is answered.
    public var referenceId: String
}

extension SyncContext {
    /// Sends subrequests as one composite request, in which each stands alone but for its references.
    ///
    /// - Parameter subrequests: at most ``CompositeSubrequest/maximum``.
    public func composite(_ subrequests: [CompositeSubrequest]) async throws -> HTTPAnswer {
        let body = JSONText.object([
            ("allOrNone", .false), ("compositeRequest", .array(subrequests.map(\.json))),
        ])
        return try await send(.post, "\(apiPath)/composite", json: body)
    }
}

extension HTTPAnswer {
    /// The answers to the subrequests of a composite request, in their order.
    ///
    /// - Returns: nil when the body is not the answer to these subrequests.
    public func subanswers(to subrequests: [CompositeSubrequest]) -> [CompositeSubanswer]? {
        (try? JSONValue(parsing: body))?.subanswers(to: subrequests)
    }
}

extension JSONValue {
    /// The answers in a composite answer, in the order of the subrequests; nil when it is not the answer to these.
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
