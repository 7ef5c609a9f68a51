// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSync
internal import SoupCore

/// The examination of one scope of a folder: each part adds its findings to the diagnosis.
struct Examination {
    let configuration: ConfigurationFolder
    let options: SoupClient.Options
    /// A function that gets each finding when it is found.
    let report: @Sendable (Diagnosis.Finding) -> Void
    var diagnosis = Diagnosis() {
        didSet { diagnosis.findings.dropFirst(oldValue.findings.count).forEach(report) }
    }
    /// Whether the store could not be opened, so that its local changes are unknown.
    var storeIsUnknown = false
    /// The errors of the connections that cannot be used, by their names; nil for the org.
    var unusable: [String?: SoupError] = [:]

    /// The connections of the syncs.
    typealias Connections = (standard: SyncConnection, named: [String: SyncConnection])

    /// Adds the problems of the files.
    ///
    /// - Parameter isLoggedIn: whether a session is saved that the files need not contain.
    mutating func examineFiles(isLoggedIn: Bool) {
        let scope = configuration[options.scope]
        var problems = configuration.folderProblems
        // With a store from the options, a folder without files is complete.
        if options.store != nil, configuration.files.isEmpty { problems = [] }
        problems += scope.problems + configuration.orgProblems + configuration.permissionProblems
        if isLoggedIn { problems.removeAll(where: ConfigurationFolder.isMissingLogin) }
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
            return try configuration.connections(options)
        } catch {
            diagnosis.add(error, .server)
            return nil
        }
    }
}
