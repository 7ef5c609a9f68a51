// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The server to which JavaScript can send requests.
public struct BridgeServer: Sendable {
    /// Sends the requests with authorization, such as a `SessionTransport`.
    public var transport: any HTTPTransport
    /// The URL of the session's instance, for calls with an absolute URL; nil refuses these.
    public var instanceURL: URL?

    /// Creates a value; no request is sent before a call.
    public init(transport: any HTTPTransport, instanceURL: URL? = nil) {
        self.transport = transport
        self.instanceURL = instanceURL
    }
}
