// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server && TLS

import Foundation
import SoupCore
import SoupLocalOrg
import Testing

/// Logins and commands with `--user`.
@Suite struct UserLoginTests {
    private let base = LoginTests()
    private var demo: String { base.demo }

    @Test func `A login as another user is not kept`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try base.folder(["org.json": org.orgFile])
            let ids = demo.split(separator: ".").dropFirst().joined(separator: "/")
            for user in ["demo@example.org", ids, demo] {
                let hint = "&login_hint=demo%40example.org"
                let login = try await base.login(folder, "--user", user) { page in
                    // The server does not know IDs as a name.
                    #expect(page.contains("login_hint") == (user == "demo@example.org"))
                    try await ServedOrg.browse(page.replacing(hint, with: "") + "&login_hint=other%40example.org")
                }
                #expect(login.status == 1)
                #expect(try login.jsonErrors.map { $0["code"] } == ["loginFailed"])
                #expect(
                    try login.jsonErrors.first?["message"]
                        == .string("another user logged in than \(user): other@example.org"))
                #expect(try await base.soup(folder, "sessions").json == [])
            }
            for user in [ids, "DEMO@example.org"] { #expect(try await org.logIn(folder, as: user).status == 0) }
            #expect(try await base.soup(folder, "sessions").json.map { $0["account"]?.stringValue } == [demo])
        }
    }

    @Test func `A login to a connection has the user as its owner`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let server = "\(org.url)/services/oauth2"
            let folder = try base.folder([
                "org.json": #"""
                {"instanceUrl": "\#(org.url)", "clientId": "emu-client",
                 "connections": {"crm": {"baseURL": "\#(org.url)", "auth": {"type": "oauth", "clientId": "emu-client",
                   "tokenURL": "\#(server)/token?of=crm", "authorizationURL": "\#(server)/authorize",
                   "revocationURL": "\#(server)/revoke"}}}}
                """#
            ])
            let unknown = try await base.soup(folder, "login", "--connection", "crm", "--user", "demo@example.org")
            #expect(try unknown.jsonErrors.map { $0["code"] } == ["badUser"])
            let (name, owned) = ("demo@example.org", "connection.crm.\(demo.dropFirst("user.".count))")
            #expect(try await org.logIn(folder).status == 0)
            let login = try await org.logIn(folder, as: name, "--connection", "crm")
            #expect(login.status == 0)
            #expect(try login.json.last?["account"]?.stringValue == owned)
            #expect(try await base.soup(folder, "sessions").json.map { $0["account"]?.stringValue } == [owned, demo])
            // The server of the connection ends its tokens.
            let logout = try await base.soup(folder, "logout", "--all", "--keep-data")
            #expect(logout.status == 0 && logout.errors == [])
            #expect(try logout.json.map { $0["account"]?.stringValue } == [demo, owned])
            #expect(try logout.json.map { $0["revoked"] } == [true, true])
            #expect(try await base.soup(folder, "sessions").json == [])
        }
    }

    @Test func `The session of a named user can be unreadable`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try base.folder(["org.json": org.orgFile])
            #expect(try await org.logIn(folder).status == 0)
            let file = "\(folder.path)/credentials/\(demo).json"
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            let query = try await base.soup(folder, "query", "SELECT 1", "--user", "demo@example.org")
            #expect(query.status == 1)
            #expect(try query.jsonErrors.map { $0["code"] } == ["credentialsUnusable"])
        }
    }

    @Test func `A variable's token is not used for a user`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try base.folder(["org.json": org.orgFile])
            let token = ["SOUP_ACCESS_TOKEN": org.org.accessToken]
            let ids = "00D000000000001EAA/005000000000002AAA"
            #expect(try await base.soup(folder, "sync", "down", environment: token).status == 0)
            let other = try await base.soup(folder, "sync", "down", "--user", ids, environment: token)
            #expect(other.status == 1)
            #expect(other.errors.contains { $0.contains("the access token of the configuration is not used") })
        }
    }
}

#endif
