// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupLocalOrg
import SoupCore
import Testing

/// Tests that errors have hints.
@Suite struct HintTests {
    @Test(arguments: [
        (["sync", "down"], "contact its administrator"), (["clean-ghosts", "down"], "contact its administrator"),
        // A proxy may have sent this response although the server behind it has created the record.
        (["sync", "up"], "soup resolve"),
    ])
    func `The error of a failed run has a hint`(command: [String], says: String) async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
            // Without records there is nothing to send, and no ghost to look for.
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            #expect(try await org.soup(folder, "create", "contacts", "LastName=Waiting").status == 0)
            org.org.add(OrgFault(.http(status: 502), path: "/services/data"))
            let failed = try await SoupTool.run(
                command + ["--config", folder.path, "--json"], environment: org.environment)
            #expect(failed.status == 1)
            let hints = try failed.jsonErrors.map { $0["hint"]?.stringValue ?? "" }
            #expect(!hints.isEmpty && hints.allSatisfy { $0.contains(says) }, "\(hints)")
        }
    }

    @Test func `The error of a missing entry or soup has a hint`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
        let cases: [([String], String)] = [
            (["edit", "notes", "7", "a=1"], "_soupEntryId"), (["delete", "notes", "7", "--undo"], "_soupEntryId"),
            (["discard", "notes", "7"], "_soupEntryId"), (["conflicts", "nots"], #"Did you mean "notes"?"#),
            (["failures", "nots"], #"Did you mean "notes"?"#),
            (["discard", "nots", "--all"], #"Did you mean "notes"?"#),
            (["clean-ghosts", "up"], "sync down that fetches"),
        ]
        for (command, says) in cases {
            let refused = try await SoupTool.run(
                command + ["--config", folder.path, "--json"],
                environment: ["SOUP_INSTANCE_URL": "http://127.0.0.1:1", "SOUP_ACCESS_TOKEN": "x"])
            #expect(refused.status == 1, "\(command)")
            let hints = try refused.jsonErrors.map { $0["hint"]?.stringValue ?? "" }
            #expect(hints.count == 1 && hints[0].contains(says), "\(command): \(hints)")
        }
    }
}

#endif
