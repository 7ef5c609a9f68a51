// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import LocalOrg
import SoupCore
import Testing

/// The list of what could not be pushed.
@Suite struct FailuresCommandTests {
    @Test func whatTheServerRefusedIsListedWithItsReason() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
        try await ServedOrg.with { org in
            #expect(try await org.soup(folder, "failures").output == [])
            for name in ["Ada", String(repeating: "x", count: 300)] {
                #expect(try await org.soup(folder, "create", "contacts", "LastName=\(name)").status == 0)
            }
            let up = try await org.soup(folder, "sync", "up")
            #expect(up.status == 1)
            let failures = try await org.soup(folder, "failures", "contacts")
            #expect(failures.status == 0)
            let told = try #require(try failures.json.first)
            #expect(try failures.json.count == 1)
            #expect(told["soup"] == "contacts" && told["action"] == "create")
            #expect(told["error"]?["errorCode"] == "STRING_TOO_LONG")
            #expect(told["error"]?["fields"] == ["LastName"])
            #expect(try await org.soup(folder, "failures", "notes").output == [])
            #expect(try await org.soup(folder, "failures", "nope").status == 1)
            let entry = String(told["entryId"]?.intValue ?? 0)
            #expect(try await org.soup(folder, "edit", "contacts", entry, "LastName=short").status == 0)
            #expect(try await org.soup(folder, "sync", "up").status == 0)
            #expect(try await org.soup(folder, "failures").output == [])
        }
    }
}

#endif
