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
    /// Without an org there are none, unless a sync certainly uses one.
    mutating func examineServer(_ connections: Connections) async throws {
        guard configuration.credentials != nil || options.transport != nil else {
            let syncs = configuration[options.scope].syncs?.syncs ?? []
            guard let name = syncs.first(where: usesOrg)?.name else { return }
            let error = NoServer.error
            unusable[nil] = error
            return diagnosis.add(
                .failure, .server, message: "\(error.message), and the sync \(name) needs one", hint: error.hint)
        }
        let connection = connections.standard
        do {
            let start = options.clock.now
            let answer = try await answer(of: connection)
            let end = options.clock.now
            guard case .success = answer.apiAnswer, answer.isOK else { throw Self.error(of: answer, connection) }
            var facts = ServerFacts(
                server: configuration.credentials?.instanceURL, answer: answer, sent: start, received: end)
            if let limit = configuration.requestLimit { facts.limit = limit }
            diagnosis.findings += facts.findings
            try await examineObjects(connection)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            noteFailure(connection.transport.secretMask?.masked(error) ?? error, of: nil, .server)
        }
    }

    /// Returns the response to a request for the base path.
    private func answer(of connection: SyncConnection) async throws -> HTTPAnswer {
        let context = SyncContext(
            transport: connection.transport, basePath: connection.basePath, clock: options.clock, soup: "any")
        return try await context.send(.get, "\(connection.basePath)/")
    }

    /// Returns whether a sync certainly uses the session with the org.
    ///
    /// The targets of SoupKit do, unless they name a connection or the URL of a server. Others can read files.
    func usesOrg(_ definition: SyncDefinition) -> Bool {
        let target = SyncTarget(definition, registry: .standard)
        return target != nil && target?.connectionName == nil && definition.target.json["url"]?.stringValue == nil
    }

    /// Adds an error of a connection; if no request can succeed, its syncs are not examined.
    private mutating func noteFailure(_ error: any Error, of connection: String?, _ subject: Diagnosis.Subject) {
        diagnosis.add(error, subject)
        guard let error = error as? SoupError, [.network, .sessionExpired].contains(error.code) else { return }
        unusable[connection] = error
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
                let status = try await answer(of: connection).status
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
            of: [options.scope], registry: options.registry, connection: connection, clock: options.clock)
        for problem in problems where problem.severity == .error { diagnosis.add(problem, .configuration) }
    }
}
