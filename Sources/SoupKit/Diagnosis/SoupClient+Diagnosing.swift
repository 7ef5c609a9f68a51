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
    /// that a crash interrupted, as always; a missing store is not created. For each sync down, the first page is
    /// fetched and discarded; for a sync up, the local changes are decided as in a run, but not sent. Requests for
    /// objects, the session and the quota are sent once.
    ///
    /// - Parameter options: as for ``open(at:options:)``.
    /// - Throws: `CancellationError`. All other errors are findings.
    public static func diagnose(at folder: URL, options: Options = Options()) async throws -> Diagnosis {
        let configuration = ConfigurationFolder(
            reading: folder, registry: options.registry, environment: options.environment)
        var examination = Examination(configuration: configuration, options: options)
        examination.examineFiles()
        let backend = try await examination.openStore()
        do {
            try await examination.examineStore(backend)
            if let connections = examination.connections() {
                try await examination.examineServer(connections)
                try await examination.examineSyncs(connections, in: backend)
            }
            try await backend.close()
        } catch {
            try? await backend.close()
            throw error
        }
        return examination.diagnosis
    }
}

/// The examination of one scope of a folder: each part adds its findings to the diagnosis.
struct Examination {
    let configuration: ConfigurationFolder
    let options: SoupClient.Options
    var diagnosis = Diagnosis()

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
