// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupLocalOrg
import SoupCore
import Testing

/// Syncs and records that fail.
@Suite struct SyncFailuresTests {
    @Test func `A refused record is reported with exit code 1`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try SyncTests.folder()
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            let id = try #require(org.org.id(of: "con1"))
            let entry = try await SyncTests.entry(of: id, in: folder, org)
            let entryId = try #require(entry["_soupEntryId"]?.intValue)
            let long = String(repeating: "x", count: 300)
            #expect(try await org.soup(folder, "edit", "contacts", String(entryId), "LastName=\(long)").status == 0)
            let up = try await org.soup(folder, "sync", "up", "down")
            #expect(up.status == 1)
            let outcome = try #require(try up.json.first { $0["event"] == "outcome" })
            #expect(outcome["result"] == "failed" && outcome["entryId"] == .int(entryId))
            #expect(outcome["error"]?["errorCode"] == "STRING_TOO_LONG")
            #expect(try up.json.last?["sync"]?["status"] == "DONE", "the sync itself is complete")
            #expect(try up.jsonErrors.map { $0["code"] } == ["recordsFailed"])
            #expect(try up.jsonWarnings.map { $0["message"] } == ["not run, because of up: down"])
            #expect(try await SyncTests.entry(of: id, in: folder, org)["__local__"] == true)
            let text = try await SoupTool.run(
                "sync", "up", "--config", folder.path, environment: org.environment)
            #expect(text.status == 1)
            #expect(text.output.contains { $0.contains("STRING_TOO_LONG") })
        }
    }

    /// Alone, the run says that the record waits; together with the other sync, it is sent.
    @Test func `A record that waits for another is not called failed`() async throws {
        try await ServedOrg.with { org in
            let indexes = #"[{"path": "Id", "type": "string"}, {"path": "__local__", "type": "string"}]"#
            func up(_ soup: String, _ fields: String) -> String {
                #"""
                {"syncName": "\#(soup)Up", "syncType": "syncUp", "soupName": "\#(soup)", "target": {"sobjectType": "\#(soup == "accounts" ? "Account" : "Contact")"},
                  "options": {"mergeMode": "OVERWRITE", "fieldlist": [\#(fields)]}}
                """#
            }
            let folder = try WorkFolder([
                "userstore.json": #"""
                {"soups": [{"soupName": "accounts", "indexes": \#(indexes)}, {"soupName": "contacts", "indexes": \#(indexes)}]}
                """#,
                "usersyncs.json":
                    #"{"syncs": [\#(up("contacts", #""LastName", "AccountId""#)), \#(up("accounts", #""Name""#))]}"#,
            ])
            let account = try await org.soup(folder, "create", "accounts", "Name=Acme").json
            let id = try #require(account.first?["Id"]?.stringValue)
            #expect(try await org.soup(folder, "create", "contacts", "LastName=Ray", "AccountId=\(id)").status == 0)
            let alone = try await SoupTool.run(
                "sync", "contactsUp", "--config", folder.path, environment: org.environment)
            #expect(alone.status == 1)
            #expect(alone.output.contains("contactsUp: DONE, 1 waiting for other records"), "\(alone.output)")
            #expect(alone.output.contains { $0.contains("create of contacts 1: waiting: NO_PARENT") })
            #expect(alone.errors.contains { $0.contains("sync \"contactsUp\": 1 waiting for other records") })
            let both = try await SoupTool.run(
                "sync", "contactsUp", "accountsUp", "--config", folder.path, environment: org.environment)
            #expect(both.status == 0, "\(both.errors)")
            #expect(both.output.contains("contactsUp: DONE, 1 created"), "\(both.output)")
        }
    }

    /// Following the hint of the error leads to a run without errors.
    @Test(arguments: [true, false]) func `An entry with an impossible ID is reported`(isCorrected: Bool) async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let refresh =
                #"{"type": "refresh", "soupName": "contacts", "sobjectType": "Contact", "fieldlist": ["LastName"]}"#
            let query = #"{"type": "soql", "query": "SELECT FirstName, LastName, Title FROM Contact"}"#
            let folder = try WorkFolder([
                "userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs.replacing(query, with: refresh),
            ])
            let id = try #require(try org.rows("Contact").keys.sorted().first)
            let given = try await SoupTool.run(
                ["upsert", "contacts", "--config", folder.path], input: #"[{"Id": "\#(id)"}, {"Id": "no id"}]"#)
            #expect(given.status == 0)
            let run = try await org.soup(folder, "sync", "down")
            #expect(run.status == 1)
            let outcomes = try run.json.filter { $0["event"] == "outcome" }
            #expect(outcomes.map { $0["id"] } == ["no id"])
            #expect(outcomes.first?["action"] == "fetch" && outcomes.first?["error"]?["errorCode"] == "IMPOSSIBLE_ID")
            #expect(try run.jsonErrors.map { $0["code"] } == ["recordsFailed"])
            #expect(try run.json.last?["sync"]?["failed"] == 1)
            #expect(
                try await SyncTests.entry(of: id, in: folder, org)["LastName"] != nil, "the other record is fetched")

            let hint = try #require(try run.jsonErrors.first?["hint"]?.stringValue)
            #expect(hint.contains("soup upsert") && hint.contains("soup delete --now"))
            let entryId = try #require(outcomes.first?["entryId"]?.intValue)
            if isCorrected {
                let other = try #require(try org.rows("Contact").keys.sorted().last)
                let entry = try #require(try await org.soup(folder, "retrieve", "contacts", "\(entryId)").output.first)
                let input = entry.replacing("no id", with: other)
                let written = try await SoupTool.run(["upsert", "contacts", "--config", folder.path], input: input)
                #expect(written.status == 0)
            } else {
                let deleted = try await org.soup(folder, "delete", "contacts", "\(entryId)", "--now")
                #expect(deleted.status == 0)
            }
            let count = try await org.soup(folder, "query", "select count(*) from {contacts}")
            #expect(count.output == [isCorrected ? "[2]" : "[1]"])
            #expect(try await org.soup(folder, "sync", "down").status == 0)
        }
    }

    @Test func `The hint names a missing file of syncs`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store])
        for command in [["sync", "down"], ["clean-ghosts", "down"], ["status", "down"]] {
            let refused = try await SoupTool.run(
                command + ["--config", folder.path, "--json"],
                environment: ["SOUP_INSTANCE_URL": "http://127.0.0.1:1", "SOUP_ACCESS_TOKEN": "x"])
            #expect(refused.status == 1, "\(command)")
            #expect(try refused.jsonErrors.map { $0["code"] } == ["syncNotFound"])
            let hint = try refused.jsonErrors.first?["hint"]?.stringValue ?? ""
            #expect(hint.contains("has no usersyncs.json"), "\(command): \(hint)")
        }
    }

    /// The token of `org.json` is not sent to the server in the environment variable.
    @Test func `A withheld token is reported`() async throws {
        let folder = try SyncTests.folder()
        try folder.write(#"{"instanceUrl": "http://127.0.0.1:2", "accessToken": "t"}"#, to: "org.json")
        for command in [["sync", "down"], ["clean-ghosts", "down"]] {
            let run = try await SoupTool.run(
                command + ["--config", folder.path, "--json"], environment: ["SOUP_INSTANCE_URL": "http://127.0.0.1:1"])
            let warning = try #require(try run.jsonWarnings.first, "\(command)")
            #expect(warning["message"]?.stringValue?.contains("accessToken of the file is not used") == true)
            #expect(warning["hint"]?.stringValue?.contains("SOUP_ACCESS_TOKEN") == true)
        }
    }

    @Test func `A failed sync is reported and the remaining ones do not run`() async throws {
        let folder = try SyncTests.folder()
        let unreachable = ["SOUP_INSTANCE_URL": "http://127.0.0.1:1", "SOUP_ACCESS_TOKEN": "x"]
        _ = try await SoupTool.run("create", "contacts", "LastName=A", "--config", folder.path)
        let unknown = try await SoupTool.run(
            "sync", "down", "upp", "--config", folder.path, "--json", environment: unreachable)
        #expect(unknown.status == 1)
        #expect(unknown.output == [], "no sync runs when one of the names is wrong")
        #expect(try unknown.jsonErrors.map { $0["hint"] } == [#"Did you mean "up"?"#])
        let offline = try await SoupTool.run("sync", "up", "--config", folder.path, "--json")
        #expect(offline.status == 1)
        #expect(try offline.jsonErrors.map { $0["hint"]?.stringValue?.contains("SOUP_INSTANCE_URL") } == [true])

        try await ServedOrg.with(seed: .tiny) { org in
            var wrong = org.environment
            wrong["SOUP_ACCESS_TOKEN"] = "nonsense"
            let refused = try await SoupTool.run(
                "sync", "up", "down", "--config", folder.path, "--json", environment: wrong)
            #expect(refused.status == 1)
            #expect(try refused.jsonErrors.map { $0["code"] } == ["sessionExpired"])
            #expect(
                try refused.jsonErrors.first?["hint"]?.stringValue?.contains("SOUP_ACCESS_TOKEN or org.json") == true)
            #expect(try Set(refused.json.map { $0["sync"]?["name"] }) == ["up"])
            #expect(try refused.json.last?["sync"]?["status"] == "STOPPED")
            let text = try await SoupTool.run("sync", "up", "--config", folder.path, environment: wrong)
            #expect(text.output == ["up: STOPPED"], "without the text \"nothing to push\"")
            let status = try await org.soup(folder, "status", "up")
            #expect(try status.json.first?["waitingForLogin"] == true)
            #expect(try status.json.first?["error"] == "")
            let table = try await SoupTool.run("status", "up", "--config", folder.path)
            #expect((table.output + table.errors).contains { $0.contains("log in and run it again") })
            // The local changes are kept: with a valid token the sync continues.
            let resumed = try await org.soup(folder, "sync", "up")
            #expect(resumed.status == 0)
            #expect(try await org.soup(folder, "status", "up").json.first?["waitingForLogin"] == nil)
        }
    }
}

#endif
