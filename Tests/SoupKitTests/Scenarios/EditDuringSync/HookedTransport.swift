// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Synchronization

/// A transport that calls hooks before it sends a request, and before it returns the answer.
final class HookedTransport: HTTPTransport {
    typealias Hook = @Sendable () async throws -> Void

    private let base: any HTTPTransport
    private let hooks = Mutex<(before: Hook?, after: Hook?)>((nil, nil))

    init(_ base: any HTTPTransport) { self.base = base }

    func setHooks(before: Hook? = nil, after: Hook? = nil) { hooks.withLock { $0 = (before, after) } }

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try await send(request, body: body) { _ in }
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        try await hooks.withLock(\.before)?()
        let answer = try await base.send(request, body: body, showing: beginning)
        try await hooks.withLock(\.after)?()
        return answer
    }
}
