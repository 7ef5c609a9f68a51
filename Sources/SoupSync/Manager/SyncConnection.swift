// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The server connection of a manager's syncs.
public struct SyncConnection: Sendable {
    /// The transport, which sends requests with authorization and with its configured retries; see `HTTPTransport`.
    public var transport: any HTTPTransport
    /// The base path of the versioned REST API.
    public var apiPath: String

    /// Stores both values; no request is sent before a sync runs.
    ///
    /// - Parameter apiPath: the path without a trailing slash.
    public init(transport: any HTTPTransport, apiPath: String = "/services/data/v66.0") {
        self.transport = transport
        self.apiPath = apiPath
    }
}
