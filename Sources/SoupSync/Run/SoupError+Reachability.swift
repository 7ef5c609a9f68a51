// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SoupError {
    /// Whether no other request could succeed now either: the server cannot be reached, or accepts no requests.
    var concernsAllRequests: Bool {
        let codes: Set<Code> = [.network, .sessionExpired, .unavailable, .requestLimit]
        return codes.contains(code)
    }
}
