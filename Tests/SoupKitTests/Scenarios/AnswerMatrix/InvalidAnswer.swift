// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Testing

/// An answer that arrives instead of the API's own, and that the engine must not accept.
enum InvalidAnswer: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case html200 = "HTML with 200"
    case html400 = "HTML with 400"
    case html404 = "HTML with 404"
    case redirect302 = "302 to another server"
    case redirect307 = "307 to another server"
    case html401 = "HTML with 401"
    case html408 = "HTML with 408"
    case html413 = "HTML with 413"
    case empty = "an empty body"
    case truncated = "a truncated body"
    case noRows = "a page without its rows"
    case fewerRows = "a page with fewer rows than it says"
    case bareRows = "a page without totalSize and done"
    case rowWithoutId = "a row without an ID"
    case trailer = "a trailer"
    case gzipBomb = "a small body that expands to a large one"

    var testDescription: String { rawValue }

    /// Whether only the format of the bytes on the wire differs; the content is the API's own answer.
    var isWireFormat: Bool { self == .trailer || self == .gzipBomb }

    /// Whether a gateway can send it without forwarding the request.
    var isPossibleWithoutServer: Bool {
        switch self {
        case .html200, .html400, .html404, .redirect302, .redirect307, .html401, .html408, .html413, .empty: true
        default: false
        }
    }

    /// Returns the answer that replaces the API's own; nil if this kind does not apply to it.
    func replacing(_ answer: HTTPAnswer) -> HTTPAnswer? {
        switch self {
        case .html200: Self.page(200)
        case .html400: Self.page(400)
        case .html404: Self.page(404)
        case .html401: Self.page(401)
        case .html408: Self.page(408)
        case .html413: Self.page(413)
        case .redirect302: Self.redirect(302)
        case .redirect307: Self.redirect(307)
        case .empty: HTTPAnswer(status: 200, "")
        case .truncated:
            answer.body.count < 2
                ? nil : HTTPAnswer(answer.response, body: Array(answer.body.prefix(answer.body.count / 2)))
        case .noRows: answer.withRows { _ in [] }
        case .fewerRows: answer.withRows { $0.count > 1 ? Array($0.dropLast()) : nil }
        case .bareRows: answer.bare
        case .rowWithoutId: answer.withRows { rows in rows.first?.withoutId.map { [$0] + rows.dropFirst() } }
        case .trailer, .gzipBomb: nil
        }
    }

    private static func page(_ status: Int) -> HTTPAnswer {
        var answer = HTTPAnswer(status: status, "<html><body>Please sign in to the guest network.</body></html>")
        answer.response.headerFields[.contentType] = "text/html"
        return answer
    }

    private static func redirect(_ status: Int) -> HTTPAnswer {
        var answer = page(status)
        answer.response.headerFields[.location] = "https://portal.example.net/sign-in"
        return answer
    }
}

extension HTTPAnswer {
    /// The members that contain the rows of an answer: of a query, of a retrieve, or the results of a push.
    private static let rowMembers = ["records", "results", "compositeResponse", "graphs"]

    /// Returns the answer with changed rows; nil if it has no rows that can be counted.
    fileprivate func withRows(_ change: ([JSONValue]) -> [JSONValue]?) -> HTTPAnswer? {
        guard isSuccess, let json = try? JSONValue(parsing: body) else { return nil }
        if case .array(let rows) = json {
            guard !rows.isEmpty, let changed = change(rows) else { return nil }
            return with(.array(changed))
        }
        guard var object = json.objectValue,
            let name = Self.rowMembers.first(where: { object[$0]?.arrayValue?.isEmpty == false }),
            let rows = object[name]?.arrayValue, name != "records" || object["totalSize"] != nil,
            let changed = change(rows)
        else { return nil }
        object[name] = .array(changed)
        return with(.object(object))
    }

    /// A query's page with an empty list of rows, and without their number.
    fileprivate var bare: HTTPAnswer? {
        guard isSuccess, let json = try? JSONValue(parsing: body), json["records"]?.arrayValue?.isEmpty == false,
            json["totalSize"] != nil
        else { return nil }
        return with(["records": []])
    }

    private func with(_ json: JSONValue) -> HTTPAnswer {
        HTTPAnswer(response, body: Array("\(json)".utf8))
    }
}

extension JSONValue {
    /// The row without the member of its ID; nil if it has none.
    fileprivate var withoutId: JSONValue? {
        guard let members = objectValue?.members, members.contains(where: { $0.key.lowercased() == "id" }) else {
            return nil
        }
        return .object(JSONObject(members.filter { $0.key.lowercased() != "id" }))
    }
}
