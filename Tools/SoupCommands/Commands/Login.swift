// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// The command `soup login`.
struct Login: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Log in as a user, and keep the session for the other commands.",
        discussion: """
            Prints the URL of the server's login page, and opens it in a browser if standard output is a terminal. The \
            server sends the browser back to a port of this machine, where the command waits for the request of this \
            login. With --device, the page is opened on any other device, where the user enters a code.

            With --user, only this user can log in: the login page shows the name, and if another user logs in, the \
            session is ended and not kept. With the IDs ORG/USER, the page shows no name. With --connection, --user \
            names the owner of the session: the name of a user of the org who is logged in, or the IDs.

            The session is kept in the credential store that org.json names, by default in the folder credentials beside \
            it. The other commands use it if org.json contains no token, or if --user chooses it, and renew it. If \
            there is no org.json, the command creates one with the server and the client ID.

            With --json prints {"event":"page","url"} or {"event":"code","userCode","url"}, and at the end \
            {"event":"login","account","username"?,"server"}.
            """)

    @Option(name: .long, help: ArgumentHelp("The server; by default that of org.json.", valueName: "url"))
    var url: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The consumer key of the app; by default clientId of org.json.", valueName: "id"))
    var clientId: String?

    @Option(name: .long, help: ArgumentHelp("Log in to a connection of org.json.", valueName: "name"))
    var connection: String?

    @Flag(name: .long, help: "Log in on another device.")
    var device = false

    @Flag(inversion: .prefixedNo, help: "Open the page in a browser.")
    var open: Bool?

    @Option(name: .long, help: "The port for the redirect of the browser; by default any free port.")
    var port: Int?

    @Option(name: .long, help: ArgumentHelp("The time to wait for the browser; by default 300.", valueName: "seconds"))
    var timeout: Int?

    @OptionGroup var options: GlobalOptions

    // A user of the org is not logged in yet. The owner of a connection's session is.
    var resolvesUser: Bool { connection != nil }

    func validate() throws {
        guard !device || (port == nil && timeout == nil) else {
            throw ValidationError("Omit --port and --timeout: the server limits the time of --device.")
        }
        guard (0...65_535).contains(port ?? 0) else { throw ValidationError("Give a port from 0 to 65535.") }
        guard (1...86_400).contains(timeout ?? 1) else {
            throw ValidationError("Give a timeout from 1 to 86400 seconds.")
        }
        guard connection == nil || (url == nil && clientId == nil) else {
            throw ValidationError("org.json defines the server and the client of a connection.")
        }
        guard options.user != "" else { throw ValidationError("Give --user a name, or the IDs ORG/USER.") }
    }

    func perform(_ console: Console) async throws {
        let target = try LoginTarget(options)
        if let connection {
            let login = try target.connection(connection)
            try await target.requireStore()
            let session =
                device
                ? try await login.loginOnDevice { show($0, console) }
                : try await login.login(with: browser(console))
            return report(session, of: login.account, server: session.tokenURL, console)
        }
        let (login, credentials) = try target.org(url: url, clientId: clientId)
        try await target.requireStore()
        // A server does not know IDs as the name of a user.
        let name = options.storeUser == nil ? options.user : nil
        let found =
            device
            ? try await login.loginOnDevice(showing: { show($0, console) }, checking: { try requireUser($0) })
            : try await login.login(with: browser(console), username: name, checking: { try requireUser($0) })
        let server = found.session.instanceURL ?? credentials.instanceURL
        report(found.session, of: found.account, server: server, console)
        if try target.addOrgFile(credentials) { console.info("Created org.json, without secrets.") }
        if credentials.accessToken != nil || credentials.refreshToken != nil || credentials.password != nil {
            console.note(
                "commands without --user use the token or the password of the configuration, and not this session",
                hint: "Remove it from org.json or from the environment, or give --user.")
        }
        let others = try await login.users().filter { $0.account != found.account }
        if !others.isEmpty {
            let names = others.map { ($0.session.username ?? "\($0.account)").onOneLine }.joined(separator: ", ")
            console.note(
                "also logged in: \(names)",
                hint: "Choose a user with --user, which gives each user stores of their own, or log the others out.")
        }
    }

    /// Checks that the user who logged in is the one that `--user` names.
    ///
    /// - Throws: ``SoupError`` with `loginFailed`.
    private func requireUser(_ found: OrgLogin.User) throws {
        guard let wanted = options.user else { return }
        let name = found.session.username?.onOneLine
        let isWanted =
            options.storeUser.map { $0 == StoreUser(found.account) } ?? (name?.lowercased() == wanted.lowercased())
        guard !isWanted else { return }
        if options.storeUser == nil, name == nil {
            throw SoupError(
                .loginFailed, "the server did not report the name of the user, which must be \(wanted)",
                hint: "Give --user the IDs \(StoreUser(found.account)?.argument ?? "ORG/USER"), or omit it.")
        }
        throw SoupError(
            .loginFailed, "another user logged in than \(wanted): \(name ?? "\(found.account)")",
            hint: "Log out in the browser and repeat the login, or give --user this user.")
    }

    private func browser(_ console: Console) -> LoopbackBrowser {
        let opens = open ?? console.isTerminal
        return LoopbackBrowser(port: port ?? 0, timeout: .seconds(timeout ?? 300), clock: SystemClock()) { page in
            console.event(["event": "page", "url": .string(page)])
            console.print("Log in on this page:\n\(page.onOneLine)")
            if opens { Self.openBrowser(page, console) }
        }
    }

    private func show(_ device: DeviceAuthorization, _ console: Console) {
        let page = device.completeURL ?? device.verificationURL
        console.event([
            "event": "code", "userCode": .string(device.userCode), "url": .string(page),
        ])
        console.print(Self.instruction(page: page, code: device.userCode))
        if open == true { Self.openBrowser(page, console) }
    }

    private static func openBrowser(_ page: String, _ console: Console) {
        guard !SystemBrowser.open(page) else { return }
        console.info(
            SystemBrowser.canOpen(page)
                ? "No browser could be opened." : "The page is not opened, because it is not an http or https URL.")
    }

    /// Returns the line for a login on another device.
    static func instruction(page: String, code: String) -> String {
        "Open \(page.onOneLine) on any device, and enter the code \(code.onOneLine)."
    }

    /// Returns the line for a login.
    static func sentence(about session: SavedSession, of account: SessionAccount, server: String) -> String {
        let name = session.username.map { "\($0.onOneLine), " } ?? ""
        return "Logged in: \(name)\(account) at \(server.onOneLine)"
    }

    private func report(
        _ session: SavedSession, of account: SessionAccount, server: String, _ console: Console
    ) {
        var event: JSONObject = ["event": "login", "account": .string(account.key)]
        event["username"] = session.username.map { .string($0) }
        event["server"] = .string(server)
        console.event(.object(event))
        console.print(Self.sentence(about: session, of: account, server: server))
        if session.refreshToken == nil {
            console.note(
                "the session ends with its access token: the server issued no refresh token",
                hint: "Give the app the scope refresh_token or offline_access.")
        }
    }
}

#endif
