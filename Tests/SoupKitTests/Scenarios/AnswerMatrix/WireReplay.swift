// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupKit
import SoupTesting

/// Sends an answer over a real connection in an unusual wire format, and receives it with the standard transport.
struct WireReplay {
    /// A body of 500 KB that expands to 80 MB, more than the standard limit.
    private static let bomb = GzipText.repeating(UInt8(ascii: "x"), count: 80 << 20)

    /// Returns the answer as an app's transport receives it.
    ///
    /// - Throws: the transport's error.
    func replay(
        _ answer: HTTPAnswer, as kind: InvalidAnswer, method: HTTPRequest.Method
    ) async throws -> HTTPAnswer {
        let reply = kind == .trailer ? Self.withTrailer(answer) : Self.gzipBomb(answer)
        let server = try RawServer { _ in reply }
        defer { server.stop() }
        return try await StandardTransport.make().send(
            HTTPRequest(method: method, scheme: "http", authority: server.authority, path: "/"),
            body: method == .get ? nil : Array("{}".utf8))
    }

    private static func withTrailer(_ answer: HTTPAnswer) -> RawReply {
        guard !answer.body.isEmpty else {
            return RawReply(status: "\(answer.status) X", body: answer.body, then: .close)
        }
        let head = lines(answer, "Transfer-Encoding: chunked", "Trailer: X-Checksum")
        let chunk = "\(String(answer.body.count, radix: 16))\r\n"
        return RawReply(
            Array("\(head)\(chunk)".utf8) + answer.body + Array("\r\n0\r\nX-Checksum: abc\r\n\r\n".utf8), then: .close)
    }

    private static func gzipBomb(_ answer: HTTPAnswer) -> RawReply {
        let head = lines(answer, "Content-Encoding: gzip", "Content-Length: \(bomb.count)")
        return RawReply(Array(head.utf8) + bomb, then: .close)
    }

    /// Returns the head of a reply: the status, the fields that a sync reads, and further fields.
    private static func lines(_ answer: HTTPAnswer, _ fields: String...) -> String {
        let date = answer.response.headerFields[.date].map { ["Date: \($0)"] } ?? []
        let all = ["HTTP/1.1 \(answer.status) X", "Content-Type: application/json"] + date + fields
        return all.joined(separator: "\r\n") + "\r\n\r\n"
    }
}
