// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

@Suite struct UsersTests {
    private let folder: WorkFolder

    init() throws {
        folder = try WorkFolder(["userstore.json": WorkFolder.store, "globalstore.json": WorkFolder.store])
    }

    private func soup(_ arguments: String...) async throws -> FinishedSoup {
        try await SoupTool.run(arguments + ["--config", folder.path, "--json"])
    }

    @Test func `Each user has stores of their own`() async throws {
        let (alice, bob) = ("00DJ0000000CeXy/005J0000002AbCd", "acme/bob@example.org/shop")
        for user in [alice, bob] {
            #expect(try await soup("create", "notes", "key=\(user)", "--user", user).status == 0)
        }
        #expect(try await soup("create", "notes", "key=none").status == 0)
        #expect(try await soup("create", "notes", "key=all", "--global", "--user", alice).status == 0)
        // The listed name is an argument of the other commands.
        let listed = try await soup("users").json
        #expect(listed.map { $0["user"]?.stringValue } == ["00DJ0000000CeXyMAK/005J0000002AbCdIAK", bob])
        #expect(listed.map { $0["community"]?.stringValue } == [nil, "shop"])
        #expect(listed.map { $0["stores"] } == [["defaultStore"], ["defaultStore"]])
        let query = "SELECT {notes:key} FROM {notes}"
        for (user, key) in [
            (listed[0]["user"]?.stringValue ?? "", alice), (bob, bob), ("acme.bob%40example%2eorg.shop", bob),
        ] {
            #expect(try await soup("query", query, "--user", user).output == ["[\"\(key)\"]"])
        }
        #expect(try await soup("query", query).output == [#"["none"]"#])
        #expect(try await soup("query", query, "--global", "--user", bob).output == [#"["all"]"#])
        let stores = try await soup("stores", "--user", bob).json
        #expect(
            stores.map { $0["file"] } == [
                .string(folder.path + "/users/acme.bob%40example%2eorg.shop/userstore.db"),
                .string(folder.path + "/globalstore.db"),
            ])
        #expect(stores.map { $0["isConfigured"] } == [true, true])
    }

    @Test func `A folder without users has an empty list`() async throws {
        #expect(try await soup("users").output == [])
        let text = try await SoupTool.run("users", "--config", folder.path)
        #expect(text.output == ["\(folder.path) has no users with stores of their own"])
    }

    @Test func `A user without valid IDs is refused`() async throws {
        for user in ["alice", "a/", "/b", "a/b/c/d", "", "x/005J0000002AbCd111"] {
            let answer = try await soup("query", "SELECT 1", "--user", user)
            #expect(answer.status == 1, "\(user)")
            #expect(try answer.jsonErrors.map { $0["code"] } == ["badUser"])
        }
        #expect(try await soup("users", "--global").status == 2)
    }
}

#endif
