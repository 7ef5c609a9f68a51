// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Checks of the bytes that a served org returns.
enum OrgResponse {
    /// Checks that the bytes are an HTTP response with a body of the declared length, or empty.
    ///
    /// - Parameter hasBody: whether responses to the method have a body.
    /// - Returns: the status; 0 for an empty response.
    static func status(of response: [UInt8], hasBody: Bool) throws -> Int {
        guard !response.isEmpty else { return 0 }
        guard let end = Data(response).range(of: Data("\r\n\r\n".utf8)) else {
            throw Violation("a response head without an end")
        }
        let head = String(decoding: response[..<end.lowerBound], as: UTF8.self).lowercased()
        guard head.hasPrefix("http/1.1 "), let status = Int(head.utf8.dropFirst(9).prefix(3).text) else {
            throw Violation("not an HTTP response: \(head.prefix(100))")
        }
        let count = response.count - end.upperBound
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) }
        if !hasBody || status == 204 || status == 304 {
            try require(count == 0, "\(count) bytes after a head without a body: \(head)")
        } else {
            try require(count <= length ?? 0, "\(count) bytes after a head that declares \(length ?? 0): \(head)")
        }
        return status
    }
}

extension Sequence where Element == UInt8 {
    fileprivate var text: String { String(decoding: Array(self), as: UTF8.self) }
}
