// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The server that a manager's syncs talk to.
public struct SyncConnection: Sendable {
    /// Sends requests, authorised and with whatever retries it is configured for; see `HTTPTransport`.
    public var transport: any HTTPTransport
    /// Where the versioned REST API starts.
    public var apiPath: String

    /// Stores both; nothing is sent before a sync runs.
    ///
    /// - Parameter apiPath: without a slash at its end.
    public init(transport: any HTTPTransport, apiPath: String = "/services/data/v66.0") {
        self.transport = transport
        self.apiPath = apiPath
    }
}
