// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupSync
internal import SoupSalesforce
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Examination {
    /// Adds the findings about the org: its session, its quota, its clock, and the objects and fields of the syncs.
    ///
    /// Without an org there are none, unless a sync needs one.
    mutating func examineServer(_ connections: Connections) async throws {
        guard configuration.credentials != nil || options.transport != nil else {
            let syncs = configuration[options.scope].syncs?.syncs ?? []
            guard let name = syncs.first(where: usesOrg)?.name else { return }
            unusable.insert(nil)
            return diagnosis.add(
                .failure, .server, message: "no server is configured, and the sync \(name) needs one",
                hint: "Create \(ConfigurationFolder.orgFile) with \"instanceUrl\" and \"accessToken\", or set "
                    + "\(ConfigurationFolder.instanceVariable) and \(ConfigurationFolder.tokenVariable).")
        }
        let connection = connections.standard
        do {
            let start = options.clock.now
            let answer = try await SalesforceClient(
                SyncContext(
                    transport: connection.transport, basePath: connection.basePath, clock: options.clock, soup: "any")
            ).send(.get, "\(connection.basePath)/")
            let end = options.clock.now
            guard case .success = answer.apiAnswer, answer.isOK else { throw Self.error(of: answer, connection) }
            let facts = ServerFacts(
                server: configuration.credentials?.instanceURL, answer: answer, sent: start, received: end)
            for finding in facts.findings { diagnosis.add(finding) }
            try await examineObjects(connection)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            noteFailure(connection.transport.secretMask?.masked(error) ?? error, of: nil, .server)
        }
    }

    /// Adds an error, after which the syncs of the connection are not examined if no sync could use it.
    private mutating func noteFailure(_ error: any Error, of connection: String?, _ subject: Diagnosis.Subject) {
        diagnosis.add(error, subject)
        guard let code = (error as? SoupError)?.code else { return }
        if [.network, .sessionExpired].contains(code) { unusable.insert(connection) }
    }

    /// Adds a finding for each connection that a sync uses: whether the server responds, and accepts the credentials.
    ///
    /// The request is for the base path, which need not exist.
    mutating func examineConnections(_ connections: Connections) async throws {
        let syncs = configuration[options.scope].syncs?.syncs ?? []
        let used = Set(syncs.compactMap { SyncTarget($0, registry: options.registry)?.connectionName })
        for name in used.sorted() {
            guard let connection = connections.named[name] else { continue }
            do {
                let context = SyncContext(
                    transport: connection.transport, basePath: connection.basePath, clock: options.clock, soup: "any")
                let status = try await context.send(.get, "\(connection.basePath)/").status
                if [401, 403, 407].contains(status) {
                    diagnosis.add(
                        .warning, .connection(name),
                        message: "the server responds to a request for its base path with HTTP \(status)",
                        hint: "If its syncs fail too, check \"auth\" of the connection in org.json.")
                } else {
                    diagnosis.add(.ok, .connection(name), message: "the server responds (HTTP \(status))")
                }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                noteFailure(connection.transport.secretMask?.masked(error) ?? error, of: name, .connection(name))
            }
        }
    }

    /// Returns whether a sync uses the session with the org: it names neither a connection nor the URL of a server.
    func usesOrg(_ definition: SyncDefinition) -> Bool {
        guard let target = SyncTarget(definition, registry: options.registry) else { return false }
        return target.connectionName == nil && definition.target.json["url"]?.stringValue == nil
    }

    private static func error(of answer: HTTPAnswer, _ connection: SyncConnection) -> SoupError {
        if let refusal = answer.apiAnswer.refusal {
            return SoupError(
                .server, "the server refused \(connection.basePath)/: \(refusal.code), \(refusal.message)",
                hint: answer.status == 404
                    ? "Check apiVersion in \(ConfigurationFolder.orgFile): the server may not have this version." : nil)
        }
        return SoupError(.server, answer.foreignDescription)
    }

    /// Adds the objects and fields that the server does not have, or that the user may not write.
    private mutating func examineObjects(_ connection: SyncConnection) async throws {
        let problems = try await configuration.serverProblems(
            of: [options.scope], registry: options.registry, transport: connection.transport, clock: options.clock)
        for problem in problems where problem.severity == .error { diagnosis.add(problem, .configuration) }
    }
}
