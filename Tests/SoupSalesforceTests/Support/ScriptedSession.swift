// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupHTTP
import SoupSalesforce
import SoupCore
import SoupTesting

/// A session over a scripted server, with a clock that does not wait.
func session(
    _ base: any HTTPTransport, _ credentials: SalesforceCredentials = .plain, clock: ManualClock = .advancing(),
    retry: RetryPolicy = .standard
) -> SessionTransport {
    SessionTransport(over: base, credentials: credentials, clock: clock, retry: retry, random: { 1 })
}

/// A request to read, which the session sends to its server.
func get(_ path: String) -> HTTPRequest { HTTPRequest(method: .get, scheme: nil, authority: nil, path: path) }

/// A request to create, which the session sends to its server.
func post(_ path: String) -> HTTPRequest { HTTPRequest(method: .post, scheme: nil, authority: nil, path: path) }

extension SalesforceCredentials {
    /// Without the means to renew the session.
    static let plain = SalesforceCredentials(instanceURL: "https://one.example.com", accessToken: "t1")
    /// With a refresh token.
    static let renewable = SalesforceCredentials(
        instanceURL: "https://one.example.com", accessToken: "t1", refreshToken: "r1", clientId: "c1")
}

/// The body of the response to an expired token.
let expired = #"[{"message":"Session expired or invalid","errorCode":"INVALID_SESSION_ID"}]"#
/// The request for a new token.
let renewal =
    "POST https://one.example.com/services/oauth2/token grant_type=refresh_token&client_id=c1&refresh_token=r1"
