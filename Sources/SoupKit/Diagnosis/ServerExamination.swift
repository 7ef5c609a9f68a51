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
    /// Without an org there are none: the syncs that need one have an error.
    mutating func examineServer(_ connections: Connections) async throws {
        guard configuration.credentials != nil || options.transport != nil else { return }
        let connection = connections.standard
        do {
            let start = options.clock.now
            let answer = try await SalesforceClient(
                SyncContext(
                    transport: connection.transport, basePath: connection.basePath, clock: options.clock, soup: "any")
            ).send(.get, "\(connection.basePath)/")
            let end = options.clock.now
            guard case .success = answer.apiAnswer, answer.isOK else { throw Self.error(of: answer, connection) }
            diagnosis.findings +=
                ServerFacts(
                    server: configuration.credentials?.instanceURL, answer: answer, sent: start, received: end
                ).findings
            try await examineObjects(connection)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            diagnosis.add(connection.transport.secretMask?.masked(error) ?? error, .server)
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
            of: [options.scope], registry: options.registry, transport: connection.transport, clock: options.clock)
        for problem in problems where problem.severity == .error { diagnosis.add(problem, .configuration) }
    }
}
