// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A TCP socket on the loopback address, with blocking calls.
///
/// It is closed when it is released.
final class RawSocket: Sendable {
    /// The reason why there is no socket.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Returns a socket that reserves a port chosen by the system, and refuses connections.
    static func reserved() throws -> RawSocket {
        let holder = try opened()
        try withAddress(of: 0) { address, length in
            guard bind(holder.descriptor, address, length) == 0 else {
                throw Failure(description: "no port is available: \(errno)")
            }
        }
        return holder
    }

    /// Returns a socket that listens on a port chosen by the system.
    static func listening() throws -> RawSocket {
        let listener = try reserved()
        guard listen(listener.descriptor, 256) == 0 else {
            throw Failure(description: "the socket cannot listen on its port: \(errno)")
        }
        return listener
    }

    /// Returns a socket that is connected to a port.
    static func connected(to port: Int) throws -> RawSocket {
        let client = try opened()
        try withAddress(of: port) { address, length in
            guard connect(client.descriptor, address, length) == 0 else {
                throw Failure(description: "no server listens at port \(port)")
            }
        }
        client.setOption(Self.quiet, at: SOL_SOCKET, to: 1)
        return client
    }

    private static func opened() throws -> RawSocket {
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw Failure(description: "the socket cannot be created: \(errno)") }
        return RawSocket(descriptor)
    }

    private static func withAddress(of port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Returns the port of a bound socket.
    func port() throws -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { throw Failure(description: "the port is unknown: \(errno)") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Waits for the next connection; nil if the socket no longer listens.
    func accepted() -> RawSocket? {
        while true {
            let connection = accept(descriptor, nil, nil)
            if connection >= 0 {
                let socket = RawSocket(connection)
                socket.setOption(Self.quiet, at: SOL_SOCKET, to: 1)
                socket.setOption(TCP_NODELAY, at: Int32(IPPROTO_TCP), to: 1)
                return socket
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    #if canImport(Darwin)
        /// The option that prevents SIGPIPE, which would end this process if a client closes early.
        private static let quiet = SO_NOSIGPIPE
        private static let flags: Int32 = 0
        private static let kind = SOCK_STREAM
    #else
        // The flag of `send` prevents the signal; this option has no effect.
        private static let quiet = SO_KEEPALIVE
        private static let flags = Int32(MSG_NOSIGNAL)
        private static let kind = Int32(SOCK_STREAM.rawValue)
    #endif

    private func setOption(_ name: Int32, at level: Int32, to value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends all bytes; returns false if the peer has closed the connection.
    func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...])
                let count = Foundation.send(descriptor, rest.baseAddress, rest.count, Self.flags)
                guard count > 0 || errno == EINTR else { return false }
                sent += max(0, count)
            }
            return true
        }
    }

    /// Reads the available bytes, up to 64 KiB; empty at the end.
    func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            return Array(buffer.prefix(max(0, count)))
        }
    }

    /// Reads until the peer closes the connection.
    ///
    /// - Throws: ``Failure`` if the peer sends nothing for this number of seconds and keeps the connection open.
    func readToEnd(waiting seconds: Int) throws -> [UInt8] {
        var timeout = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return bytes }
            guard count > 0 else { throw Failure(description: "the server left the connection open: \(errno)") }
            bytes += buffer[..<count]
        }
    }

    /// Signals to the peer that no more bytes follow.
    func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads a request with a body of known length.
    ///
    /// - Parameter pending: the bytes that were read beyond the previous request.
    /// - Returns: nil at the end of the connection.
    func readRequest(_ pending: inout [UInt8]) -> (head: String, body: [UInt8])? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let split = pending.firstRange(of: end) {
                let head = String(decoding: pending[..<split.lowerBound], as: UTF8.self)
                let length = RawRequest(head: head, body: [], connection: 0, index: 0).field("Content-Length").first
                let bodyEnd = split.upperBound + (length.flatMap { Int($0) } ?? 0)
                if pending.count >= bodyEnd {
                    let body = Array(pending[split.upperBound..<bodyEnd])
                    pending.removeFirst(bodyEnd)
                    return (head, body)
                }
            }
            let more = receive()
            guard !more.isEmpty else { return nil }
            pending += more
        }
    }

    /// Waits until the peer has closed the connection.
    func waitForEnd() { while !receive().isEmpty {} }

    /// Ends reading and writing, so that a thread that waits for either continues.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Resets the connection, so that the peer gets an error.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}
