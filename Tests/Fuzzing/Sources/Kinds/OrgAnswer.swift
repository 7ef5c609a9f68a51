// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What a served org answers to bytes, looked at as clients read it.
enum OrgAnswer {
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
}

extension Sequence where Element == UInt8 {
    fileprivate var text: String { String(decoding: Array(self), as: UTF8.self) }
}
