// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// The command `soup logout`.
struct Logout: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Log out: remove the user's stores and session, and end the tokens at the server.",
        discussion: """
            Removes the stores that the commands use with the same options, with their keys and key-value stores, and then \
            the session. With --user, these are the stores of this user, also if the user is not logged in; without it, \
            those that belong to no user in particular, and those of the user who is logged in. The global store stays.

            If changes were not sent, nothing is removed, unless you agree on a terminal, or give --discard. The session is \
            also removed if the server cannot be asked to end the tokens; the command then exits 1. Tokens in org.json stay.

            With --json prints {"event":"removed","file"} for each store and {"event":"logout","account","revoked"} for each \
            session.
            """)

    @Option(
        name: .long, help: ArgumentHelp("Log out of a connection of org.json; no store is removed.", valueName: "name"))
    var connection: String?

    @Flag(name: .long, help: "Log out all users of the credential store.")
    var all = false

    @Flag(name: .long, help: "Remove the stores even if changes were not sent, which are lost.")
    var discard = false

    @Flag(name: .long, help: "Keep the stores on this machine.")
    var keepData = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard [options.user != nil && connection == nil, connection != nil, all].count(where: { $0 }) < 2 else {
            throw ValidationError("Give only one of --user, --connection and --all.")
        }
        guard !(discard && keepData) else { throw ValidationError("Give only one of --discard and --keep-data.") }
        if options.global { throw ValidationError("Omit --global: the global store belongs to all users.") }
    }

    func perform(_ console: Console) async throws {
        let target = try LoginTarget(options)
        if let connection {
            guard let end = try await target.connection(connection).logout() else { throw Self.noSession }
            return try report([end], console)
        }
        let users = try await users(target)
        if keepData {
            var ends: [SessionEnd] = []
            for account in users.map(\.account) + (all ? try await others(target) : []) {
                if let end = try await end(account, target) { ends.append(end) }
            }
            if ends.isEmpty { throw Self.noSession }
            return try report(ends, console)
        }
        // Without --user, commands use the stores that belong to no user in particular.
        let removed = (options.user == nil ? [nil] : []) + users.map(Optional.some)
        let changes = try await unsentChanges(of: removed)
        if !changes.isEmpty { try confirm(changes, console) }
        let discards = discard || !changes.isEmpty
        var ends: [SessionEnd] = []
        // The stores without a user are the first: their removal also ends a session that is clear.
        for user in removed {
            let removal = try await SoupClient.destroy(
                at: options.folder, options: clientOptions(of: user), discardingUnsentChanges: discards)
            for store in removal.stores {
                console.event(["event": "removed", "file": .string(store.path)])
                console.print("Removed \(store.path).")
            }
            for kept in removal.kept { console.note("a store was not removed: \(kept)", hint: "Remove its content.") }
            ends += removal.sessions
        }
        if all {
            for account in try await others(target) {
                if let end = try await end(account, target) { ends.append(end) }
            }
        }
        try report(ends, console)
    }

    private func clientOptions(of user: StoreUser?) -> SoupClient.Options {
        var clientOptions = options.clientOptions
        clientOptions.user = user
        return clientOptions
    }

    // MARK: Sessions

    /// Returns the users to log out.
    ///
    /// - Throws: ``SoupError`` if none is logged in, or if several are and none was chosen.
    private func users(_ target: LoginTarget) async throws -> [StoreUser] {
        if all { return try await target.store.accounts().compactMap { StoreUser($0) } }
        if let user = options.storeUser { return [user] }
        let users = try await target.org(url: nil, clientId: nil).login.users()
        guard users.count < 2 else {
            let names = users.map { $0.session.username ?? "\($0.account)" }.joined(separator: ", ")
            throw SoupError(
                .badConfiguration, "several users are logged in: \(names)",
                hint: "Choose one with --user, or use --all.")
        }
        guard let user = users.first.flatMap({ StoreUser($0.account) }) else { throw Self.noSession }
        return [user]
    }

    /// Returns the accounts that are no users, such as connections.
    private func others(_ target: LoginTarget) async throws -> [SessionAccount] {
        try await target.store.accounts().filter { StoreUser($0) == nil }
    }

    private func end(_ account: SessionAccount, _ target: LoginTarget) async throws -> SessionEnd? {
        if case .connection(let name) = account, let login = try? target.connection(name) {
            return try await login.logout()
        }
        return try await target.org(url: nil, clientId: nil).login.logout(account)
    }

    private func report(_ ends: [SessionEnd], _ console: Console) throws {
        for end in ends {
            console.event([
                "event": "logout", "account": .string(end.account.key), "revoked": .bool(end.revocationError == nil),
            ])
            console.print("Logged out: \(end.account)")
            guard let error = end.revocationError else { continue }
            console.report(
                SoupError(
                    error.code, "the session is removed, but its tokens may still be valid: \(error.message)",
                    hint: error.hint ?? "End the session in the settings of the server."))
        }
        if ends.contains(where: { $0.revocationError != nil }) { throw ExitCode(1) }
    }

    private static var noSession: SoupError {
        SoupError(.sessionExpired, "there is no such session", hint: "List the sessions with `soup sessions`.")
    }

    // MARK: Changes that were not sent

    private func unsentChanges(of users: [StoreUser?]) async throws -> [StoreChanges] {
        var changes: [StoreChanges] = []
        for user in users where !discard {
            changes += try await SoupClient.unsentChanges(at: options.folder, options: clientOptions(of: user))
        }
        return changes
    }

    /// Asks whether changes may be lost, if a user can answer.
    private func confirm(_ changes: [StoreChanges], _ console: Console) throws {
        let list = changes.map(\.description).joined(separator: "; ")
        guard console.canAsk else {
            throw SoupError(
                .localChanges, "changes that were not sent would be lost: \(list)",
                hint: "Run a sync up first, or add --discard to lose them, or --keep-data.")
        }
        guard console.ask("Changes that were not sent would be lost: \(list). Remove them?") else {
            throw SoupError(.localChanges, "nothing was removed", hint: "Run a sync up first, or add --keep-data.")
        }
    }
}

#endif
