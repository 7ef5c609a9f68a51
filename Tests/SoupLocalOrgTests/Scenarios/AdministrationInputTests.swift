// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Administration requests that name missing things: none has a partial effect or is taken for another request.
@Suite struct AdministrationInputTests {
    private let client: OrgClient
    private let accounts = [("Account", ["Name", "LastModifiedById"])]

    init() throws {
        var options = OrgOptions()
        options.admin = true
        client = try OrgClient(options: options)
    }

    @Test(arguments: [
        ("undelete", #"{"id": "DEL"}"#, #"undelete has no "id": there are ids"#),
        ("undelete", #"{}"#, #"undelete needs "ids""#),
        ("undelete", #"{"ids": "DEL"}"#, "undelete.ids must be an array of texts"),
        ("undelete", #"{"ids": ["DEL", 1]}"#, "undelete.ids must be an array of texts"),
        ("purge", #"{"id": "DEL"}"#, #"purge has no "id": there are all, ids"#),
        ("purge", #"{}"#, #"purge needs "ids" or "all""#),
        ("purge", #"{"all": 1}"#, "purge.all must be true or false"),
        ("reset", #"{"sede": "medium"}"#, #"reset has no "sede": there are seed; did you mean "seed"?"#),
        (
            "edit", #"{"object": "Account", "id": "ACC", "values": {"Name": "x"}, "as": "unknown"}"#,
            #"no user "unknown""#
        ),
        ("edit", #"{"object": "Account", "id": "ACC", "values": {"Name": "x"}, "as": "acc2"}"#, #"no user "acc2""#),
        ("edit", #"{"object": "Account", "id": "ACC", "vals": {"Name": "x"}}"#, #"edit has no "vals""#),
        ("edit", #"{"object": "Account", "id": "ACC"}"#, #"edit needs "values""#),
        ("edit", #"{"object": "Account", "id": "ACC", "values": 1}"#, "edit.values must be an object"),
        ("edit", #"{"id": "ACC", "values": {}}"#, #"edit needs "object""#),
        ("faults", #"{"faultz": []}"#, "faultz"),
        ("faults", #"{"faults": [], "note": 1}"#, #"body has no "note": there are faults"#),
        ("faults", #"{"faults": 1}"#, "body.faults must be an array of rules"),
        ("purge", #"{"all": false}"#, #"purge needs "ids" or "all""#),
        ("purge", #"{"all": null}"#, #"purge needs "ids" or "all""#),
        ("snapshot", #"{"name": "before"}"#, #"snapshot has no "name": there is nothing more"#),
        ("restore", #"{"name": "before"}"#, #"restore has no "name": there is nothing more"#),
        ("tokens/expire", #"{"user": "me"}"#, #"tokens/expire has no "user": there is nothing more"#),
        ("clock", #"{"run": null}"#, "clock.run must not be null"),
        ("clock", #"{"freeze": null}"#, "clock.freeze must not be null"),
        ("clock", #"{"run": false}"#, "clock.run must be true"),
        ("clock", #"{"run": 1}"#, "clock.run must be true or false"),
        ("clock", #"{"run": true, "freeze": "2030-01-01T00:00:00Z"}"#, "the clock cannot run and freeze"),
        ("reset?seed=medium", #"{}"#, #"/_emu/reset has no parameter "seed""#),
        ("options?dailyLimit=3", #"{}"#, #"/_emu/options has no parameter "dailyLimit""#),
    ])
    func `Unknown resources are rejected`(_ path: String, _ body: String, _ message: String) async throws {
        let before = try client.state(accounts)
        let text = body.replacing("DEL", with: client.org.id(of: "delAcc") ?? "")
            .replacing("ACC", with: client.org.id(of: "acc1") ?? "")
        let answer = try await client.send(.post, "/_emu/\(path)", body: try JSONValue(parsing: Array(text.utf8)))
        let error = try JSONValue(parsing: answer.body)
        #expect(answer.status == 400 && client.code(error) == "INVALID_INPUT", "\(error)")
        #expect(error[0]?.message?.stringValue?.contains(message) == true, "\(error)")
        #expect(try client.state(accounts) == before)
    }

    @Test func `A misspelled parameter removes no faults`() async throws {
        client.org.add(OrgFault(.limit, id: "f1", path: "/never"))
        for (method, path) in [
            (HTTPRequest.Method.delete, "faults?idd=f1"), (.get, "journal?sinse=2"), (.get, "health?x=1"),
        ] {
            let answer = try await client.json(method, "/_emu/\(path)")
            #expect(client.code(answer) == "INVALID_INPUT", "\(answer)")
        }
        #expect(client.org.faults.count == 1)
        #expect(try await client.json(.delete, "/_emu/faults?id=f1") == ["ok": true])
        #expect(client.org.faults.isEmpty)
    }

    @Test(arguments: ["x", "", "-1", "1.5"])
    func `The journal is read from a number on`(_ since: String) async throws {
        let answer = try await client.json(.get, "/_emu/journal?since=\(since)")
        #expect(client.code(answer) == "INVALID_INPUT", "\(answer)")
        #expect(try await client.json(.get, "/_emu/journal") == [])
    }

    @Test func `A user may be named by key`() async throws {
        for name in ["other", "otherUser", "me"] {
            let body: JSONValue = [
                "object": "Account", "id": .string(client.org.id(of: "acc1") ?? ""), "values": ["Name": .string(name)],
                "as": .string(name),
            ]
            #expect(try await client.json(.post, "/_emu/edit", body: body) == ["ok": true])
            let user = client.org.id(of: name == "me" ? "me" : "other") ?? ""
            #expect(try client.state(accounts).hasPrefix("Account \(name) \(user)\n"))
        }
    }
}
