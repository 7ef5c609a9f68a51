// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A connection to a served org: bytes go in as they are, and what comes back is looked at as clients read it.
enum OrgConnection {
    /// Sends bytes to a port of this machine, says that there are no more, and reads until the server ends as well.
    ///
    /// - Throws: ``Violation`` when the server does not end within ten seconds.
    static func send(_ bytes: [UInt8], to port: Int) async throws -> [UInt8] {
        // A thread of its own: it waits for a server that needs those of the tasks.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try exchange(bytes, port) }) }
        }
    }

    /// Whether an answer is one, with a body of the length that its head tells; nothing at all is fine.
    ///
    /// - Parameter hasBody: whether the verb gets one.
    /// - Returns: the status; 0 for nothing.
    static func status(of answer: [UInt8], hasBody: Bool) throws -> Int {
        guard !answer.isEmpty else { return 0 }
        guard let end = Data(answer).range(of: Data("\r\n\r\n".utf8)) else { throw Violation("a head without an end") }
        let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
        guard head.hasPrefix("http/1.1 "), let status = Int(head.utf8.dropFirst(9).prefix(3).text) else {
            throw Violation("no answer of HTTP: \(head.prefix(100))")
        }
        let count = answer.count - end.upperBound
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) }
        if !hasBody || status == 204 || status == 304 {
            try require(count == 0, "\(count) bytes behind a head without a body: \(head)")
        } else {
            try require(count <= length ?? 0, "\(count) bytes behind a head that tells of \(length ?? 0): \(head)")
        }
        return status
    }

    private static func exchange(_ bytes: [UInt8], _ port: Int) throws -> [UInt8] {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw Violation("there is no socket") }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 10, tv_usec: 0)
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
        guard connected == 0 else { throw Violation("the served org takes no connection") }
        // A server that has seen enough closes before it has read everything: that is no fault.
        signal(SIGPIPE, SIG_IGN)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        shutdown(descriptor, Int32(SHUT_WR))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return answer }
            guard count > 0 else { throw Violation("the served org leaves a connection open: \(errno)") }
            answer += buffer[..<count]
        }
    }
}

extension Sequence where Element == UInt8 {
    fileprivate var text: String { String(decoding: Array(self), as: UTF8.self) }
}
