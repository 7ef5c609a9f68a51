// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupTesting
import Testing

/// Entries into which an app or an import has put IDs of 15 characters, which the server accepts but never returns.
@Suite struct ShortIdTests {
    /// A team and a person on both sides; in the store, their IDs have 15 characters and count as edited.
    private struct ShortWorld {
        let team: TeamWorld
        let personId: String
        let teamId: String

        init(target: String = "{}", mode: MergeMode = .overwrite) async throws {
            let team = try await TeamWorld(target: target, mode: mode)
            self.team = team
            let red = try await team.create("red", in: "teams")
            try await team.create("ann", ["Team__c": .string(red)])
            try await team.run("treeUp")
            personId = try team.org.state(of: "Person__c").first?["Id"]?.stringValue ?? ""
            teamId = try team.org.state(of: "Team__c").first?["Id"]?.stringValue ?? ""
            try await team.edit("ann", ["Id": Self.short(personId), "Team__c": Self.short(teamId)])
            try await team.edit("red", in: "teams", ["Id": Self.short(teamId)])
        }

        private static func short(_ id: String) -> JSONValue { .string(String(id.prefix(15))) }

        /// Fetches all people; the result of the first time is a second entry of the person.
        func fetchPeople() async throws {
            let query = "SELECT Id, Title__c, Team__c, LastModifiedDate FROM Person__c"
            let result = try await team.kit.syncs.syncDown(
                .soql(query), into: "people", options: SyncOptions(mergeMode: .leaveIfChanged)
            ).result
            #expect(result.error == nil)
        }

        /// Returns the entries as lines: the ID, the title and the team.
        func lines(of soup: SoupName) async throws -> [String] {
            try await team.entries(soup).map { entry in
                let text = ["Id", "Title__c", "Team__c"].compactMap { entry[JSONPath($0)]?.stringValue }
                return text.joined(separator: " ") + (entry["__local__"] == true ? " local" : "")
            }.sorted()
        }
    }

    @Test(arguments: LocalReferenceTests.targets, [MergeMode.overwrite, .leaveIfChanged, .merge])
    func `A push replaces a short ID`(_ target: String, mode: MergeMode) async throws {
        let world = try await ShortWorld(target: target, mode: mode)
        try await world.team.edit("ann", ["Title__c": "anna"])
        #expect(try await world.team.run("peopleUp").updated == 1)
        let lines = ["\(world.personId) anna \(world.teamId.prefix(15))"]
        #expect(try await world.lines(of: "people") == lines)
        #expect(try world.team.orgLines() == ["anna, Team__c red", "red"])
    }

    @Test(arguments: LocalReferenceTests.targets) func `A push removes the copy with the long ID`(
        _ target: String
    ) async throws {
        let world = try await ShortWorld(target: target)
        try await world.team.edit("ann", ["Title__c": "anna"])
        try await world.fetchPeople()
        #expect(try await world.lines(of: "people").count == 2)
        #expect(try await world.team.run("peopleUp").updated == 1)
        try await world.fetchPeople()
        #expect(try await world.lines(of: "people") == ["\(world.personId) anna \(world.teamId)"])
        #expect(try world.team.orgLines() == ["anna, Team__c red", "red"])
    }

    @Test func `Children of a short ID follow their parent`() async throws {
        let world = try await ShortWorld()
        #expect(try await world.team.run("treeUp").error == nil)
        #expect(try await world.lines(of: "teams") == ["\(world.teamId) red"])
        #expect(try await world.lines(of: "people") == ["\(world.personId) ann \(world.teamId)"])
        try await world.team.expectEqualSides(["ann, Team__c red", "red"])
    }

    /// Both entries stay, each with its own ID, and no edit is lost.
    @Test func `An edited copy stays`() async throws {
        let world = try await ShortWorld()
        try await world.fetchPeople()
        for (title, entry) in zip(["mine", "also mine"], try await world.team.entries("people")) {
            try await world.team.kit.store.edit(entry.id, setting: ["Title__c": .string(title)], in: "people")
        }
        #expect(try await world.team.run("peopleUp").updated == 2)
        let (short, long) = (world.personId.prefix(15), world.personId)
        #expect(
            try await world.lines(of: "people") == [
                "\(short) mine \(world.teamId.prefix(15))", "\(long) also mine \(world.teamId)",
            ])
        #expect(try world.team.orgLines() == ["also mine, Team__c red", "red"])
        try await world.fetchPeople()
        #expect(try await world.lines(of: "people").count == 2)
    }
}
