// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The store configuration and the syncs of one scope.
public struct ScopeConfiguration: Sendable {
    /// The scope, which determines the names of the two files.
    public let scope: StoreScope
    /// The store configuration; nil if the folder has no such file, or if the file cannot be read.
    public let store: StoreConfig?
    /// The syncs; nil if the folder has no such file.
    public let syncs: SyncsConfig?
    /// The problems of the store configuration, in the order of its text.
    public let storeProblems: [ConfigurationProblem]
    /// The problems of the syncs, in the order of their text.
    public let syncsProblems: [ConfigurationProblem]
    /// The files that the folder has.
    public let files: [String]

    /// All problems of the two files.
    public var problems: [ConfigurationProblem] { storeProblems + syncsProblems }

    /// Reads the two files of a scope; a missing file alone is not a problem.
    ///
    /// - Parameter connections: the names of the connections; nil if they are unknown.
    init(
        _ scope: StoreScope, in folder: ConfigurationFiles, registry: PluginRegistry, connections: Set<String>?
    ) {
        self.scope = scope
        var files: [String] = []
        var soups = SyncsConfig.Soups.inCode(missing: scope.storeFile)
        switch folder.read(scope.storeFile) {
        case .absent: (store, storeProblems) = (nil, [])
        case .unreadable(let problem):
            files.append(scope.storeFile)
            (store, storeProblems) = (nil, [problem])
            soups = .unknown
        case .present(let bytes):
            files.append(scope.storeFile)
            (store, storeProblems) = StoreConfig.read(bytes, file: scope.storeFile, registry: registry)
            soups = store.map { .registered($0) } ?? .unknown
        }
        switch folder.read(scope.syncsFile) {
        case .absent: (syncs, syncsProblems) = (nil, [])
        case .unreadable(let problem):
            files.append(scope.syncsFile)
            (syncs, syncsProblems) = (nil, [problem])
        case .present(let bytes):
            files.append(scope.syncsFile)
            (syncs, syncsProblems) = SyncsConfig.read(
                bytes, file: scope.syncsFile, registry: registry, soups: soups, connections: connections)
        }
        self.files = files
    }
}
