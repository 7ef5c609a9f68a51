// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A connection that shows what HTTP clients keep to themselves.
///
/// Bytes go in as they are, and it is seen when the server closes.
package enum RawConnection {
    /// Why there is no answer.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Sends bytes to a port of this machine, and reads until the server closes the connection.
    ///
    /// A server that has seen enough may close before it has read everything: that is no failure.
    ///
    /// - Parameter endsInput: whether the server is told that no more bytes follow.
    /// - Throws: ``Failure`` when there is no connection, or when the server leaves it open for half a minute.
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
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw Failure(description: "there is no socket") }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        #if canImport(Darwin)
            // Elsewhere send takes a flag for it: a server that closes early must not end this process.
            var isQuiet: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isQuiet, socklen_t(MemoryLayout<Int32>.size))
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(description: "nobody listens at port \(port)") }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        if endsInput { shutdown(descriptor, Int32(SHUT_WR)) }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return answer }
            guard count > 0 else { throw Failure(description: "the server leaves the connection open: \(errno)") }
            answer += buffer[..<count]
        }
    }
}
