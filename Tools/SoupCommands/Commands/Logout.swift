// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup logout`.
struct Logout: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove a kept session, and end its tokens at the server.",
        discussion: """
            Removes the session of the user who is logged in to the org. The stores of this machine keep all records and \
            local changes. The session is also removed if the server cannot be asked to end the tokens; the command then \
            exits 1.

            With --json prints {"event":"logout","account","revoked"} for each session.
            """)

    @Option(name: .long, help: ArgumentHelp("The user, if several are logged in.", valueName: "name"))
    var user: String?

    @Option(name: .long, help: ArgumentHelp("Log out of a connection of org.json.", valueName: "name"))
    var connection: String?

    @Flag(name: .long, help: "Remove all sessions of the credential store.")
    var all = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard [user != nil, connection != nil, all].count(where: { $0 }) < 2 else {
            throw ValidationError("Give only one of --user, --connection and --all.")
        }
    }

    func perform(_ console: Console) async throws {
        let target = try LoginTarget(options)
        var isComplete = true
        for account in try await accounts(target) {
            let end =
                if case .connection(let name) = account, let login = try? target.connection(name) {
                    try await login.logout()
                } else {
                    try await target.org(url: nil, clientId: nil).login.logout(account)
                }
            guard let end else { continue }
            console.event([
                "event": "logout", "account": .string(account.key), "revoked": .bool(end.revocationError == nil),
            ])
            console.print("Logged out: \(account)")
            guard let error = end.revocationError else { continue }
            isComplete = false
            console.report(
                SoupError(
                    error.code, "the session is removed, but its tokens may still be valid: \(error.message)",
                    hint: error.hint ?? "End the session in the settings of the server."))
        }
        if !isComplete { throw ExitCode(1) }
    }

    /// Returns the accounts to log out.
    ///
    /// - Throws: ``SoupError`` if there is none, or if several users are logged in.
    private func accounts(_ target: LoginTarget) async throws -> [SessionAccount] {
        if all { return try await target.store.accounts() }
        if let connection {
            let account = try target.connection(connection).account
            guard try await target.store.accounts().contains(account) else { throw Self.noSession }
            return [account]
        }
        let users = try await target.org(url: nil, clientId: nil).login.users().filter { found in
            user == nil || found.session.username?.lowercased() == user?.lowercased()
        }
        guard let first = users.first else { throw Self.noSession }
        guard users.count == 1 else {
            let names = users.map { $0.session.username ?? "\($0.account)" }.joined(separator: ", ")
            throw SoupError(
                .badConfiguration, "several users are logged in: \(names)",
                hint: "Choose one with --user, or use --all.")
        }
        return [first.account]
    }

    private static var noSession: SoupError {
        SoupError(.sessionExpired, "there is no such session", hint: "List the sessions with `soup sessions`.")
    }
}

#endif
