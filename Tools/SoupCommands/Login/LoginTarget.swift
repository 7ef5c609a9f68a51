// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit

/// The server of a login or a logout: the org of a folder, or one of its connections.
struct LoginTarget {
    let configuration: ConfigurationFolder
    let store: any CredentialStore
    let network: any HTTPTransport
    /// The user whose sessions of connections are meant; nil for sessions of all users.
    private let owner: String?

    /// Reads the folder.
    ///
    /// - Throws: ``ConfigurationError`` if `org.json` contains an error.
    init(_ options: GlobalOptions) throws {
        configuration = ConfigurationFolder(reading: options.folder, registry: ToolPlugins.registry)
        let errors = configuration.orgProblems.filter { $0.severity == .error }
        guard errors.isEmpty else { throw ConfigurationError(errors) }
        store =
            try configuration.credentialStore(registry: ToolPlugins.registry)
            ?? configuration.standardCredentialStore
        network = try configuration.makeTransport(ToolPlugins.registry)
        owner = options.storeUser?.folderName
    }

    /// Checks, before a user logs in, that the credential store can be read and keeps sessions.
    ///
    /// - Throws: ``SoupError`` with `credentialsUnusable`.
    func requireStore() async throws {
        guard !(store is MemoryCredentialStore) else {
            throw SoupError(
                .credentialsUnusable,
                "the credential store \"memory\" keeps sessions only until this command ends",
                place: SoupError.Place(file: ConfigurationFolder.orgFile, path: "credentials"),
                hint: "Set \"credentials\" to another store, such as \"file\", or remove it.")
        }
        _ = try await store.accounts()
    }

    /// Returns the login of a connection.
    ///
    /// - Throws: ``SoupError`` if `org.json` has no such connection, or if its users do not log in.
    func connection(_ name: String) throws -> ConnectionLogin {
        guard let connection = configuration.connections[name] else {
            throw SoupError(
                .connectionNotDefined, "org.json defines no connection \"\(name)\"",
                hint: NameDistance.hint(for: name, among: configuration.connections.keys.sorted()))
        }
        guard case .oauth(let grant)? = connection.auth, grant.needsLogin else {
            throw SoupError(
                .badConfiguration, "users do not log in to the connection \"\(name)\"",
                hint:
                    "Add \"authorizationURL\" or \"deviceURL\" to its \"auth\" of the type \"oauth\", without a refreshToken."
            )
        }
        return ConnectionLogin(of: name, owner: owner, grant, keepingIn: store, over: network)
    }

    /// Returns the login of the org, at a server and for a client that can differ from those of `org.json`.
    ///
    /// - Throws: ``SoupError`` if no server is known, or if `org.json` names another one.
    func org(url: String?, clientId: String?) throws -> (login: OrgLogin, credentials: SalesforceCredentials) {
        guard var credentials = try configuration.credentials ?? url.map(Self.credentials) else {
            throw SoupError(
                .badConfiguration, "there is no server to log in to",
                hint: "Give its URL with --url, or add instanceUrl or loginUrl to org.json.")
        }
        if let url {
            let server = try SalesforceCredentials.server(of: Self.credentials(url).instanceURL)
            let named = [credentials.instanceURL, credentials.loginURL].compactMap { $0 }
            guard named.contains(where: { SalesforceCredentials.server(of: $0) == server }) else {
                throw SoupError(
                    .badConfiguration, "org.json names another server: \(named.joined(separator: ", "))",
                    hint: "Leave out --url, or use another folder with --config.")
            }
        }
        if let clientId { credentials.clientId = clientId }
        return (OrgLogin(credentials, keepingIn: store, over: network), credentials)
    }

    private static func credentials(_ url: String) throws -> SalesforceCredentials {
        guard SalesforceCredentials.server(of: url) != nil else {
            throw SoupError(
                .badConfiguration, "--url is not an http or https URL",
                hint: "Use a URL such as https://example.my.salesforce.com.")
        }
        return SalesforceCredentials(instanceURL: url, loginURL: url)
    }

    /// Creates `org.json` with the server and the client of a login if there is none; it contains no secret.
    ///
    /// - Returns: whether it was created.
    func addOrgFile(_ credentials: SalesforceCredentials) throws -> Bool {
        let file = configuration.folder.appending(path: ConfigurationFolder.orgFile)
        guard !FileManager.default.fileExists(atPath: file.path) else { return false }
        var json: JSONObject = ["loginUrl": .string(credentials.loginURL ?? credentials.instanceURL)]
        json["clientId"] = credentials.clientId.map { .string($0) }
        try Data(JSONText(.object(json)).bytes + [UInt8(ascii: "\n")]).write(to: file, options: .withoutOverwriting)
        return true
    }
}

#endif
