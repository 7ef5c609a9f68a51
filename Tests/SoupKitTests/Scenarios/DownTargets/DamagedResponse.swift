// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Synchronization
import Testing

/// A response that is not the API's own, or that contradicts itself.
enum DamagedResponse: String, CaseIterable, CustomTestStringConvertible {
    case announcesButSendsNone = #"{"totalSize":24,"done":true,"records":[]}"#
    case announcesMore = #"{"totalSize":24,"done":true,"records":[{"Id":"001000000000001AAA"}]}"#
    case bareList = #"{"records":[]}"#
    case rowsWithoutIds = "rows without IDs"
    case html200 = "HTTP 200 and HTML"
    case html404 = "HTTP 404 and HTML"
    case html400 = "HTTP 400 and HTML"
    case notFound = "HTTP 404 and NOT_FOUND"
    case redirect = "HTTP 302"
    case empty = "an empty body"
    case truncated = "a truncated body"

    var testDescription: String { rawValue }

    /// Returns the damaged form of a response.
    func applied(to answer: HTTPAnswer) -> HTTPAnswer {
        switch self {
        case .announcesButSendsNone, .announcesMore, .bareList: HTTPAnswer(rawValue)
        case .rowsWithoutIds:
            (try? JSONValue(parsing: answer.body)).flatMap { try? Self.withoutIds($0).jsonText() }
                .map { HTTPAnswer(answer.response, body: Array($0.bytes)) } ?? answer
        case .html200: HTTPAnswer("<html><body>Log in</body></html>")
        case .html404: HTTPAnswer(status: 404, "<html><body>Not found</body></html>")
        case .html400: HTTPAnswer(status: 400, "<html><body>Bad request</body></html>")
        case .notFound:
            HTTPAnswer(status: 404, #"[{"errorCode":"NOT_FOUND","message":"The requested resource does not exist"}]"#)
        case .redirect: HTTPAnswer(status: 302, "")
        case .empty: HTTPAnswer("")
        case .truncated: HTTPAnswer(answer.response, body: Array(answer.body.prefix(answer.body.count / 2)))
        }
    }

    private static func withoutIds(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let items): .array(items.map { withoutIds($0) })
        case .object(let object):
            .object(
                JSONObject(
                    object.members.filter { $0.key.lowercased() != "id" }.map {
                        (key: $0.key, value: withoutIds($0.value))
                    }))
        default: value
        }
    }
}

/// A gateway between an app and its org that can damage every response, or one.
final class DamagingTransport: HTTPTransport {
    private struct State {
        var response: DamagedResponse?
        var number: Int?
        var requests = 0
    }

    private let base: any HTTPTransport
    private let state = Mutex(State())

    init(_ base: any HTTPTransport) { self.base = base }

    /// Starts to damage responses; nil stops it.
    ///
    /// - Parameter number: the request whose response is damaged, counted from now on; nil for all requests.
    func damage(_ response: DamagedResponse?, number: Int? = nil) {
        state.withLock { $0 = State(response: response, number: number) }
    }

    /// The number of requests since the last call of `damage`.
    var requests: Int { state.withLock { $0.requests } }

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        let answer = try await base.send(request, body: body)
        let response = state.withLock { state in
            state.requests += 1
            return state.number.map { $0 == state.requests } ?? true ? state.response : nil
        }
        return response?.applied(to: answer) ?? answer
    }
}
