// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore

/// A transport whose secrets are known, with scripted answers.
struct MaskingTransport: HTTPTransport {
    let secretMask: SecretMask?
    let answer: @Sendable (HTTPRequest) -> HTTPAnswer

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer { answer(request) }
}
