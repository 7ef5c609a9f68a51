// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server && TLS

import Foundation
import HTTPTypes
import SoupCore
import SoupKit
import SoupLocalOrg
import Testing

@Suite struct LoginTests {
    let demo = "user.00D000000000001EAA.005000000000001AAA"

    func folder(_ files: [String: String] = [:]) throws -> WorkFolder {
        try WorkFolder(
            ["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs].merging(files) { $1 })
    }

    func soup(_ folder: WorkFolder, _ arguments: String..., environment: [String: String] = [:]) async throws
        -> FinishedSoup
    {
        try await SoupTool.run(arguments + ["--config", folder.path, "--json"], environment: environment)
    }

    @Test func `A login with a browser serves the other commands`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try folder(["org.json": org.orgFile])
            let login = try await org.logIn(folder)
            #expect(login.status == 0 && login.errors == [])
            let events = try login.json
            #expect(events.map { $0["event"] } == ["page", "login"])
            #expect(
                events.last == [
                    "event": "login", "account": .string(demo), "username": "demo@example.org",
                    "server": .string(org.url),
                ])
            let page = events[0]["url"]?.stringValue ?? ""
            #expect(page.hasPrefix("\(org.url)/services/oauth2/authorize?response_type=code&client_id=emu-client&"))
            #expect(page.contains("&redirect_uri=http%3A%2F%2F127.0.0.1%3A") && page.contains("S256"))

            #expect(try await soup(folder, "validate").jsonWarnings == [])
            #expect(try await soup(folder, "sync", "down").status == 0)
            let sessions = try await soup(folder, "sessions").json
            #expect(sessions.map { $0["account"]?.stringValue } == [demo])
            #expect(sessions[0]["username"] == "demo@example.org" && sessions[0]["isRenewable"] == true)

            let logout = try await soup(folder, "logout")
            #expect(
                try logout.json.filter { $0["event"] == "logout" } == [
                    ["event": "logout", "account": .string(demo), "revoked": true]
                ])
            #expect(try await soup(folder, "sessions").json == [])
            let sync = try await soup(folder, "sync", "down")
            #expect(sync.status == 1)
            #expect(sync.errors.contains { $0.contains("Log in with `soup login`") })
            // The sync has created an empty store, which belongs to no user.
            let again = try await soup(folder, "logout")
            #expect(again.status == 0)
            #expect(try again.json.map { $0["event"] } == ["removed"])
            #expect(try await soup(folder, "logout").status == 1)
        }
    }

    @Test func `No output contains a token`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try folder(["org.json": org.orgFile])
            var lines: [String] = []
            let login = try await org.logIn(folder)
            lines += login.output + login.errors
            let saved = try String(contentsOf: folder.url.appending(path: "credentials/\(demo).json"), encoding: .utf8)
            let session = try JSONValue(parsing: saved)
            let tokens = [session["accessToken"], session["refreshToken"]].compactMap { $0?.stringValue }
            #expect(tokens.count == 2)
            for command in ["sessions", "doctor", "status", "logout"] {
                let run = try await soup(folder, command)
                lines += run.output + run.errors
            }
            #expect(!lines.contains { line in tokens.contains { line.contains($0) } })
        }
    }

    @Test func `A session that cannot be read is reported, with the others`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try folder(["org.json": org.orgFile])
            #expect(try await org.logIn(folder).status == 0)
            try folder.write("{", to: "credentials/connection.crm.json")
            let sessions = try await soup(folder, "sessions")
            #expect(sessions.status == 1)
            #expect(try sessions.json.map { $0["account"]?.stringValue } == [demo])
            #expect(try sessions.jsonErrors.map { $0["code"] } == ["credentialsUnusable"])
        }
    }

    @Test func `Options of the browser are refused on another device`() async throws {
        let folder = try folder()
        for option in [["--port", "0"], ["--timeout", "5"]] {
            let login = try await SoupTool.run(["login", "--device", "--config", folder.path] + option)
            #expect(login.status == 2)
            #expect(login.errors.contains { $0.contains("Omit --port and --timeout") })
        }
    }

    @Test func `A login without org.json creates it`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try folder()
            let login = try await org.logIn(folder, "--url", org.url, "--client-id", "emu-client")
            #expect(login.status == 0)
            let file = try JSONValue(
                parsing: String(contentsOf: folder.url.appending(path: "org.json"), encoding: .utf8))
            #expect(file == ["loginUrl": .string(org.url), "clientId": "emu-client"])
            #expect(try await soup(folder, "sync", "down").status == 0)
        }
    }

    @Test func `A login on another device waits for the user`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try folder(["org.json": org.orgFile])
            let running = try SoupTool.start(["login", "--device", "--config", folder.path, "--json"])
            try running.write("")
            var events: [JSONValue] = []
            for await line in running.output {
                let event = try JSONValue(parsing: line)
                events.append(event)
                guard let code = event["userCode"]?.stringValue, let page = event["url"]?.stringValue else { continue }
                let answer = try await ServedOrg.get("\(page)?user_code=\(code)&login_hint=other@example.org")
                #expect(answer.status == 200)
            }
            #expect(await running.end() == 0)
            #expect(events.map { $0["event"] } == ["code", "login"])
            #expect(events.last?["username"] == "other@example.org")
        }
    }

    /// Runs a login without opening its page.
    ///
    /// - Parameter browse: called with the URL of the page, which it opens.
    func login(
        _ folder: WorkFolder, _ arguments: String..., browse: (_ page: String) async throws -> Void
    ) async throws -> FinishedSoup {
        let running = try SoupTool.start(["login", "--config", folder.path, "--json", "--no-open"] + arguments)
        try running.write("")
        var output: [String] = []
        for await line in running.output {
            output.append(line)
            guard let page = try JSONValue(parsing: line)["url"]?.stringValue else { continue }
            do {
                try await browse(page)
            } catch {
                running.kill(SIGKILL)
                throw error
            }
        }
        var errors: [String] = []
        for await line in running.errors { errors.append(line) }
        return FinishedSoup(status: await running.end(), output: output, errors: errors)
    }

    /// Returns a parameter of a URL.
    private func parameter(_ name: String, of url: String) throws -> String {
        try #require(URLComponents(string: url)?.queryItems?.first { $0.name == name }?.value)
    }

    @Test func `A foreign request does not end a login`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try folder(["org.json": org.orgFile])
            let login = try await login(folder) { page in
                let uri = try parameter("redirect_uri", of: page)
                let state = try parameter("state", of: page)
                for foreign in [
                    uri.replacing("/callback", with: "/favicon.ico"), uri, "\(uri)?code=stolen&state=other",
                    "\(uri)?code=stolen", "\(uri)?error=access_denied", "\(uri)?error=access_denied&state=",
                    "\(uri)?code=stolen&state=\(state)&state=other",
                ] {
                    let answer = try await ServedOrg.get(foreign)
                    #expect(answer.status == 404, "\(foreign)")
                    #expect(!String(decoding: answer.body, as: UTF8.self).contains("stolen"))
                }
                #expect(try await ServedOrg.browse(page).status == 200)
            }
            #expect(login.status == 0 && login.errors == [])
            #expect(try login.json.map { $0["event"] } == ["page", "login"])
        }
    }

    @Test func `A refusal with the right state ends a login`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try folder(["org.json": org.orgFile])
            let login = try await login(folder) { page in
                let uri = try parameter("redirect_uri", of: page)
                let state = try parameter("state", of: page)
                let refusal = "\(uri)?error=access_denied&error_description=no&state=\(state)"
                #expect(try await ServedOrg.get(refusal).status == 200)
            }
            #expect(login.status == 1)
            #expect(login.errors.count == 1 && login.errors[0].contains("access was denied: no"))
            #expect(try folder.files.contains("credentials") == false)
        }
    }

    @Test func `A store that cannot keep a session is found at first`() async throws {
        let server = #""instanceUrl": "https://a.example.com", "clientId": "c""#
        let memory = try folder(["org.json": #"{\#(server), "credentials": "memory"}"#])
        let open = try folder(["org.json": "{\(server)}"])
        try FileManager.default.createDirectory(
            at: open.url.appending(path: "credentials"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        for (folder, problem) in [(memory, "keeps sessions only until this command ends"), (open, "other users")] {
            let login = try await soup(folder, "login", "--no-open")
            #expect(login.status == 1 && login.output == [])
            #expect(try login.jsonErrors.map { $0["code"] } == ["credentialsUnusable"])
            #expect(login.errors[0].contains(problem))
        }
    }

    @Test func `A login that is not completed ends`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try folder(["org.json": org.orgFile])
            let login = try await SoupTool.run(
                "login", "--config", folder.path, "--json", "--no-open", "--timeout", "1")
            #expect(login.status == 1)
            #expect(login.errors.count == 1 && login.errors[0].contains("not completed in 1 seconds"))
        }
    }

    @Test func `Wrong uses are explained`() async throws {
        let folder = try folder(["org.json": #"{"instanceUrl": "https://a.example.com"}"#])
        func error(_ arguments: String...) async throws -> String {
            try await SoupTool.run(["login", "--config", folder.path, "--json", "--no-open"] + arguments).errors
                .joined()
        }
        #expect(try await error().contains("there is no client ID for the login"))
        #expect(try await error("--url", "https://b.example.com").contains("org.json names another server"))
        #expect(try await error("--connection", "crm").contains("org.json defines no connection"))
    }

    // MARK: Several processes and users

    @Test func `Processes that renew one session lose no token`() async throws {
        var options = OrgOptions()
        options.rotatesRefreshTokens = true
        try await ServedOrg.with(seed: .tiny, options: options) { org in
            let folder = try folder(["org.json": org.orgFile])
            #expect(try await org.logIn(folder).status == 0)
            for _ in 0..<3 {
                org.org.expireTokens()
                try await withThrowingTaskGroup(of: FinishedSoup.self) { group in
                    for _ in 0..<4 { group.addTask { try await soup(folder, "validate", "--server") } }
                    for try await run in group { #expect(run.status == 0, "\(run.errors)") }
                }
            }
            org.org.expireTokens()
            #expect(try await soup(folder, "sync", "down").status == 0)
        }
    }

    @Test func `A replaced token of org.json is kept`() async throws {
        var options = OrgOptions()
        options.rotatesRefreshTokens = true
        try await ServedOrg.with(seed: .tiny, options: options) { org in
            let token = org.org.refreshToken
            let folder = try folder([
                "org.json": #"{"instanceUrl": "\#(org.url)", "clientId": "emu-client", "refreshToken": "\#(token)"}"#
            ])
            for _ in 0..<3 {
                org.org.expireTokens()
                let sync = try await soup(folder, "sync", "down")
                #expect(sync.status == 0, "\(sync.errors)")
            }
            #expect(try await soup(folder, "sessions").json.count == 1)
        }
    }

    @Test func `Sessions of two users never mix`() async throws {
        var options = OrgOptions()
        options.rotatesRefreshTokens = true
        try await ServedOrg.with(seed: .tiny, options: options) { org in
            let folder = try folder(["org.json": org.orgFile])
            let users = ["demo@example.org", "other@example.org"]
            #expect(try await org.logIn(folder, as: users[0]).errors == [])
            let second = try await org.logIn(folder, as: users[1])
            #expect(second.status == 0 && second.errors.count == 1)
            #expect(second.errors.first?.contains("also logged in: demo@example.org") == true)

            // Without a choice, no session is used.
            let neither = try await soup(folder, "validate", "--server")
            #expect(neither.status == 1)
            #expect(neither.errors.contains { $0.contains("2 users are logged in") })
            for _ in 0..<2 {
                org.org.expireTokens()
                try await withThrowingTaskGroup(of: FinishedSoup.self) { group in
                    for user in users + users {
                        group.addTask {
                            try await soup(folder, "validate", "--server", environment: ["SOUP_USERNAME": user])
                        }
                    }
                    for try await run in group { #expect(run.status == 0, "\(run.errors)") }
                }
            }
            // Each saved token is that of its user.
            for (user, id) in zip(users, ["005000000000001AAA", "005000000000002AAA"]) {
                let file = folder.url.appending(path: "credentials/user.00D000000000001EAA.\(id).json")
                let session = try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
                #expect(session["username"]?.stringValue == user)
                let token = session["accessToken"]?.stringValue ?? ""
                let tool = ServedTool(url: org.url, token: token)
                let info = try await tool.send(.get, "/services/oauth2/userinfo")
                #expect(try JSONValue(parsing: info.body)["preferred_username"]?.stringValue == user)
            }
            // A logout of one user leaves the other one.
            #expect(try await soup(folder, "logout").status == 1)
            #expect(try await soup(folder, "logout", "--user", users[0]).status == 0)
            #expect(try await soup(folder, "sessions").json.map { $0["username"]?.stringValue } == [users[1]])
            #expect(try await soup(folder, "validate", "--server").status == 0)
        }
    }
}

#endif
