// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import HTTPTypes
package import SoupBridge
internal import SoupCore

/// The HTTP form of a bridge: `POST /bridge/exec`, and the events of a session at `GET /bridge/events`.
///
/// Programs and pages need the secret of the server. A page of another server also needs an allowed origin.
package struct BridgeEndpoint: Sendable {
    /// The version of the HTTP form.
    package static let protocolVersion = 1

    let bridge: JavaScriptBridge
    let clients: ClientCheck
    /// The files of a page; nil for none.
    ///
    /// They are not secret: the page gets the secret in the fragment of its URL.
    let pages: PageFiles?
    /// The maximum size of a body in bytes.
    let bodyLimit: Int

    package init(
        _ bridge: JavaScriptBridge, secret: String, origins: Set<String> = [], pages: PageFiles? = nil,
        bodyLimit: Int = 32 << 20
    ) {
        self.bridge = bridge
        clients = ClientCheck(secret: secret, origins: origins)
        self.pages = pages
        self.bodyLimit = bodyLimit
    }

    /// Returns a new secret: 256 random bits.
    package static func newSecret() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(random.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Returns whether a text is an origin as browsers send it: a scheme, a host, and a port that is not the default,
    /// in lower case.
    package static func isOrigin(_ text: String) -> Bool {
        guard let url = URL(string: text), let scheme = url.scheme, let host = url.host(), !host.isEmpty,
            text == text.lowercased()
        else { return false }
        guard url.port != ["http": 80, "https": 443][scheme] || url.port == nil else { return false }
        return text == "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
    }

    /// A response that only has to be written.
    package enum Response: Sendable {
        case preflight
        case reply(BridgeReply)
        case events(BridgeEvents, session: String)
        case page(PageFiles.File)
        case failure(EndpointError)
    }

    /// Answers a request.
    ///
    /// - Parameter body: reads the body; it is only read if the head is accepted.
    package func response(
        to head: HTTPRequest, body: () async throws(EndpointError) -> [UInt8]
    ) async -> Response {
        do throws(EndpointError) {
            switch try route(head) {
            case .preflight: return .preflight
            case .page(let file): return .page(file)
            case .exec(let session): return .reply(try await exec(try await body(), in: session))
            case .events(let session): return .events(try events(of: session), session: session)
            }
        } catch {
            return .failure(error)
        }
    }

    /// A request that passed the checks.
    enum Route: Sendable {
        case exec(session: String)
        case events(session: String)
        case page(PageFiles.File)
        /// The request of a browser that asks whether a page may send another one.
        case preflight
    }

    /// Checks the head of a request.
    func route(_ head: HTTPRequest) throws(EndpointError) -> Route {
        let (path, query) = Self.split(head.path ?? "/")
        guard path == "/bridge/exec" || path == "/bridge/events" else {
            if head.method == .get, let file = pages?.file(at: path) {
                if let error = clients.pageRefusal(of: head) { throw error }
                return .page(file)
            }
            throw EndpointError(.notFound, "there is no \(path.excerpt(100)): use /bridge/exec and /bridge/events")
        }
        if head.method == .options, head.headerFields[.origin] != nil {
            if let error = clients.pageRefusal(of: head) { throw error }
            return .preflight
        }
        if let error = clients.refusal(of: head) { throw error }
        let isExec = path == "/bridge/exec"
        guard head.method == (isExec ? .post : .get) else {
            throw EndpointError(.methodNotAllowed, "\(path) requires the method \(isExec ? "POST" : "GET")")
        }
        guard
            let session = isExec
                ? Self.sessionField(of: head) : Self.session(in: query) ?? Self.sessionField(of: head)
        else {
            throw EndpointError(
                .badRequest,
                isExec
                    ? "the header X-Bridge-Session is missing"
                    : "the parameter session is missing: /bridge/events?session=ID")
        }
        return isExec ? .exec(session: session) : .events(session: session)
    }

    /// Performs the call in the body of a request.
    ///
    /// The task is cancelled if the client closes its connection. A call that writes is then completed, because a page
    /// can save and close; the end of its session cancels it.
    func exec(_ body: [UInt8], in session: String) async throws(EndpointError) -> BridgeReply {
        let call: BridgeCall
        do {
            call = try BridgeCall(json: body)
        } catch {
            throw EndpointError(.badRequest, "\(error)")
        }
        do {
            guard !bridge.isReading(call) else { return try await bridge.perform(call, in: session) }
            return try await Task { try await bridge.perform(call, in: session) }.value
        } catch {
            throw Self.refusal(error)
        }
    }

    /// Opens the events of a session.
    func events(of session: String) throws(EndpointError) -> BridgeEvents {
        do {
            return try bridge.events(of: session)
        } catch {
            throw Self.refusal(error)
        }
    }

    private static func refusal(_ error: any Error) -> EndpointError {
        let isFull = (error as? SoupError)?.code == .tooManySessions
        return EndpointError(isFull ? .serviceUnavailable : .badRequest, "\(error)")
    }

    /// Returns an event in the form of server-sent events.
    static func text(of event: JSONText) -> [UInt8] {
        Array("event: sync\ndata: ".utf8) + event.bytes.filter { $0 != 0x0A && $0 != 0x0D } + Array("\n\n".utf8)
    }

    private static func sessionField(of head: HTTPRequest) -> String? {
        HTTPField.Name("X-Bridge-Session").flatMap { head.headerFields[$0] }
    }

    private static func split(_ path: String) -> (path: String, query: Substring) {
        guard let mark = path.firstIndex(of: "?") else { return (path, "") }
        return (String(path[..<mark]), path[path.index(after: mark)...])
    }

    private static func session(in query: Substring) -> String? {
        query.split(separator: "&").first { $0.hasPrefix("session=") }.map {
            String($0.dropFirst(8)).removingPercentEncoding ?? ""
        }
    }
}
