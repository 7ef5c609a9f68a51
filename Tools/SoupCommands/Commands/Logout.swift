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
            those that belong to no user in particular, also if no user is logged in, and those of the user who is \
            logged in. With --all, these are the stores of all users, also of those who are not logged in. The global \
            store stays.

            The sessions of connections end too: those of the user, and without --user those that all users share.

            If changes were not sent, nothing is removed, unless you agree on a terminal, or give --discard. The session is \
            also removed if the server cannot be asked to end the tokens; the command then exits 1. Tokens in org.json stay.

            With --json prints {"event":"removed","file"} for each store and {"event":"logout","account","revoked"} for each \
            session.
            """)

    @Option(
        name: .long, help: ArgumentHelp("Log out of a connection of org.json; no store is removed.", valueName: "name"))
    var connection: String?

    @Flag(name: .long, help: "Log out all users who have a session or stores.")
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
            guard let end = try await target.connection(connection).logout() else { throw nothing(target) }
            return try report([end], console)
        }
        // Without --user, commands use the stores that belong to no user in particular. They are the first: their
        // removal also ends a session that is clear. With --all they are the last, when all sessions have ended: one
        // that cannot be read would be an error.
        var chosen: [StoreUser?] = try await users(target)
        if options.user == nil { chosen.insert(nil, at: all ? chosen.endIndex : 0) }
        var ends: [SessionEnd] = []
        var removesStores = false
        if keepData {
            for user in chosen {
                if all, user == nil { ends += try await endOthers(target) }
                ends += try await SessionRemoval(target.configuration, clientOptions(of: user)).end()
            }
        } else {
            let changes = try await unsentChanges(of: chosen)
            if !changes.isEmpty { try confirm(changes, console) }
            for user in chosen {
                if all, user == nil { ends += try await endOthers(target) }
                let removal = try await SoupClient.destroy(
                    at: options.folder, options: clientOptions(of: user),
                    discardingUnsentChanges: discard || !changes.isEmpty)
                report(removal, console)
                ends += removal.sessions
                if !removal.stores.isEmpty { removesStores = true }
            }
        }
        if ends.isEmpty, !removesStores {
            // For a script, a repeated logout of all users, or of a user without a session, is no error.
            guard all || (options.user != nil && !keepData) else { throw nothing(target) }
            console.print("There was nothing to remove: no session, and no store.")
        }
        try report(ends, console)
    }

    /// Prints the removed stores, and those that were not removed.
    private func report(_ removal: UserRemoval, _ console: Console) {
        for store in removal.stores {
            console.event(["event": "removed", "file": .string(store.path)])
            console.print("Removed \(store.path).")
        }
        for kept in removal.kept { console.note("a store was not removed: \(kept)", hint: "Remove its content.") }
    }

    private func clientOptions(of user: StoreUser?) -> SoupClient.Options {
        var clientOptions = options.clientOptions
        clientOptions.user = user
        return clientOptions
    }

    // MARK: Sessions

    /// Returns the users to log out, in ascending order; none if no user is logged in.
    ///
    /// - Throws: ``SoupError`` if several are logged in and none was chosen.
    private func users(_ target: LoginTarget) async throws -> [StoreUser] {
        if all {
            let owners = try await target.store.accounts().compactMap { account -> StoreUser? in
                if case .connection(_, let owner?) = account { return StoreUser(folderName: owner) }
                return StoreUser(account)
            }
            return Set(owners + (try options.stores.users())).sorted()
        }
        if let user = options.storeUser { return [user] }
        guard target.configuration.credentials != nil else { return [] }
        let users = try await target.org(url: nil, clientId: nil).login.users()
        guard users.count < 2 else {
            let names = users.map { ($0.session.username ?? "\($0.account)").onOneLine }.joined(separator: ", ")
            throw SoupError(
                .badConfiguration, "several users are logged in: \(names)",
                hint: "Choose one with --user, or use --all.")
        }
        return users.compactMap { StoreUser($0.account) }
    }

    /// Ends the sessions that are left when those of the users have ended, such as those of connections that all users
    /// share.
    private func endOthers(_ target: LoginTarget) async throws -> [SessionEnd] {
        let removal = SessionRemoval(target.configuration, clientOptions(of: nil))
        var ends: [SessionEnd] = []
        for account in try await target.store.accounts() {
            if let end = try await removal.end(account, in: target.store) { ends.append(end) }
        }
        return ends
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

    /// The error if there is nothing that the command can end or remove.
    private func nothing(_ target: LoginTarget) -> SoupError {
        let hint = "List the sessions with `soup sessions`."
        guard options.user == nil, connection == nil else {
            return SoupError(.sessionExpired, "there is no such session", hint: hint)
        }
        let reason = target.configuration.credentials == nil ? "org.json names no server" : "no user is logged in"
        return SoupError(
            .sessionExpired,
            keepData ? "there is no session: \(reason)" : "there is no session and no store to remove: \(reason)",
            hint: "\(hint) Choose one with --user or --connection, or use --all.")
    }

    // MARK: Changes that were not sent

    /// Returns the stores with changes that were not sent, each with its user.
    private func unsentChanges(of users: [StoreUser?]) async throws -> [String] {
        var changes: [String] = []
        for user in users where !discard {
            let found = try await SoupClient.unsentChanges(at: options.folder, options: clientOptions(of: user))
            changes += found.map { (user.map { "\($0.argument): " } ?? "") + $0.description }
        }
        return changes
    }

    /// Asks whether changes may be lost, if a user can answer.
    private func confirm(_ changes: [String], _ console: Console) throws {
        let list = changes.joined(separator: "; ")
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
