// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The server connection of a manager's syncs.
public struct SyncConnection: Sendable {
    /// The transport, which sends requests with authorization and with its configured retries; see `HTTPTransport`.
    public var transport: any HTTPTransport
    /// The path prefix of the server's API, which targets find in `SyncContext/basePath`; empty if it has none.
    public var basePath: String

    /// Stores both values; no request is sent before a sync runs.
    ///
    /// - Parameter basePath: a path without a trailing slash, such as `/api/v2`. The targets for Salesforce need the
    ///   path of a version of its API: the `apiPath` of the credentials or of the session.
    public init(transport: any HTTPTransport, basePath: String = "") {
        self.transport = transport
        self.basePath = basePath
    }
}
