// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Server
    internal import HTTPTypes
    internal import Hummingbird
    internal import HummingbirdCore
    internal import NIOCore
    internal import SoupCore
    internal import SoupLoopback
    internal import Synchronization

    extension LocalOrg {
        /// Serves the org over HTTP until the task is cancelled; then it accepts no more requests, finishes those in
        /// progress, and returns.
        ///
        /// Pauses of faults then end at once, without a response. Connections that are still open ten seconds later are
        /// closed.
        ///
        /// - Parameters:
        ///   - host: a loopback address of this machine: `127.0.0.1`, `::1` or `localhost`.
        ///   - port: the port; 0 for any free port.
        ///   - certificate: serves only HTTPS with it; nil serves plain HTTP.
        ///   - onReady: called once with the URL when requests are answered.
        /// - Throws: ``SoupError``: `badConfiguration` for another host and for an unusable certificate, `network` if
        ///   the port is not available.
        public func serve(
            host: String = "127.0.0.1", port: Int = 0, certificate: OrgCertificate? = nil,
            onReady: @escaping @Sendable (_ url: String) -> Void = { _ in }
        ) async throws {
            let server = try LoopbackServer(
                "local org", because: "the local org does not check passwords", host: host, port: port)
            let scheme = certificate == nil ? "http" : "https"
            let pauses = ServerPauses(clock: clock)
            try await server.serve(
                Self.builder(certificate), scheme: scheme,
                responder: { request, writer, channel in
                    try await self.answer(request, to: writer, on: channel, pauses: pauses, scheme: scheme)
                },
                onEnd: { pauses.end() },
                onReady: { url in
                    self.core.withLock { $0.options.instanceURL = url }
                    onReady(url)
                })
        }

        private func answer(
            _ request: Request, to writer: consuming ResponseWriter, on channel: any Channel, pauses: ServerPauses,
            scheme: String
        ) async throws {
            let received = try await received(request)
            let exchange: Exchange
            if let refusal = refusal(of: request.head, received, scheme) {
                exchange = Exchange(answer: core.withLock { $0.finished(OrgAnswer(refusal), received) })
            } else {
                exchange = try await self.exchange(received, pause: pauses.pause)
            }
            var head = exchange.answer.response
            // A fault may have set headers that describe another body than the one that is sent.
            head.headerFields[.transferEncoding] = nil
            let hasBody = head.status != .noContent && head.status != .notModified
            head.headerFields[.contentLength] = hasBody ? String(exchange.answer.body.count) : nil
            let isLast = Self.asksToClose(request.head)
            if isLast { head.headerFields[.connection] = "close" }
            switch exchange.cut {
            case nil:
                try await writer.write(
                    response: head, body: Self.body(exchange.answer.body, pace: exchange.pace, pauses: pauses))
                // Hummingbird closes the connection itself for this spelling only.
                if isLast, request.head.headerFields[.connection] != "close" { try await channel.close(mode: .output) }
            case .refused, .beforeHeaders:
                try await channel.close()
                throw CancellationError()
            case .inBody(let count):
                let part = ByteBuffer(bytes: exchange.answer.body.prefix(count))
                try await writer.write(
                    response: head,
                    body: ResponseBody(contentLength: exchange.answer.body.count) { writer in
                        try await writer.write(part)
                        try await channel.close()
                        throw CancellationError()
                    })
            }
        }

        /// Returns the error for a request that a web page may have caused; the org does not record it.
        private func refusal(of head: HTTPRequest, _ request: OrgRequest, _ scheme: String) -> OrgError? {
            let (isAdministration, names) = core.withLock { ($0.isAdministration(request), $0.options.allowedHosts) }
            return RequestSender(head).refusal(isAdministration: isAdministration, scheme: scheme, allowing: names)
        }

        /// Returns the request with its body.
        ///
        /// The part beyond the limit is read and discarded: a client that is still sending would not read the response.
        private func received(_ request: Request) async throws -> OrgRequest {
            var received = OrgRequest(request.head)
            let limit = bodyLimits[received.bodyKind]
            var bytes: [UInt8] = []
            let length = request.head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
            if (1...limit).contains(length) { bytes.reserveCapacity(length) }
            var isTooLong = false
            for try await piece in request.body {
                isTooLong = isTooLong || piece.readableBytes > limit - bytes.count
                if isTooLong { bytes = [] } else { bytes += piece.readableBytesView }
            }
            received.take(isTooLong ? nil : bytes, bodyLimits)
            return received
        }

        /// Returns whether the client asks to close the connection after this response, in any case of letters.
        private static func asksToClose(_ request: HTTPRequest) -> Bool {
            request.headerFields[values: .connection].contains { value in
                value.lowercased().split { ", \t".contains($0) }.contains("close")
            }
        }

        /// Returns a body that is sent in pieces, so that a client can process the first while others are in transit.
        private static func body(
            _ bytes: [UInt8], pace: Exchange.Pace?, pauses: ServerPauses
        ) -> ResponseBody {
            if let pace {
                return ResponseBody(contentLength: bytes.count) { writer in
                    for piece in pace.pieces(of: bytes.count) {
                        if piece.pause > 0 { try await pauses.pause(milliseconds: piece.pause) }
                        try await writer.write(ByteBuffer(bytes: bytes[piece.range]))
                    }
                    try await writer.finish(nil)
                }
            }
            let piece = 128 << 10
            guard bytes.count > piece else { return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)) }
            return ResponseBody(contentLength: bytes.count) { writer in
                var start = 0
                while start < bytes.count {
                    let end = min(start + piece, bytes.count)
                    try await writer.write(ByteBuffer(bytes: bytes[start..<end]))
                    start = end
                }
                try await writer.finish(nil)
            }
        }
    }
#else
    internal import SoupCore

    extension LocalOrg {
        /// Throws an error, because this build has no HTTP server: it was built without the package trait `Server`.
        ///
        /// - Throws: ``SoupError`` with `notSupported`.
        public func serve(
            host: String = "127.0.0.1", port: Int = 0, certificate: OrgCertificate? = nil,
            onReady: @escaping @Sendable (_ url: String) -> Void = { _ in }
        ) async throws {
            throw SoupError(
                .notSupported, "this build of the local org has no HTTP server",
                hint: "Build with the package traits of the server: swift build --traits Tools,Server,TLS.")
        }
    }
#endif
