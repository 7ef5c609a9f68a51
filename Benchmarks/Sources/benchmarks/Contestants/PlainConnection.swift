// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

/// A connection to a server on the loopback address that only sends requests and reads responses, so that a measurement
/// shows the cost of the server.
final class PlainConnection {
    private let descriptor: Int32
    private let token: String
    private var buffer: [UInt8]

    init(port: UInt16, token: String) throws {
        self.token = token
        buffer = Array(repeating: 0, count: 1 << 18)
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw ContestantError("no connection to port \(port)") }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// Returns the body of the response to a GET request, which must succeed.
    func get(_ path: String) throws -> [UInt8] { try exchange("GET", path) }

    /// Returns the body of the response to a request, which must succeed.
    func exchange(_ method: String, _ path: String, json body: String = "") throws -> [UInt8] {
        let length =
            body.isEmpty ? "" : "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        let first = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\(length)\r\n"
        let request = Array((first + body).utf8)
        guard send(descriptor, request, request.count, 0) == request.count else {
            throw ContestantError("the request could not be sent")
        }
        var bytes: [UInt8] = []
        var head: (end: Int, length: Int)?
        while head.map({ bytes.count < $0.end + $0.length }) ?? true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw ContestantError("the connection ended before the end of a response") }
            bytes += buffer[..<count]
            if head == nil {
                head = try Self.head(of: bytes)
                if let head { bytes.reserveCapacity(head.end + head.length) }
            }
        }
        return Array(bytes[(head?.end ?? 0)...])
    }

    /// Returns the end of the head and the length of the body; nil if the head is incomplete.
    private static func head(of bytes: [UInt8]) throws -> (end: Int, length: Int)? {
        guard let end = Data(bytes).range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard lines[0].hasPrefix("HTTP/1.1 2") else { throw ContestantError("the org responded with \(lines[0])") }
        if lines[0].hasPrefix("HTTP/1.1 204") { return (end.upperBound, 0) }
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }.flatMap {
            Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces))
        }
        guard let length else { throw ContestantError("a response has no length") }
        return (end.upperBound, length)
    }
}
