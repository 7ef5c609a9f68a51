// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Server
    internal import HTTPTypes
    internal import HummingbirdCore
    internal import Hummingbird
    internal import NIOCore
    internal import SoupCore
    internal import Synchronization

    /// A server on this machine that receives one redirect of a browser, at the end of a login.
    package struct RedirectListener: Sendable {
        private let port: Int

        /// - Parameter port: the port; 0 for any free port.
        package init(port: Int = 0) { self.port = port }

        private static let path = "/callback"

        /// Waits for the first request to the redirect URI, answers it with a page of constant text, and returns its
        /// URL.
        ///
        /// Further requests, requests to other paths, and requests that name another host are refused.
        ///
        /// - Parameter onReady: called once with the redirect URI when requests are answered.
        /// - Throws: ``SoupError``: `badConfiguration` for an invalid port, `network` if it is not available; the
        ///   errors of `onReady`; `CancellationError`.
        package func redirect(
            onReady: @escaping @Sendable (_ redirectURI: String) async throws -> Void
        ) async throws -> String {
            let server = try LoopbackServer(
                "page for the end of the login", because: "only the browser of this machine may use it", port: port)
            let (received, ready) = (Promise<String>(), Promise<String>())
            return try await withThrowingTaskGroup(of: String?.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    try await server.serve(
                        .http1(),
                        responder: { request, writer, _ in
                            let url = ready.current.flatMap { Self.redirect(request.head, to: $0) }
                            let isFirst = url.map { received.resolve($0) } ?? false
                            try await Self.write(isFirst, to: writer)
                        }, onEnd: {}, onReady: { ready.resolve($0) })
                    return nil
                }
                group.addTask {
                    try await onReady(try await ready.wait() + Self.path)
                    return try await received.wait()
                }
                while let url = try await group.next() {
                    if let url { return url }
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
