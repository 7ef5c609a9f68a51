// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A connection that shows what HTTP clients keep to themselves: when the server closes it.
enum PlainConnection {
    struct Failure: Error {}

    /// Sends a text to a port of this machine, and reads until the server closes the connection.
    ///
    /// - Throws: ``Failure`` when that takes longer than half a minute.
    static func send(_ text: String, to port: Int) async throws -> String {
        // A thread of its own: it waits for a server that needs those of the tasks.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try exchange(text, port) }) }
        }
    }

    private static func exchange(_ text: String, _ port: Int) throws -> String {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let bytes = Array(text.utf8)
        guard connected == 0, write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure() }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw Failure() }
            if count == 0 { return String(decoding: answer, as: UTF8.self) }
            answer += buffer[..<count]
        }
    }
}
