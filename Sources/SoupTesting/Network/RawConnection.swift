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

    /// The same for texts.
    package static func send(_ text: String, to port: Int) async throws -> String {
        String(decoding: try await send(Array(text.utf8), to: port), as: UTF8.self)
    }

    private static func exchange(_ bytes: [UInt8], _ port: Int, _ endsInput: Bool) throws -> [UInt8] {
        let socket = try RawSocket.connected(to: port)
        _ = socket.send(bytes)
        if endsInput { socket.endOutput() }
        return try socket.readToEnd(waiting: 30)
    }
}
