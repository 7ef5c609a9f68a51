// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupMemory
internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SoupClient {
    /// Examines a configuration folder, its store, its server and its syncs, and reports the reasons why a sync would
    /// fail.
    ///
    /// No soup, sync or record is created or changed, here or on the server. Opening an existing store completes work
    /// that a crash interrupted, as always. The file of a `sqlite` store, or of the main store of a composed one, is
    /// not created if it does not exist.
    ///
    /// For each sync down, the first page is fetched and discarded. For a sync up, the local changes are decided as in
    /// a run, and its target is not asked to push. The org, and each connection that a sync uses, gets one request; if
    /// it cannot be reached, its syncs are not examined.
    ///
    /// - Parameters:
    ///   - options: as for ``open(at:options:)``.
    ///   - report: gets each finding as soon as it is found.
    /// - Throws: `CancellationError`. All other errors are findings.
    public static func diagnose(
        at folder: URL, options: Options = Options(),
        report: @escaping @Sendable (Diagnosis.Finding) -> Void = { _ in }
    ) async throws -> Diagnosis {
        let configuration = ConfigurationFolder(
            reading: folder, registry: options.registry, environment: options.environment)
        var examination = Examination(configuration: configuration, options: options, report: report)
        examination.examineFiles(isLoggedIn: await configuration.hasSavedSession(options))
        let opened = try await examination.openStore()
        let backend = opened ?? MemoryStore(clock: options.clock)
        do {
            if opened != nil { try await examination.examineStore(backend) }
            if let connections = examination.connections() {
                try await examination.examineServer(connections)
                try await examination.examineConnections(connections)
                try await examination.examineSyncs(connections, in: backend)
            }
        } catch {
            try? await backend.close()
            throw error
        }
        do {
            try await backend.close()
        } catch {
            examination.diagnosis.add(error, .store)
        }
        return examination.diagnosis
    }
}
