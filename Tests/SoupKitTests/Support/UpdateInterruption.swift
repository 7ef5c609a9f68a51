// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Synchronization

/// A transport that calls a function before the next request that updates a record.
///
/// At that moment the engine has compared the record with the server's version.
final class UpdateInterruption: HTTPTransport {
    private let base: any HTTPTransport
    /// The function; nil after it was called.
    let edit = Mutex<(@Sendable () throws -> Void)?>(nil)

    init(_ base: any HTTPTransport) { self.base = base }

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        if request.method == .patch || String(decoding: body ?? [], as: UTF8.self).contains(#""PATCH""#) {
            try edit.withLock { edit in
                defer { edit = nil }
                return edit
            }?()
        }
        return try await base.send(request, body: body)
    }
}
