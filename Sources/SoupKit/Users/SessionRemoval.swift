// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupHTTP
internal import SoupSalesforce
package import SoupCore

/// The end of the sessions that the requests of a client use, if a login saved them.
package struct SessionRemoval: Sendable {
    private let configuration: ConfigurationFolder
    private let options: SoupClient.Options

    /// - Parameter options: `user`, `registry`, `transport`, `network`, `credentialStore` and `clock` are used.
    package init(_ configuration: ConfigurationFolder, _ options: SoupClient.Options) {
        self.configuration = configuration
        self.options = options
    }

    /// Ends the tokens at their servers, and removes the sessions.
    ///
    /// With a user these are the sessions of this user, at the org and at all connections. Without a user they are the
    /// session at the org, if it is clear whose it is, and those of the connections of `org.json` that users log in to.
    /// A session is removed even if its server cannot be reached, or is not in `org.json` any more.
    ///
    /// - Returns: the sessions that existed.
    /// - Throws: ``SoupError`` with `credentialsUnusable`; ``ConfigurationError`` for a store or a transport that
    ///   cannot be created; `CancellationError`.
    package func end() async throws -> [SessionEnd] {
        guard let store = try configuration.sessionStore(options) else { return [] }
        let org = try await account(in: store)
        let connections = try await store.accounts().filter(isOfConnection)
        var ends: [SessionEnd] = []
        for account in (org.map { [$0] } ?? []) + connections {
            if let end = try await end(account, in: store) { ends.append(end) }
        }
        return ends
    }

    /// Ends the tokens of one session at the server that issued it, and removes the session.
    ///
    /// - Returns: nil if there was no session.
    /// - Throws: as ``end()``.
    package func end(_ account: SessionAccount, in store: any CredentialStore) async throws -> SessionEnd? {
        let network = try options.network ?? configuration.makeTransport(options.registry)
        let problem: String
        if case .connection(let name, let owner) = account {
            if case .oauth(let grant)? = configuration.connections[name]?.auth {
                return try await ConnectionLogin(
                    of: name, owner: owner, grant, keepingIn: store, over: network, clock: options.clock
                ).logout()
            }
            problem = "org.json defines no connection \"\(name.excerpt(100))\" that users log in to"
        } else if let credentials = configuration.credentials {
            return try await OrgLogin(credentials, keepingIn: store, over: network, clock: options.clock)
                .logout(account)
        } else {
            problem = "org.json names no server"
        }
        let existed = try await store.exclusively(for: account) { try await store.removeSession(of: account) }
        guard existed else { return nil }
        let error = SoupError(
            .badConfiguration, problem, hint: "End the session in the settings of the server.")
        return SessionEnd(account: account, revocationError: error)
    }

    /// Returns the account of the session at the org; with a user, it need not have a session.
    private func account(in store: any CredentialStore) async throws -> SessionAccount? {
        if let user = options.user { return user.account }
        guard options.transport == nil, let credentials = configuration.credentials, credentials.refreshToken == nil,
            credentials.accessToken == nil, credentials.password == nil
        else { return nil }
        let found = try await OrgSessions(in: store).sessions(of: credentials)
        return found.count == 1 ? found.first?.account : nil
    }

    /// Returns whether an account is that of a connection, and of the user of the options.
    private func isOfConnection(_ account: SessionAccount) -> Bool {
        guard case .connection(let name, let owner) = account, owner == options.user?.folderName else { return false }
        // The session of a connection that all users share belongs to those whose org.json defines the connection.
        return owner != nil || configuration.connections[name]?.needsLogin == true
    }
}
