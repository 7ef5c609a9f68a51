// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSync
internal import SoupMemory
internal import SoupStore
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
    /// a run, but not sent. The org, and each connection that a sync uses, gets one request; if it cannot be reached,
    /// its syncs are not examined.
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
        examination.examineFiles()
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

/// The examination of one scope of a folder: each part adds its findings to the diagnosis.
struct Examination {
    let configuration: ConfigurationFolder
    let options: SoupClient.Options
    var diagnosis: Diagnosis
    /// Whether the store could not be opened, so that its local changes are unknown.
    var storeIsUnknown = false
    /// The errors of the connections that cannot be used, by their names; nil for the org.
    var unusable: [String?: SoupError] = [:]

    init(
        configuration: ConfigurationFolder, options: SoupClient.Options,
        report: @escaping @Sendable (Diagnosis.Finding) -> Void
    ) {
        self.configuration = configuration
        self.options = options
        diagnosis = Diagnosis(report: report)
    }

    /// The connections of the syncs.
    struct Connections {
        let standard: SyncConnection
        let named: [String: SyncConnection]
    }

    /// Adds the problems of the files.
    mutating func examineFiles() {
        let scope = configuration[options.scope]
        var problems = configuration.folderProblems
        // With a store from the options, a folder without files is complete.
        if options.store != nil, configuration.files.isEmpty { problems = [] }
        problems += scope.problems + configuration.orgProblems + configuration.permissionProblems
        for problem in problems { diagnosis.add(problem, .configuration) }
        guard problems.allSatisfy({ $0.severity == .warning }) else { return }
        let hasOrgFile = ConfigurationFiles(configuration.path).has(ConfigurationFolder.orgFile)
        let files = scope.files + (hasOrgFile ? [ConfigurationFolder.orgFile] : [])
        diagnosis.add(
            .ok, .configuration, message: files.isEmpty ? "no files" : "read \(files.joined(separator: ", "))")
    }

    /// Creates the connections; nil if the transport of `org.json` cannot be created.
    mutating func connections() -> Connections? {
        do {
            let standard = try configuration.connection(
                over: options.transport, network: options.network, registry: options.registry, clock: options.clock,
                renewed: options.renewed)
            return Connections(standard: standard, named: try configuration.namedConnections(options))
        } catch {
            diagnosis.add(error, .server)
            return nil
        }
    }
}
