// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

/// One connection to a server on this machine that asks and reads, and does nothing else, so that the server is what is
/// measured.
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

    /// The body of the answer to a GET, which must be a success.
    func get(_ path: String) throws -> [UInt8] { try exchange("GET", path) }

    /// The body of the answer to a request, which must be a success.
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
            guard count > 0 else { throw ContestantError("the connection ended in the middle of an answer") }
            bytes += buffer[..<count]
            if head == nil {
                head = try Self.head(of: bytes)
                if let head { bytes.reserveCapacity(head.end + head.length) }
            }
        }
        return Array(bytes[(head?.end ?? 0)...])
    }

    /// Where the head ends, and how long the body is; nil as long as it is not all there.
    private static func head(of bytes: [UInt8]) throws -> (end: Int, length: Int)? {
        guard let end = Data(bytes).range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard lines[0].hasPrefix("HTTP/1.1 2") else { throw ContestantError("the org answers \(lines[0])") }
        if lines[0].hasPrefix("HTTP/1.1 204") { return (end.upperBound, 0) }
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }.flatMap {
            Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces))
        }
        guard let length else { throw ContestantError("an answer without a length") }
        return (end.upperBound, length)
    }
}
