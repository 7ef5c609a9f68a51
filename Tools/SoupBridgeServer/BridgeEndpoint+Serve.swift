// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Server
    internal import HTTPTypes
    internal import Hummingbird
    internal import HummingbirdCore
    internal import NIOCore
    internal import SoupBridge
    internal import SoupCore
    internal import SoupLoopback

    extension BridgeEndpoint {
        /// The time after which the stream of events gets a comment, because clients close connections that are silent.
        private static let signInterval = Duration.seconds(15)

        /// Serves the bridge until the task is cancelled; then all sessions end.
        ///
        /// - Parameters:
        ///   - port: the port; 0 for any free port.
        ///   - onReady: called once with the URL when requests are answered.
        /// - Throws: ``SoupError``: `badConfiguration` for an invalid port, `network` if the port is not available.
        package func serve(port: Int, onReady: @escaping @Sendable (_ url: String) -> Void) async throws {
            let server = try LoopbackServer(
                "bridge", because: "only pages and programs of this machine may use the bridge", port: port)
            try await server.serve(
                .http1(configuration: HTTP1Channel.Configuration(additionalChannelHandlers: [ConnectionWatch()])),
                responder: { request, writer, channel in
                    let response = try await ConnectionWatch.cancelling(on: channel) {
                        await self.response(to: request.head) { () async throws(EndpointError) in
                            try await body(of: request)
                        }
                    }
                    try await self.write(response, to: writer, for: request)
                }, onEnd: { bridge.close() }, onReady: onReady)
        }

        private func write(
            _ response: Response, to writer: consuming ResponseWriter, for request: Request
        ) async throws {
            var fields = clients.fields(for: request.head)
            switch response {
            case .preflight:
                fields[.accessControlAllowMethods] = "GET, POST"
                fields[.accessControlAllowHeaders] = "authorization, content-type, x-bridge-session"
                fields[.accessControlMaxAge] = "600"
                try await writer.writeResponse(HTTPResponse(status: .noContent, headerFields: fields))
            case .reply(let reply):
                try await write(reply.answer.json, status: .ok, fields, to: writer)
                reply.delivered()
            case .failure(let error):
                try await write(error.body, status: error.status, fields, to: writer)
            case .page(let file):
                fields[.contentType] = file.type
                fields[.contentSecurityPolicy] = PageFiles.contentSecurityPolicy
                fields[.xContentTypeOptions] = "nosniff"
                fields[.cacheControl] = "no-store"
                fields[.contentLength] = String(file.bytes.count)
                try await writer.write(
                    response: HTTPResponse(status: .ok, headerFields: fields),
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
            case .events(let events, let session):
                defer { bridge.end(events, of: session) }
                try await write(events, fields, to: writer, for: request)
            }
        }

        private func write(
            _ json: JSONText, status: HTTPResponse.Status, _ fields: HTTPFields, to writer: consuming ResponseWriter
        ) async throws {
            var fields = fields
            fields[.contentType] = "application/json"
            fields[.cacheControl] = "no-store"
            fields[.contentLength] = String(json.bytes.count)
            try await writer.write(
                response: HTTPResponse(status: status, headerFields: fields),
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes)))
        }

        /// Writes the events of a session until it ends, or until the client closes the connection.
        private func write(
            _ events: BridgeEvents, _ fields: HTTPFields, to writer: consuming ResponseWriter, for request: Request
        ) async throws {
            var fields = fields
            fields[.contentType] = "text/event-stream"
            fields[.cacheControl] = "no-store"
            var body = try await writer.writeHead(HTTPResponse(status: .ok, headerFields: fields))
            // The client's request is complete when it has the head, which is sent with the first bytes.
            try await body.write(ByteBuffer(string: ": connected\n\n"))
            try await request.body.consumeWithCancellationOnInboundClose { _ in
                let signs = Task {
                    while !Task.isCancelled {
                        try await Task.sleep(for: Self.signInterval)
                        events.requestSign()
                    }
                }
                defer { signs.cancel() }
                while let message = await events.message() {
                    switch message {
                    case .event(let event): try await body.write(ByteBuffer(bytes: Self.text(of: event)))
                    case .sign: try await body.write(ByteBuffer(string: ":\n\n"))
                    }
                }
            }
            try await body.finish(nil)
        }

        /// Reads the body of a request; what exceeds the limit is read and discarded, so that the client reads the
        /// response.
        private func body(of request: Request) async throws(EndpointError) -> [UInt8] {
            var bytes: [UInt8] = []
            var isTooLong = false
            do {
                for try await piece in request.body {
                    isTooLong = isTooLong || piece.readableBytes > bodyLimit - bytes.count
                    if isTooLong { bytes = [] } else { bytes += piece.readableBytesView }
                }
            } catch {
                throw EndpointError(.badRequest, "the request has no complete body")
            }
            guard !isTooLong else {
                throw EndpointError(.contentTooLarge, "the body is longer than \(bodyLimit) bytes: send less in a call")
            }
            return bytes
        }
    }
#else
    internal import SoupCore

    extension BridgeEndpoint {
        /// Throws an error, because this build has no HTTP server: it was built without the package trait `Server`.
        ///
        /// - Throws: ``SoupError`` with `notSupported`.
        package func serve(port: Int, onReady: @escaping @Sendable (_ url: String) -> Void) async throws {
            throw SoupError(
                .notSupported, "this build of soup has no HTTP server",
                hint: "Build with the package traits of the server: swift build --traits Tools,Server.")
        }
    }
#endif
