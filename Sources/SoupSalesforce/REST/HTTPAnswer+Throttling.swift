// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

extension HTTPAnswer {
    /// Whether the API itself rejected the request before any work, because of a limit or maintenance.
    ///
    /// A gateway also answers with 429 or 503 and `Retry-After` after a timeout of the server.
    var isThrottled: Bool { (status == 429 || status == 503) && apiAnswer.refusal != nil }

    /// Whether the server or a gateway asks the client to wait: as ``isThrottled``, or with `Retry-After`.
    var asksToWait: Bool {
        (status == 429 || status == 503)
            && (response.headerFields[.retryAfter] != nil || apiAnswer.refusal != nil)
    }

    /// Whether the server currently refuses every request and has changed nothing, so that further requests are
    /// useless.
    public var refusesEverything: Bool {
        isThrottled || (status == 403 && apiAnswer.refusal?.code == "REQUEST_LIMIT_EXCEEDED")
    }
}
