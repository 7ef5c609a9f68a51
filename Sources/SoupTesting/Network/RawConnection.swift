// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A connection that shows what HTTP clients keep to themselves.
///
/// Bytes go in as they are, and it is seen when the server closes.
package enum RawConnection {
    /// Sends bytes to a port of this machine, and reads until the server closes the connection.
    ///
    /// A server that has seen enough may close before it has read everything: that is no failure.
    ///
    /// - Parameter endsInput: whether the server is told that no more bytes follow.
    /// - Throws: `RawSocket.Failure` if there is no connection, or if the server leaves it open for half a minute.
    package static func send(_ bytes: [UInt8], to port: Int, endsInput: Bool = false) async throws -> [UInt8] {
        // A thread of its own: it waits for a server that needs those of the tasks.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try exchange(bytes, port, endsInput) }) }
        }
    }

    /// Sends bytes, and returns what the server sends as a stream that keeps in memory what was not read yet.
    ///
    /// The connection stays open until the server closes it, also after the stream was released.
    package static func pieces(_ bytes: [UInt8], to port: Int) -> AsyncThrowingStream<[UInt8], any Error> {
        let (stream, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        Thread.detachNewThread {
            do {
                try read(bytes, port, into: continuation)
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        return stream
    }

    /// The same for texts.
    package static func send(_ text: String, to port: Int) async throws -> String {
        String(decoding: try await send(Array(text.utf8), to: port), as: UTF8.self)
    }

    private static func read(
        _ bytes: [UInt8], _ port: Int, into continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation
    ) throws {
        let socket = try RawSocket.connected(to: port)
        _ = socket.send(bytes)
        while true {
            let piece = socket.receive()
            guard !piece.isEmpty else { return }
            continuation.yield(piece)
        }
    }

    private static func exchange(_ bytes: [UInt8], _ port: Int, _ endsInput: Bool) throws -> [UInt8] {
        let socket = try RawSocket.connected(to: port)
        _ = socket.send(bytes)
        if endsInput { socket.endOutput() }
        return try socket.readToEnd(waiting: 30)
    }
}
