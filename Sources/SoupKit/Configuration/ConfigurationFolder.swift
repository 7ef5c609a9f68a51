// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupHTTP
public import SoupSalesforce
public import SoupCore
internal import SoupSync

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The files of a configuration folder, read and checked together; nothing is opened or created.
///
/// | file | content |
/// |---|---|
/// | `userstore.json`, `usersyncs.json` | the soups and the syncs of the user's store |
/// | `globalstore.json`, `globalsyncs.json` | the soups and the syncs of the store that all users share |
/// | `org.json` | the org (``SalesforceCredentials``), servers (``ServerConnection``), transport, credential store |
///
/// `org.json` can also name plug-ins for the command `soup` to load; apps ignore them.
public struct ConfigurationFolder: Sendable {
    /// The folder, as given.
    public let folder: URL
    /// The folder's path, as messages show it.
    package let path: String
    /// The content of `userstore.json` and `usersyncs.json`; without values if the folder does not have them.
    public let user: ScopeConfiguration
    /// The content of `globalstore.json` and `globalsyncs.json`; without values if the folder does not have them.
    public let global: ScopeConfiguration
    /// The server and its credentials; nil if neither `org.json` nor the environment defines them.
    public let credentials: SalesforceCredentials?
    /// The servers that `org.json` defines beside the org, by the names that targets use.
    public let connections: [String: ServerConnection]
    /// The transport that `org.json` chooses; nil for the standard one.
    public let transport: TransportReference?
    /// The credential store that `org.json` chooses; nil if it chooses none.
    public let credentialStoreReference: CredentialStoreReference?
    /// The way to find deletions that `org.json` chooses for all sync downs; nil if it chooses none.
    public let deletes: DeleteMode?
    /// The share of the API's requests of 24 hours that syncs may use, from 0 to 1, which `org.json` chooses; nil if it
    /// chooses none.
    public let requestLimit: Double?
    /// The problems of `org.json`.
    public let orgProblems: [ConfigurationProblem]
    /// Warns if users other than the owner can read `org.json` and it contains secrets.
    public let permissionProblems: [ConfigurationProblem]
    /// The problems of the folder itself.
    public let folderProblems: [ConfigurationProblem]

    /// The name of the file with the server and its secrets.
    public static let orgFile = "org.json"
    /// The environment variable whose URL overrides the server of `org.json`.
    public static let instanceVariable = "SOUP_INSTANCE_URL"
    /// The environment variable whose access token overrides the token of `org.json`.
    public static let tokenVariable = "SOUP_ACCESS_TOKEN"
    /// The environment variable whose user overrides the user of `org.json`.
    public static let usernameVariable = "SOUP_USERNAME"

    /// Reads all files of a folder and finds all their problems.
    ///
    /// - Parameters:
    ///   - folder: the file URL of the folder.
    ///   - registry: contains the targets, backends and transports that the files name.
    ///   - environment: `SOUP_INSTANCE_URL`, `SOUP_ACCESS_TOKEN` and `SOUP_USERNAME` in it override `org.json`. If the
    ///     URL names a different server from the file's, the file's secrets are ignored, except those that renew a
    ///     session at its `loginURL`.
    public init(
        reading folder: URL, registry: PluginRegistry = .standard,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        let files = ConfigurationFiles(folder.filePath)
        self.folder = folder
        path = files.folder
        var problems: [ConfigurationProblem] = []
        let org = OrgFile(files, environment: environment)
        user = ScopeConfiguration(.user, in: files, registry: registry, connections: org.connectionNames)
        global = ScopeConfiguration(.global, in: files, registry: registry, connections: org.connectionNames)
        credentials = org.credentials(problems: &problems)
        connections = org.connections(in: files.folder, environment: environment, problems: &problems)
        transport = OrgTransport.read(org.document, in: files.folder, registry: registry, problems: &problems)
        credentialStoreReference = OrgCredentialStore.read(
            org.document, in: files.folder, registry: registry, problems: &problems)
        let settings = OrgSyncSettings(org.document, problems: &problems)
        deletes = settings.deletes
        requestLimit = settings.requestLimitPercent?.share
        problems += OrgPlugins(org.document).problems.filter { !problems.contains($0) }
        orgProblems = problems
        permissionProblems = org.holdsSecrets ? Self.permissionProblems(of: files) : []
        folderProblems = Self.problems(of: files, user.files + global.files)
    }

    /// The files of one scope, whether the folder has them or not.
    public subscript(scope: StoreScope) -> ScopeConfiguration { scope == .user ? user : global }

    /// All problems, file by file.
    public var problems: [ConfigurationProblem] {
        folderProblems + user.problems + global.problems + orgProblems + permissionProblems
    }

    /// Returns settings with those of `org.json` in the place of missing ones.
    func settings(_ settings: SyncSettings) -> SyncSettings {
        var settings = settings
        settings.deletes = settings.deletes ?? deletes
        settings.requestLimit = settings.requestLimit ?? requestLimit
        return settings
    }

    /// The configuration files that the folder has, without `org.json`.
    public var files: [String] { user.files + global.files }

    /// Returns a warning if users other than the owner can read an `org.json` with secrets.
    private static func permissionProblems(of files: ConfigurationFiles) -> [ConfigurationProblem] {
        let file = files.path(ConfigurationFolder.orgFile)
        guard let mode = try? FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int,
            mode & 0o044 != 0
        else { return [] }
        return [
            ConfigurationProblem(
                .warning, at: SoupError.Place(file: ConfigurationFolder.orgFile),
                "other users of this computer can read the file, which contains secrets",
                hint: "Remove their permission with `chmod 600 \(file)`.")
        ]
    }

    private static func problems(of folder: ConfigurationFiles, _ files: [String]) -> [ConfigurationProblem] {
        let known = StoreScope.allCases.flatMap { [$0.storeFile, $0.syncsFile] }
        let place = SoupError.Place(file: folder.folder)
        if let parent = folder.parentOfFile {
            return [
                ConfigurationProblem(
                    at: place, "this is a file, not a folder", hint: "Use the folder that contains it: \(parent).")
            ]
        }
        if !folder.exists {
            return [
                ConfigurationProblem(
                    at: place, "the folder does not exist", hint: "Use the folder that contains \(known[0]).")
            ]
        }
        guard files.isEmpty else { return [] }
        if !folder.isReadable {
            return [
                ConfigurationProblem(
                    at: place, "the folder cannot be read",
                    hint: "Give the user of this process the right to read it.")
            ]
        }
        return [
            ConfigurationProblem(
                at: place, "the folder contains no configuration file",
                hint: "Add at least one of these files: \(known.joined(separator: ", ")).")
        ]
    }
}
