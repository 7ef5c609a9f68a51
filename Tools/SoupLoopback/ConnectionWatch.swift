// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Server
    package import NIOCore
    internal import Synchronization

    /// Cancels the work for a request if the client closes its connection before it has the response.
    ///
    /// It is a handler of the connection, because the bodies of requests do not report the end of the connection while
    /// a response is being made. A client that only closes its own direction, and waits, counts as gone.
    package final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler, Sendable {
        package typealias InboundIn = Never

        private struct State {
            var isClosed = false
            /// Cancels the work for the request in progress.
            var cancel: (@Sendable () -> Void)?
        }

        private let state = Mutex(State())

        package init() {}

        /// Returns the result of work, whose task is cancelled if the client closes the connection.
        ///
        /// - Throws: an error if the connection has no such handler.
        package static func cancelling<Value: Sendable>(
            on channel: any Channel, _ work: @escaping @Sendable () async -> Value
        ) async throws -> Value {
            let watch = try await channel.pipeline.handler(type: ConnectionWatch.self).get()
            let task = Task(operation: work)
            if !watch.begin({ task.cancel() }) { task.cancel() }
            defer { watch.end() }
            return await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }

        /// Saves the function that cancels the work; returns false if the connection is closed.
        private func begin(_ cancel: @escaping @Sendable () -> Void) -> Bool {
            state.withLock { state in
                if !state.isClosed { state.cancel = cancel }
                return !state.isClosed
            }
        }

        private func end() { state.withLock { $0.cancel = nil } }

        private func close() {
            let cancel = state.withLock { state in
                state.isClosed = true
                return state.cancel.take()
            }
            cancel?()
        }

        package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { close() }
            context.fireUserInboundEventTriggered(event)
        }

        package func channelInactive(context: ChannelHandlerContext) {
            close()
            context.fireChannelInactive()
        }
    }
#endif
