// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialStores
internal import Logging
internal import SoupHTTP
internal import SoupSalesforce
public import SoupCore

extension ConfigurationFolder {
    /// Creates the credential store that `org.json` names; nil if it names none.
    ///
    /// - Throws: ``ConfigurationError`` if the registry cannot create it.
    public func credentialStore(registry: PluginRegistry = .standard) throws -> (any CredentialStore)? {
        guard let reference = credentialStoreReference else { return nil }
        var problems: [ConfigurationProblem] = []
        let made = registry.credentialStore(
            reference, at: [.key(OrgCredentialStore.key)], in: path, problems: &problems)
        guard let made else { throw ConfigurationError(problems) }
        return made
    }

    /// The credential store of the command line if `org.json` names none: files in the folder `credentials` of the
    /// configuration folder, which is created when a session is saved.
    public var standardCredentialStore: any CredentialStore {
        let name = FileCredentialStore.Configuration.defaultPath
        return FileCredentialStore(
            configuration: .init(path: path.hasSuffix("/") ? path + name : "\(path)/\(name)"))
    }

    /// Returns the store of the sessions: that of `org.json`, or the one of the options.
    ///
    /// - Throws: ``ConfigurationError`` if the registry cannot create it.
    func sessionStore(_ options: SoupClient.Options) throws -> (any CredentialStore)? {
        try credentialStore(registry: options.registry) ?? options.credentialStore?(self)
    }

    /// Returns the function that receives errors of the store for a session that can be used without it.
    ///
    /// It writes a warning to the log. Nil if the configuration names a store, which is then required.
    func storeReport(_ logger: Logger) -> (@Sendable (SoupError) -> Void)? {
        guard credentialStoreReference == nil else { return nil }
        return { logger.warning("the store of the sessions cannot be used: \($0)") }
    }

    /// Whether a warning about a missing login does not apply, because a user has logged in.
    package func hasSavedSession(_ options: SoupClient.Options) async -> Bool {
        guard let credentials, !credentials.canLogIn, let store = try? sessionStore(options),
            let found = try? await OrgSessions(in: store, of: options.user?.account).sessions(of: credentials)
        else { return false }
        return !found.isEmpty
    }

    /// Whether a problem is the warning about a missing login.
    package static func isMissingLogin(_ problem: ConfigurationProblem) -> Bool {
        problem.severity == .warning && problem.message.hasPrefix(OrgFile.missingLogin)
    }
}
