// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore

/// A client of the Salesforce REST API, for sync targets.
///
/// ```swift
/// func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
///     let (answer, head) = try await SalesforceClient(context).queryPage(after: cursor, of: "select Id from Account")
///     return try UnreadPage(query: answer, head: head).read()
/// }
/// ```
///
/// A client has no state: create one from the context of each call. Its requests go through the context's transport,
/// which adds the authorization and retries.
///
/// Every method throws `CancellationError` if the task is cancelled. A response that is not the API's own is an error
/// with `server` or `json`, and never a result.
public struct SalesforceClient: Sendable {
    /// The context whose transport, clock and log the client uses.
    public let context: SyncContext

    /// Creates a client of the server of a context; it sends nothing.
    public init(_ context: SyncContext) { self.context = context }

    /// The path of the versioned REST API, such as `/services/data/v66.0`: the context's `basePath`.
    public var apiPath: String { context.basePath }

    /// Sends JSON, and returns the server's response, whatever its status.
    ///
    /// It is for resources that the client has no method for. See ``SoupCore/HTTPAnswer/apiAnswer`` for reading it.
    ///
    /// - Parameters:
    ///   - path: from the root of the server, percent-encoded, query included; begin it with ``apiPath``.
    ///   - beginning: called with the beginning of the response, see `HTTPTransport`.
    /// - Throws: ``SoupError`` with `network` if no response arrived; its `delivery` reports whether the server may
    ///   have carried out the request. `CancellationError`.
    public func send(
        _ method: HTTPRequest.Method, _ path: String, json body: JSONText? = nil, headers: HTTPFields = [:],
        showing beginning: (@Sendable (HTTPAnswer) -> Void)? = nil
    ) async throws -> HTTPAnswer {
        try await context.send(method, path, json: body, headers: headers, showing: beginning)
    }
}
