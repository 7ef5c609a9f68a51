// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore

/// A transport to a server that never responds.
struct StalledTransport: HTTPTransport {
    /// Available when the first request has arrived.
    let arrived = Promise<Void>()

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        arrived.resolve(())
        _ = try await Promise<Void>().wait()
        throw CancellationError()
    }
}
