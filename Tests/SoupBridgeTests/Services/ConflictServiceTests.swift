// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupLocalOrg
import SoupTesting
import Testing

@testable import SoupBridge

@Suite struct ConflictServiceTests {
    private static let conflicts = "soupkit.conflicts"

    /// A world with an account that has another name on the server and locally; the sync up found the conflict.
    private static func world() async throws -> (world: BridgeWorld, serverId: String) {
        let world = try await BridgeWorld()
        _ = try await world.store(
            "pgRegisterSoup",
            #"""
            {"soupName":"accounts","indexes":[{"path":"Id","type":"string"},{"path":"Name","type":"string"},
             {"path":"__local__","type":"string"}]}
            """#)
        let account = try #require(try world.org.state(of: "Account").first { $0["IsDeleted"] != true })
        let id = try #require(account["Id"]?.stringValue)
        let target =
            #"{"type":"soql","query":"SELECT Id, Name, LastModifiedDate FROM Account WHERE Id = '\#(id)'"}"#
        try await run(
            "syncDown",
            #"{"soupName":"accounts","target":\#(target),"options":{"mergeMode":"OVERWRITE"}}"#, in: world)
        let fetched = try await entry(of: world)
        let local = fetched.replacing(
            #""Name":"[^"]*""#, by: #""Name":"Mine","__local__":true,"__locally_updated__":true"#)
        _ = try await world.store("pgUpsertSoupEntries", #"{"soupName":"accounts","entries":[\#(local)]}"#)
        world.clock.advance(by: .seconds(10))
        try world.org.edit("Account", id: id, ["Name": "Theirs"])
        try await run(
            "syncUp",
            #"{"soupName":"accounts","target":{},"options":{"mergeMode":"MERGE","fieldlist":["Name"]}}"#, in: world)
        return (world, id)
    }

    /// Runs a sync to its end.
    private static func run(_ action: String, _ arguments: String, in world: BridgeWorld) async throws {
        let events = try world.bridge.events(of: "s")
        _ = try BridgeWorld.value(try await world.sync(action, arguments))
        for await event in events where event.value["status"] != "RUNNING" { break }
    }

    /// Returns the only entry of the soup, as JSON.
    private static func entry(of world: BridgeWorld) async throws -> String {
        let list = try await world.store("pgRetrieveSoupEntries", #"{"soupName":"accounts","entryIds":[1]}"#)
        return String(list.dropFirst("ok [".count).dropLast())
    }

    private static func serverName(_ id: String, in world: BridgeWorld) throws -> JSONValue? {
        try world.org.state(of: "Account").first { $0["Id"]?.stringValue == id }?["Name"]
    }

    @Test func `A conflict is listed with its versions`() async throws {
        let (world, id) = try await Self.world()
        for arguments in ["{}", #"{"soupName":"accounts"}"#, #"{"soupName":null}"#] {
            let list = try BridgeWorld.value(try await world.call(Self.conflicts, "list", with: arguments))
            #expect(list.arrayValue?.count == 1)
            let conflict = try #require(list[0])
            #expect([conflict["soupName"], conflict["entryId"], conflict["id"]] == ["accounts", 1, .string(id)])
            #expect([conflict["code"], conflict["fields"]] == ["CONFLICT", ["Name"]])
            #expect([conflict["local"]?["Name"], conflict["remote"]?["Name"]] == ["Mine", "Theirs"])
            #expect(conflict["base"]?["Name"]?.stringValue?.isEmpty == false)
        }
        _ = try await world.store(
            "pgRegisterSoup", #"{"soupName":"other","indexes":[{"path":"a","type":"string"}]}"#)
        #expect(try await world.call(Self.conflicts, "list", with: #"{"soupName":"other"}"#) == "ok []")
    }

    @Test(arguments: [
        ("local", #""as":"local""#, "Mine"), ("remote", #""as":"remote""#, "Theirs"),
        ("merged", #""as":"merged","record":{"Name":"Both"}"#, "Both"),
    ])
    func `A conflict is resolved`(name: String, version: String, expected: String) async throws {
        let (world, id) = try await Self.world()
        let arguments = #"{"soupName":"accounts","entryId":1,\#(version)}"#
        #expect(try await world.call(Self.conflicts, "resolve", with: arguments) == #"ok "OK""#)
        #expect(try await world.call(Self.conflicts, "list") == "ok []")
        #expect(try await Self.entry(of: world).contains(#""Name":"\#(expected)""#))
        let again = try await world.call(Self.conflicts, "resolve", with: arguments)
        #expect(again.contains(#"entry 1 of soup \"accounts\" is in no conflict"#))
        try await Self.run(
            "syncUp", #"{"soupName":"accounts","options":{"mergeMode":"MERGE","fieldlist":["Name"]}}"#, in: world)
        #expect(try Self.serverName(id, in: world) == .string(expected))
        #expect(try await Self.entry(of: world).contains(#""__local__":false"#))
    }

    @Test func `Local changes are discarded`() async throws {
        let (world, id) = try await Self.world()
        let answer = try await world.call(
            Self.conflicts, "discard", with: #"{"soupName":"accounts","entryIds":[1]}"#)
        #expect(answer == #"ok [{"entryId":1,"result":"restored"}]"#)
        #expect(try await world.call(Self.conflicts, "list") == "ok []")
        let entry = try await Self.entry(of: world)
        #expect(!entry.contains("Mine") && entry.contains(#""__local__":false"#))
        #expect(try Self.serverName(id, in: world) == "Theirs")
    }

    @Test(
        arguments: [
            ("resolve", #"{"soupName":"accounts","entryId":1}"#, "as is missing"),
            ("resolve", #"{"soupName":"accounts","entryId":1,"as":"both"}"#, "as must be local, remote or merged"),
            ("resolve", #"{"soupName":"accounts","entryId":1,"as":"merged"}"#, "record is missing"),
            ("resolve", #"{"soupName":"accounts","entryId":1,"as":"merged","record":[1]}"#, "must be a JSON object"),
            ("resolve", #"{"soupName":"accounts","as":"local"}"#, "entryId is missing"),
            ("resolve", #"{"soupName":"accounts","entryId":7,"as":"local"}"#, "is in no conflict"),
            ("list", #"{"soupName":"unknown"}"#, "there is no soup"),
            ("discard", #"{"soupName":"accounts"}"#, "entryIds is missing"),
            ("discard", #"{"soupName":"accounts","entryIds":[1,7]}"#, "7"),
        ]
    )
    func `Bad arguments are errors that change nothing`(action: String, arguments: String, message: String) async throws
    {
        let (world, _) = try await Self.world()
        let before = try await Self.entry(of: world)
        let answer = try await world.call(Self.conflicts, action, with: arguments)
        #expect(answer.hasPrefix("error ") && answer.contains(message), "\(answer)")
        #expect(try await Self.entry(of: world) == before)
        let list = try BridgeWorld.value(try await world.call(Self.conflicts, "list"))
        #expect(list.arrayValue?.count == 1)
    }
}

extension String {
    /// Returns the text with the only match of a regular expression replaced.
    fileprivate func replacing(_ pattern: String, by replacement: String) -> String {
        guard let expression = try? Regex(pattern) else { return self }
        return replacing(expression, with: replacement, maxReplacements: 1)
    }
}
