// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

/// A minimal server on the loopback address, so that a measurement shows the cost of the transport.
///
/// The response to `GET /N` has N bytes from one block of memory. Each connection has a thread. The server runs until
/// the process ends.
enum BlockServer {
    private static let block = [UInt8](repeating: 97, count: 1 << 20)

    /// Starts the server.
    ///
    /// - Returns: its port.
    static func start() throws -> UInt16 {
        #if canImport(Darwin)
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) | listen(listener, 64) | getsockname(listener, address, &length)
            }
        }
        guard listener >= 0, status == 0 else { throw ContestantError("the server has no port") }
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { serve(connection) }
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func serve(_ connection: Int32) {
        defer { close(connection) }
        var on: Int32 = 1
        setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            // A request of the benchmark arrives in one piece.
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            let path = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ").dropFirst().first ?? "/0"
            var left = Int(path.dropFirst()) ?? 0
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(left)\r\n\r\n".utf8)
            let first = min(left, 4096)
            guard sendAll(head + block[..<first], count: head.count + first, over: connection) else { return }
            left -= first
            while left > 0 {
                let size = min(left, block.count)
                guard sendAll(block, count: size, over: connection) else { return }
                left -= size
            }
        }
    }

    /// Returns whether the first `count` bytes were sent.
    private static func sendAll(_ bytes: [UInt8], count: Int, over connection: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent..<count])
                let size = send(connection, rest.baseAddress, rest.count, 0)
                guard size > 0 else { return false }
                sent += size
            }
            return true
        }
    }
}
