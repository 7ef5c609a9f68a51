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
        #expect(try logout.json.map { $0["revoked"] } == [false])
        #expect(logout.errors.count == 1)
        #expect(logout.errors[0].contains("the session is removed, but its tokens may still be valid"))
        #expect(try await SoupTool.run("sessions", "--config", folder.path, "--json").json == [])
        // The records of the user stay.
        let rows = try await SoupTool.run(
            "query", "SELECT COUNT(*) FROM {contacts}", "--config", folder.path, "--json")
        #expect(rows.status == 0 && rows.output != ["[0]"])
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
