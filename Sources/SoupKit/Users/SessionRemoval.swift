// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupHTTP
internal import SoupSalesforce
internal import SoupCore

/// The end of the sessions that the requests of a client use, if a login saved them.
struct SessionRemoval {
    private let configuration: ConfigurationFolder
    private let options: SoupClient.Options

    init(_ configuration: ConfigurationFolder, _ options: SoupClient.Options) {
        self.configuration = configuration
        self.options = options
    }

    /// Ends the tokens at their servers, and removes the sessions.
    ///
    /// A session is removed even if its server cannot be reached. Without a user in the options, only the session of
    /// the org is removed, and only if it is clear whose it is.
    ///
    /// - Returns: the sessions that existed.
    /// - Throws: ``SoupError`` with `credentialsUnusable`; ``ConfigurationError`` for a store or a transport that
    ///   cannot be created; `CancellationError`.
    func end() async throws -> [SessionEnd] {
        guard options.transport == nil || options.user != nil,
            let store = try configuration.sessionStore(options)
        else { return [] }
        let network = try options.network ?? configuration.makeTransport(options.registry)
        var ends: [SessionEnd] = []
        if let account = try await account(in: store) {
            if let credentials = configuration.credentials {
                let login = OrgLogin(credentials, keepingIn: store, over: network, clock: options.clock)
                if let end = try await login.logout(account) { ends.append(end) }
            } else if try await store.removeSession(of: account) {
                let error = SoupError(
                    .badConfiguration, "org.json names no server",
                    hint: "End the session in the settings of the server.")
                ends.append(SessionEnd(account: account, revocationError: error))
            }
        }
        guard let owner = options.user?.folderName else { return ends }
        for (name, connection) in configuration.connections.sorted(by: { $0.key < $1.key }) {
            guard connection.needsLogin, case .oauth(let grant)? = connection.auth else { continue }
            let login = ConnectionLogin(
                of: name, owner: owner, grant, keepingIn: store, over: network, clock: options.clock)
            if let end = try await login.logout() { ends.append(end) }
        }
        return ends
    }

    private func account(in store: any CredentialStore) async throws -> SessionAccount? {
        if let user = options.user { return user.account }
        guard let credentials = configuration.credentials, credentials.refreshToken == nil,
            credentials.accessToken == nil, credentials.password == nil
        else { return nil }
        let found = try await OrgSessions(in: store).sessions(of: credentials)
        return found.count == 1 ? found.first?.account : nil
    }
}
