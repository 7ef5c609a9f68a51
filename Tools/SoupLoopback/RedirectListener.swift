// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Server
    internal import HTTPTypes
    internal import HummingbirdCore
    internal import Hummingbird
    internal import NIOCore
    internal import SoupCore

    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif

    /// A server on this machine that receives one redirect of a browser, at the end of a login.
    package struct RedirectListener: Sendable {
        private let port: Int

        /// - Parameter port: the port; 0 for any free port.
        package init(port: Int = 0) { self.port = port }

        private static let path = "/callback"

        /// Shows a login page, and waits for the first request to the redirect URI with the state of the page.
        ///
        /// This request gets a page of constant text. All others get the status 404 and end nothing: requests without
        /// the state, which any page and any program of this machine can send, requests to other paths, requests that
        /// name another host, and further ones.
        ///
        /// - Parameters:
        ///   - page: returns the URL of the login page for the redirect URI; its parameter `state` is the expected one.
        ///     It is called once.
        ///   - show: shows the page. It is called once, when requests are answered.
        /// - Returns: the redirect URI, and the URL of the request.
        /// - Throws: ``SoupError``: `badConfiguration` for an invalid port, `network` if it is not available,
        ///   `loginFailed` if the login page has no state; the errors of `page` and `show`; `CancellationError`.
        package func redirect(
            from page: @escaping @Sendable (_ redirectURI: String) throws -> String,
            showing show: @escaping @Sendable (_ page: String) async throws -> Void
        ) async throws -> (redirectURI: String, url: String) {
            let server = try LoopbackServer(
                "page for the end of the login", because: "only the browser of this machine may use it", port: port)
            let (received, ready, expected) = (Promise<String>(), Promise<String>(), Promise<String>())
            return try await withThrowingTaskGroup(of: (redirectURI: String, url: String)?.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    try await server.serve(
                        .http1(),
                        responder: { request, writer, _ in
                            let url = ready.current.flatMap { Self.redirect(request.head, to: $0) }
                            var isFirst = false
                            if let url, let state = expected.current, Self.state(of: url) == state {
                                isFirst = received.resolve(url)
                            }
                            try await Self.write(isFirst, to: writer)
                        }, onEnd: {}, onReady: { ready.resolve($0) })
                    return nil
                }
                group.addTask {
                    let redirectURI = try await ready.wait() + Self.path
                    let page = try page(redirectURI)
                    guard let state = Self.state(of: page) else {
                        throw SoupError("loginFailed", "the URL of the login page contains no state")
                    }
                    expected.resolve(state)
                    try await show(page)
                    let url = try await received.wait()
                    return (redirectURI, url)
                }
                while let found = try await group.next() {
                    if let found { return found }
                }
                throw CancellationError()
            }
        }

        /// Returns the URL of a request to the redirect URI; nil for any other request.
        private static func redirect(_ request: HTTPRequest, to server: String) -> String? {
            guard request.method == .get, let path = request.path, path.prefix(while: { $0 != "?" }) == Self.path,
                request.authority.map({ "http://\($0)" == server }) ?? false
            else { return nil }
            return server + path
        }

        /// Returns the parameter `state` of a URL; nil if there is none, or if there are several.
        private static func state(of url: String) -> String? {
            let states = URLComponents(string: url)?.queryItems?.filter { $0.name == "state" } ?? []
            return states.count == 1 ? states.first?.value : nil
        }

        private static func write(_ isFirst: Bool, to writer: consuming ResponseWriter) async throws {
            let text = isFirst ? "Continue in the terminal. You can close this page.\n" : "Not found.\n"
            let fields: HTTPFields = [
                .contentType: "text/plain; charset=utf-8", .contentLength: String(text.utf8.count),
                .cacheControl: "no-store", .xContentTypeOptions: "nosniff", .connection: "close",
                HTTPField.Name("Referrer-Policy") ?? .vary: "no-referrer",
            ]
            try await writer.write(
                response: HTTPResponse(status: isFirst ? .ok : .notFound, headerFields: fields),
                body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
    }
#endif
