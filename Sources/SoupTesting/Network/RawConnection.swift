// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A connection that shows details that HTTP clients hide.
///
/// It sends bytes unchanged, and detects when the server closes the connection.
package enum RawConnection {
    /// Sends bytes to a port of this machine, and reads until the server closes the connection.
    ///
    /// The server may close the connection before it has read everything; this is not an error.
    ///
    /// - Parameter endsInput: whether to signal to the server that no more bytes follow.
    /// - Throws: `RawSocket.Failure` if there is no connection, or if the server leaves it open for half a minute.
    package static func send(_ bytes: [UInt8], to port: Int, endsInput: Bool = false) async throws -> [UInt8] {
        // On a separate thread, because it blocks until the server responds, and the server needs the threads of the
        // tasks.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try exchange(bytes, with: port, endsInput: endsInput) })
            }
        }
    }

    /// Sends bytes, and returns the server's bytes as a stream, which buffers unread bytes in memory.
    ///
    /// The connection stays open until the server closes it, even after the stream was released.
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

    /// Sends a text and returns the response as text.
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

    private static func exchange(_ bytes: [UInt8], with port: Int, endsInput: Bool) throws -> [UInt8] {
        let socket = try RawSocket.connected(to: port)
        _ = socket.send(bytes)
        if endsInput { socket.endOutput() }
        return try socket.readToEnd(waiting: 30)
    }
}
