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
            server sends the browser back to a port of this machine, which receives one request. With --device, the page \
            is opened on any other device, where the user enters a code.

            The session is kept in the credential store that org.json names, by default in the folder credentials beside \
            it. The other commands use it if org.json contains no token, and renew it. If there is no org.json, the \
            command creates one with the server and the client ID.

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

    // The user is not logged in yet.
    var resolvesUser: Bool { false }

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
    }

    func perform(_ console: Console) async throws {
        let target = try LoginTarget(options)
        if let connection {
            let login = try target.connection(connection)
            let session =
                device
                ? try await login.loginOnDevice { show($0, console) }
                : try await login.login(with: browser(console), username: options.user)
            return report(session, of: login.account, server: session.tokenURL, console)
        }
        let (login, credentials) = try target.org(url: url, clientId: clientId)
        let found =
            device
            ? try await login.loginOnDevice { show($0, console) }
            : try await login.login(with: browser(console), username: options.user)
        let server = found.session.instanceURL ?? credentials.instanceURL
        report(found.session, of: found.account, server: server, console)
        if try target.addOrgFile(credentials) { console.info("Created org.json, without secrets.") }
        if credentials.accessToken != nil || credentials.refreshToken != nil || credentials.password != nil {
            console.note(
                "commands use the token or the password of the configuration, and not this session",
                hint: "Remove it from org.json or from the environment.")
        }
        let others = try await login.users().filter { $0.account != found.account }
        if !others.isEmpty {
            let names = others.map { $0.session.username ?? "\($0.account)" }.joined(separator: ", ")
            console.note(
                "also logged in: \(names)",
                hint: "Choose a user with --user, which gives each user stores of their own, or log the others out.")
        }
    }

    private func browser(_ console: Console) -> LoopbackBrowser {
        let opens = open ?? console.isTerminal
        return LoopbackBrowser(port: port ?? 0, timeout: .seconds(timeout ?? 300), clock: SystemClock()) { page in
            console.event(["event": "page", "url": .string(page)])
            console.print("Log in on this page:\n\(page)")
            if opens, !SystemBrowser.open(page) { console.info("No browser could be opened.") }
        }
    }

    private func show(_ device: DeviceAuthorization, _ console: Console) {
        let page = device.completeURL ?? device.verificationURL
        console.event([
            "event": "code", "userCode": .string(device.userCode), "url": .string(page),
        ])
        console.print("Open \(page) on any device, and enter the code \(device.userCode).")
        if open == true, !SystemBrowser.open(page) { console.info("No browser could be opened.") }
    }

    private func report(
        _ session: SavedSession, of account: SessionAccount, server: String, _ console: Console
    ) {
        var event: JSONObject = ["event": "login", "account": .string(account.key)]
        event["username"] = session.username.map { .string($0) }
        event["server"] = .string(server)
        console.event(.object(event))
        console.print("Logged in: \(session.username.map { "\($0), " } ?? "")\(account) at \(server)")
        if session.refreshToken == nil {
            console.note(
                "the session ends with its access token: the server issued no refresh token",
                hint: "Give the app the scope refresh_token or offline_access.")
        }
    }
}

#endif
