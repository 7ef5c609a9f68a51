// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server && TLS

import Foundation
import SoupCore
import SoupLocalOrg
import Testing

@Suite struct LogoutTests {
    @Test func `A logout without the server removes the session`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
        try await ServedOrg.with(seed: .tiny) { org in
            try folder.write(org.orgFile, to: "org.json")
            #expect(try await org.logIn(folder).status == 0)
            #expect(try await org.soup(folder, "sync", "down").status == 0)
        }
        let logout = try await SoupTool.run("logout", "--config", folder.path, "--json")
        #expect(logout.status == 1)
        #expect(try logout.json.map { $0["event"] } == ["removed", "logout"])
        #expect(try logout.json.last?["revoked"] == false)
        #expect(logout.errors.count == 1)
        #expect(logout.errors[0].contains("the session is removed, but its tokens may still be valid"))
        #expect(try await SoupTool.run("sessions", "--config", folder.path, "--json").json == [])
        #expect(try folder.files == ["credentials", "org.json", "userstore.json", "usersyncs.json"])
    }

    @Test func `A logout removes only the stores and the session of a user`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
        @Sendable func soup(_ arguments: String...) async throws -> FinishedSoup {
            try await SoupTool.run(arguments + ["--config", folder.path, "--json"])
        }
        try await ServedOrg.with(seed: .tiny) { org in
            try folder.write(org.orgFile, to: "org.json")
            let (demo, other) = ("demo@example.org", "other@example.org")
            for user in [demo, other] { #expect(try await org.logIn(folder, as: user).status == 0) }
            #expect(try await soup("create", "notes", "key=unowned").status == 0)
            for user in [demo, other] { #expect(try await soup("sync", "down", "--user", user).status == 0) }
            let users = try await soup("users").json.compactMap { $0["user"]?.stringValue }
            #expect(users.count == 2)
            // The name of a user and the IDs are the same.
            let query = "SELECT COUNT(*) FROM {contacts}"
            let accounts = try await soup("sessions").json.compactMap { $0["account"]?.stringValue }
            for user in users + accounts + [demo, other.uppercased()] {
                #expect(try await soup("query", query, "--user", user).output == ["[3]"])
            }
            #expect(try await soup("query", query).output == ["[0]"])
            for user in ["unknown@example.org", "connection.crm"] {
                let unknown = try await soup("query", query, "--user", user)
                #expect(try unknown.jsonErrors.map { $0["code"] } == ["badUser"])
            }

            let logout = try await soup("logout", "--user", demo)
            #expect(logout.status == 0 && logout.errors == [])
            #expect(try logout.json.map { $0["event"] } == ["removed", "logout"])
            #expect(try await soup("users").json.count == 1)
            #expect(try await soup("query", query, "--user", other).output == ["[3]"])
            #expect(try await soup("sessions").json.map { $0["username"] } == [.string(other)])
            #expect(try await soup("query", "SELECT {notes:key} FROM {notes}").output == [#"["unowned"]"#])
            // The session of the other user still works, and is chosen without --user.
            #expect(try await soup("sync", "down", "--user", other).status == 0)
        }
    }

    @Test func `Changes that were not sent stop a logout`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store])
        @Sendable func soup(_ arguments: String...) async throws -> FinishedSoup {
            try await SoupTool.run(arguments + ["--config", folder.path, "--json"])
        }
        try await ServedOrg.with(seed: .tiny) { org in
            try folder.write(org.orgFile, to: "org.json")
            #expect(try await org.logIn(folder).status == 0)
            let user = try await soup("sessions").json[0]["account"]?.stringValue ?? ""
            let ids = user.split(separator: ".").dropFirst().joined(separator: "/")
            #expect(try await soup("create", "contacts", "LastName=A").status == 0)
            #expect(try await soup("create", "contacts", "LastName=B", "--user", ids).status == 0)
            let logout = try await soup("logout")
            #expect(logout.status == 1)
            #expect(try logout.jsonErrors.map { $0["code"] } == ["localChanges"])
            #expect(
                try logout.jsonErrors[0]["message"]
                    == .string(
                        "changes that were not sent would be lost: userstore.db: contacts (1); "
                            + "\(ids): userstore.db: contacts (1)"))
            #expect(try await soup("sessions").json.count == 1)
            let arguments = ["logout", "--config", folder.path]
            let refused = try await SoupOnTerminal.run(arguments, columns: 300, typing: "n")
            #expect(refused.contains { $0.contains("Remove them? Type y to agree") })
            #expect(try await soup("query", "SELECT COUNT(*) FROM {contacts}", "--user", ids).output == ["[1]"])
            #expect(try await soup("logout", "--keep-data").status == 0)
            #expect(try await soup("sessions").json == [])
            #expect(try await soup("query", "SELECT COUNT(*) FROM {contacts}").output == ["[1]"])
            #expect(try await org.logIn(folder).status == 0)
            let agreed = try await SoupOnTerminal.run(arguments, columns: 300, typing: "y")
            #expect(agreed.contains { $0.hasPrefix("Logged out: ") })
            #expect(try folder.files == ["credentials", "org.json", "users", "userstore.json"])

            // Without a login, the IDs choose the user.
            #expect(try await soup("create", "contacts", "LastName=C", "--user", ids).status == 0)
            #expect(try await soup("logout", "--user", ids).status == 1)
            #expect(try await soup("logout", "--user", ids, "--discard").status == 0)
            #expect(try await soup("users").json == [])
        }
    }

    @Test func `Without a session the stores of no user are removed`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store])
        func soup(_ arguments: String...) async throws -> FinishedSoup {
            try await SoupTool.run(arguments + ["--config", folder.path, "--json"])
        }
        #expect(try await soup("create", "contacts", "LastName=A").status == 0)
        let unsent = try await soup("logout")
        #expect(unsent.status == 1)
        #expect(try unsent.jsonErrors.map { $0["code"] } == ["localChanges"])
        #expect(try await soup("logout", "--keep-data").status == 1)
        let logout = try await soup("logout", "--discard")
        #expect(logout.status == 0)
        #expect(try logout.json.map { $0["event"] } == ["removed"])
        #expect(try folder.files == ["userstore.json"])

        let nothing = try await soup("logout")
        #expect(nothing.status == 1)
        let error = try #require(try nothing.jsonErrors.first)
        #expect(error["message"] == "there is no session and no store to remove: org.json names no server")
        #expect(error["hint"]?.stringValue?.contains("--url") == false)
    }

    @Test func `A logout of all users includes those without a session`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store])
        func soup(_ arguments: String...) async throws -> FinishedSoup {
            try await SoupTool.run(arguments + ["--config", folder.path, "--json"])
        }
        #expect(try await soup("create", "contacts", "LastName=A", "--user", "acme/bob").status == 0)
        let unsent = try await soup("logout", "--all")
        #expect(
            try unsent.jsonErrors.map { $0["message"] } == [
                "changes that were not sent would be lost: acme/bob: userstore.db: contacts (1)"
            ])
        #expect(try await soup("logout", "--all", "--discard").status == 0)
        #expect(try await soup("users").json == [])
        let nothing = try await SoupTool.run("logout", "--all", "--config", folder.path)
        #expect(nothing.status == 0)
        #expect(nothing.output == ["There was nothing to remove: no session, and no store."])
    }

    /// Writes a file of the credential store.
    private func write(_ text: String, asSessionOf account: SessionAccount, in folder: WorkFolder) throws {
        let sessions = folder.url.appending(path: "credentials")
        try FileManager.default.createDirectory(
            at: sessions, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try folder.write(text, to: "credentials/\(account.key).json")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: sessions.appending(path: "\(account.key).json").path)
    }

    private func session(at server: String, username: String? = nil) throws -> String {
        let session = SavedSession(
            tokenURL: server, clientId: "c", accessToken: "a", refreshToken: "r", username: username,
            savedAt: Date(timeIntervalSince1970: 1))
        return try JSONText(session.json).description
    }

    private let ann = SessionAccount.user(organization: "00D000000000001EAA", user: "005000000000001AAA")
    private let bob = SessionAccount.user(organization: "00D000000000001EAA", user: "005000000000002AAA")

    @Test(arguments: ["--discard", "--keep-data"])
    func `A logout of all users removes a damaged session`(option: String) async throws {
        let folder = try WorkFolder([
            "userstore.json": WorkFolder.store,
            "org.json": #"{"instanceUrl": "https://a.example.com", "clientId": "c"}"#,
        ])
        func soup(_ arguments: String...) async throws -> FinishedSoup {
            try await SoupTool.run(arguments + ["--config", folder.path, "--json"])
        }
        let user = "00D000000000001EAA/005000000000001AAA"
        #expect(try await soup("create", "contacts", "LastName=A", "--user", user).status == 0)
        try write("{", asSessionOf: ann, in: folder)
        let logout = try await soup("logout", "--all", option)
        #expect(logout.status == 1)
        let removed: [JSONValue?] = option == "--discard" ? ["removed"] : []
        #expect(try logout.json.map { $0["event"] } == removed + ["logout"])
        #expect(try logout.json.last?["revoked"] == false)
        #expect(
            try logout.jsonErrors.map { $0["message"] } == [
                "the session is removed, but its tokens may still be valid: the saved session is damaged"
            ])
        #expect(try await soup("sessions").json == [])
        #expect(try await soup("users").json.isEmpty == (option == "--discard"))
    }

    @Test func `A logout of all users needs no server of an org`() async throws {
        let folder = try WorkFolder([
            "org.json": #"""
            {"connections": {"crm": {"baseURL": "https://crm.example.com", "auth": {"type": "oauth", "clientId": "c",
              "tokenURL": "https://crm.example.com/token", "deviceURL": "https://crm.example.com/device"}}}}
            """#
        ])
        let owner = "00D000000000001EAA.005000000000001AAA"
        for account in [ann, .connection("crm"), .connection("crm", owner: owner)] {
            try write(try session(at: "https://crm.example.com/token"), asSessionOf: account, in: folder)
        }
        let logout = try await SoupTool.run("logout", "--all", "--config", folder.path, "--json")
        // No server can end the tokens, which is reported for each session.
        #expect(logout.status == 1)
        #expect(try logout.json.map { $0["event"] } == ["logout", "logout", "logout"])
        #expect(try logout.jsonErrors.count == 3 && !logout.errors.contains { $0.contains("no server to log in to") })
        #expect(try await SoupTool.run("sessions", "--config", folder.path, "--json").json == [])
    }

    @Test func `Names of users are on one line`() async throws {
        let folder = try WorkFolder(["org.json": #"{"instanceUrl": "https://a.example.com", "clientId": "c"}"#])
        for (account, name) in [(ann, "ann\nLogged in: root"), (bob, "bob")] {
            let text = try session(at: "https://a.example.com/services/oauth2/token", username: name)
            try write(text, asSessionOf: account, in: folder)
        }
        let logout = try await SoupTool.run("logout", "--config", folder.path)
        #expect(logout.status == 1)
        #expect(
            logout.errors.first == #"error: several users are logged in: ann\u{A}Logged in: root, bob"#)
    }

    @Test func `A logout of all users ends all tokens`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "org.json": org.orgFile])
            for user in ["demo@example.org", "other@example.org"] {
                #expect(try await org.logIn(folder, as: user).status == 0)
            }
            let logout = try await SoupTool.run("logout", "--all", "--config", folder.path, "--json")
            #expect(logout.status == 0)
            #expect(try logout.json.map { $0["revoked"] } == [true, true])
            #expect(try await SoupTool.run("sessions", "--config", folder.path, "--json").json == [])
        }
    }
}

#endif
