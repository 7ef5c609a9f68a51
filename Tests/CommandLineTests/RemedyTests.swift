// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import LocalOrg
import SoupCore
import Testing

/// Every error of a sync says what can be done.
@Suite struct RemedyTests {
    /// What stays wrong, and a word of the remedy.
    static let troubles: [(fault: OrgFault.Effect, says: String)] = [
        (.http(status: 500, code: "UNKNOWN_EXCEPTION"), "tell its administrator"),
        (.http(status: 500, code: ""), "tell its administrator"),
        (.http(status: 503, code: "SERVER_UNAVAILABLE"), "try again in some minutes"),
        (.http(status: 502, code: "x"), "tell its administrator"),
        (.http(status: 404, code: "NOT_FOUND"), "Check the URL"),
        (.http(status: 403, code: "INSUFFICIENT_ACCESS"), "administrator"), (.limit, "API calls is used up"),
        (.garbage(bytes: 40), "login page"), (.garbage(bytes: 0), "login page"), (.truncate(20), "cut off"),
        (.drop(.beforeHeaders), "Check the connection"), (.drop(.midBody), "Nothing is lost"),
    ]

    @Test(arguments: troubles.indices) func aSyncThatFailsSaysWhatToDo(index: Int) async throws {
        let (fault, says) = Self.troubles[index]
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
            #expect(try await org.soup(folder, "create", "contacts", "LastName=Waiting").status == 0)
            org.org.add(OrgFault(fault, path: "/services/data"))
            for command in [["sync", "down"], ["sync", "up"], ["clean-ghosts", "down"]] {
                let failed = try await SoupTool.run(
                    command + ["--config", folder.path, "--json"], environment: org.environment)
                // A store without records has no ghosts to ask about.
                if command[0] == "clean-ghosts", failed.status == 0 { continue }
                #expect(failed.status == 1, "\(command)")
                let errors = try failed.jsonErrors
                #expect(!errors.isEmpty)
                for error in errors {
                    let hint = error["hint"]?.stringValue ?? ""
                    #expect(!hint.isEmpty, "\(error)")
                    if command[1] == "down", command[0] == "sync" { #expect(hint.contains(says), "\(error)") }
                }
            }
            org.org.removeFault()
            _ = try await org.soup(folder, "sync", "up")
            #expect(try await org.soup(folder, "sync", "down").status == 0, "nothing is stuck")
        }
    }

    @Test func whatIsNotThereIsToldWithTheWayToWhatIs() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
        let cases: [([String], String)] = [
            (["edit", "notes", "7", "a=1"], "_soupEntryId"), (["delete", "notes", "7", "--undo"], "_soupEntryId"),
            (["discard", "notes", "7"], "_soupEntryId"), (["conflicts", "nots"], #"Did you mean "notes"?"#),
            (["failures", "nots"], #"Did you mean "notes"?"#),
            (["discard", "nots", "--all"], #"Did you mean "notes"?"#),
            (["clean-ghosts", "up"], "sync that brings"),
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
