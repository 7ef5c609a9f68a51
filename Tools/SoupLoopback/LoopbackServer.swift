// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Server
    package import HummingbirdCore
    internal import Logging
    package import NIOCore
    internal import NIOPosix
    internal import ServiceLifecycle
    internal import SoupCore

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #elseif canImport(Darwin)
        internal import Darwin
    #endif

    /// A server that can finish its requests before it ends, over HTTP or HTTPS.
    private protocol GracefulServer: Sendable {
        func shutdownGracefully() async throws
    }

    extension Server: GracefulServer {}

    /// An HTTP server for the programs and pages of this machine.
    package struct LoopbackServer: Sendable {
        /// The time that the server waits for clients that do not read their response or do not finish their request.
        private static let endTimeout = Duration.seconds(10)

        /// The kind of server in error messages, such as `local org`.
        private let kind: String
        private let host: String
        private let port: Int

        /// - Parameters:
        ///   - host: a loopback address of this machine: `127.0.0.1`, `::1` or `localhost`.
        ///   - port: the port; 0 for any free port.
        /// - Throws: ``SoupError`` with `badConfiguration` for another host or an invalid port.
        package init(_ kind: String, because reason: String, host: String = "127.0.0.1", port: Int) throws {
            guard ["127.0.0.1", "::1", "localhost"].contains(host) else {
                throw SoupError(
                    .badConfiguration, "the \(kind) cannot be served on \"\(host)\"",
                    hint: "Use 127.0.0.1, ::1 or localhost: \(reason).")
            }
            guard (0...65_535).contains(port) else {
                throw SoupError(
                    .badConfiguration, "the \(kind) cannot be served on port \(port)",
                    hint: "Use a port from 1 to 65535, or 0 for any free port.")
            }
            (self.kind, self.host, self.port) = (kind, host, port)
        }

        /// Serves until the task is cancelled; then it accepts no more requests, finishes those in progress, and
        /// returns.
        ///
        /// Connections that are still open ten seconds later are closed.
        ///
        /// - Parameters:
        ///   - scheme: the scheme of the URL: `http` or `https`.
        ///   - onEnd: called when the server begins to end, so that long responses can end too.
        ///   - onReady: called once with the URL when requests are answered.
        /// - Throws: ``SoupError`` with `network` if the port is not available.
        package func serve(
            _ builder: HTTPServerBuilder, scheme: String = "http",
            responder: @escaping @Sendable (Request, consuming ResponseWriter, any Channel) async throws -> Void,
            onEnd: @escaping @Sendable () -> Void, onReady: @escaping @Sendable (_ url: String) -> Void
        ) async throws {
            var logger = Logger(label: "LoopbackServer")
            logger.logLevel = .critical
            let server = try builder.buildServer(
                configuration: ServerConfiguration(address: .hostname(host, port: port)),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger, responder: responder,
                onServerRunning: { channel in
                    let name = host == "::1" ? "[::1]" : host
                    onReady("\(scheme)://\(name):\(channel.localAddress?.port ?? port)")
                })
            do {
                try await Self.run(server, onEnd: onEnd)
            } catch is CancellationError {
                return
            } catch {
                if Task.isCancelled { return }
                throw failure(error)
            }
        }

        private static func run(_ server: any Service, onEnd: @escaping @Sendable () -> Void) async throws {
            // A separate task: cancelling this one must not interrupt the responses in progress.
            let running = Task { try await server.run() }
            try await withTaskCancellationHandler {
                try await running.value
            } onCancel: {
                onEnd()
                Task { try? await (server as? any GracefulServer)?.shutdownGracefully() }
                Task {
                    try await Task.sleep(for: Self.endTimeout)
                    running.cancel()
                }
            }
        }

        /// Returns the error for a server that cannot start, without terms of sockets.
        private func failure(_ error: any Error) -> SoupError {
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE:
                SoupError(
                    .network, "port \(port) is in use",
                    hint:
                        "Stop the program that uses it, which can be another \(kind), or use another port; 0 selects a "
                        + "free port.", cause: error)
            case EACCES, EPERM:
                SoupError(
                    .network, "there is no permission to use port \(port)",
                    hint: "Use a port above 1023, or 0 for a free port.", cause: error)
            default:
                SoupError(
                    .network, "the \(kind) cannot be served on \(host):\(port): \(error)",
                    hint: "Use 0 for a free port.", cause: error)
            }
        }
    }
#endif
