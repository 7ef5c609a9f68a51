// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A transport that calls a function before the next request that updates a record, or after its commit.
final class UpdateInterruption: HTTPTransport {
    private let base: any HTTPTransport
    /// Called before the request, when the engine has compared the record with the server's version; nil after that.
    let edit = Mutex<(@Sendable () throws -> Void)?>(nil)
    /// Called before the response, whose time it returns; nil after that.
    let editAfterCommit = Mutex<(@Sendable () throws -> Date)?>(nil)

    init(_ base: any HTTPTransport) { self.base = base }

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        guard request.method == .patch || String(decoding: body ?? [], as: UTF8.self).contains(#""PATCH""#) else {
            return try await base.send(request, body: body)
        }
        try Self.taken(from: edit)?()
        var answer = try await base.send(request, body: body)
        if let time = try Self.taken(from: editAfterCommit)?() {
            answer.response.headerFields[.date] = DateText.formatHTTPDate(time)
        }
        return answer
    }

    /// Forgets the functions, and returns whether there was none left.
    func end() -> Bool { Self.taken(from: edit) == nil && Self.taken(from: editAfterCommit) == nil }

    private static func taken<Function: Sendable>(from mutex: borrowing Mutex<Function?>) -> Function? {
        mutex.withLock { function in
            defer { function = nil }
            return function
        }
    }
}
