// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Logging
public import SoupCore

/// The connection to a server of a manager's syncs.
public struct SyncConnection: Sendable {
    /// The transport, which sends requests with authorization and with its configured retries; see `HTTPTransport`.
    public var transport: any HTTPTransport
    /// The path prefix of the server's API, which targets find in `SyncContext/basePath`; empty if it has none.
    public var basePath: String

    /// The name of the transport that sends the requests, which observers get; nil if it is unknown.
    public var transportName: PluginName?

    /// Stores the values; no request is sent before a sync runs.
    ///
    /// - Parameter basePath: a path without a trailing slash, such as `/api/v2`. The targets for Salesforce need the
    ///   path of a version of its API: the `apiPath` of the credentials or of the session.
    public init(transport: any HTTPTransport, basePath: String = "", transportName: PluginName? = nil) {
        self.transport = transport
        self.basePath = basePath
        self.transportName = transportName
    }

    /// Returns the connection with its requests measured; the same connection without an observation.
    ///
    /// - Parameter name: the name of the connection; `nil` for the standard one.
    func observed(_ observation: SyncObservation?, name: String?) -> SyncConnection {
        guard let observation else { return self }
        var connection = self
        connection.transport = ObservedTransport(transport, observation, name: transportName, connection: name)
        return connection
    }
}

/// The connections of a manager, by the names that targets use.
struct SyncConnections: Sendable {
    /// The connection of the targets that name none.
    let standard: SyncConnection
    let named: [String: SyncConnection]
    private let meters: [String?: RequestMeter]

    /// - Parameters:
    ///   - limit: the share of the requests that syncs may use.
    ///   - clock: measures the age of the numbers of used requests.
    init(standard: SyncConnection, named: [String: SyncConnection], limit: Double, clock: any SoupClock) {
        var meters: [String?: RequestMeter] = [:]
        func metered(_ connection: SyncConnection, _ name: String?) -> SyncConnection {
            let meter = RequestMeter()
            meters[name] = meter
            var connection = connection
            connection.transport = MeteredTransport(connection.transport, meter, limit: limit, clock: clock)
            return connection
        }
        self.standard = metered(standard, nil)
        self.named = Dictionary(uniqueKeysWithValues: named.map { ($0.key, metered($0.value, $0.key)) })
        self.meters = meters
    }

    /// Returns the meter of a connection; an unknown connection has one that knows nothing.
    func meter(of name: String?) -> RequestMeter { meters[name] ?? RequestMeter() }

    /// Returns the connection that a target names; requests over an unknown one fail.
    subscript(name: String?) -> SyncConnection {
        guard let name else { return standard }
        return named[name] ?? SyncConnection(transport: UnknownConnection(name: name, known: named.keys.sorted()))
    }

    /// The secrets of all connections, which must not occur in messages.
    var masks: [SecretMask] { ([standard] + named.values).compactMap(\.transport.secretMask) }

    /// Returns a logger that removes these secrets.
    func masked(_ logger: Logger) -> Logger {
        var logger = logger
        for mask in masks { logger.handler = MaskedLog(logger.handler, mask) }
        return logger
    }
}

/// The transport of a connection that the manager does not have.
private struct UnknownConnection: HTTPTransport {
    let name: String
    let known: [String]

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        throw SoupError(
            .badConfiguration, "there is no connection \"\(name)\"",
            hint: known.isEmpty
                ? "Add it to \"connections\" in org.json." : "Known: \(known.joined(separator: ", ")).")
    }
}
