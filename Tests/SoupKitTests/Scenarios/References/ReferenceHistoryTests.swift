// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupTesting
import Testing

/// Random records that refer to each other, in two soups with syncs of their own.
@Suite struct ReferenceHistoryTests {
    @Test(arguments: 0..<24) func `Every reference reaches the server`(_ seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let targets = LocalReferenceTests.targets
        let modes: [MergeMode] = [.overwrite, .leaveIfChanged, .merge]
        let world = try await TeamWorld(target: targets[seed % 3], mode: modes[seed / 3 % 3])
        var ids: [SoupName: [String]] = [:]
        var titles: [String: SoupName] = [:]
        for number in 0..<Int.random(in: 2...9, using: &random) {
            let soup: SoupName = Bool.random(using: &random) ? "people" : "teams"
            ids[soup, default: []].append(try await world.create("r\(number)", in: soup))
            titles["r\(number)"] = soup
        }
        for _ in 1...3 {
            for (title, soup) in titles.sorted(by: { $0.key < $1.key }) {
                for field in TeamWorld.links[soup] ?? [] where Int.random(in: 0..<3, using: &random) > 0 {
                    // The app keeps the IDs that it has read, also after they were replaced.
                    let other: SoupName = ["Boss__c", "Lead__c"].contains(field) ? "people" : "teams"
                    guard let id = ids[other]?.randomElement(using: &random) else { continue }
                    let own = try await world.entries(soup).first { $0["Title__c"]?.stringValue == title }
                    guard own?["Id"]?.stringValue != id else { continue }
                    try await world.edit(title, in: soup, [field: .string(id)])
                }
            }
            // A single run leaves only records that wait.
            let first = Bool.random(using: &random) ? "peopleUp" : "teamsUp"
            #expect(try await world.run(first).waitsOnly)
        }
        var sequence = try await world.kit.syncs.sequence(of: ["teamsUp", "peopleUp"])
        while let name = sequence.next() { sequence.finished(name, try await world.run(name)) }
        #expect(sequence.waiting == [])
        #expect(try world.orgLines() == (try await world.storeLines()))
        #expect(try world.orgLines().count == titles.count)
        #expect(try await world.dirty() == [])
    }

    /// Every person has a team, with which it is pushed.
    @Test(arguments: 0..<18) func `Every reference in trees reaches the server`(_ seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let modes: [MergeMode] = [.overwrite, .leaveIfChanged, .merge]
        let world = try await TeamWorld(mode: modes[seed % 3])
        var teams: [String] = []
        var people: [String] = []
        for round in 1...3 {
            for number in 0..<Int.random(in: 1...3, using: &random) {
                teams.append(try await world.create("t\(round)\(number)", in: "teams"))
            }
            for number in 0..<Int.random(in: 1...4, using: &random) {
                let team = teams.randomElement(using: &random) ?? ""
                people.append(try await world.create("p\(round)\(number)", ["Team__c": .string(team)]))
            }
            let all: [SoupName] = ["people", "teams"]
            for soup in all {
                for entry in try await world.entries(soup) where Bool.random(using: &random) {
                    let (field, ids) = soup == "people" ? ("Boss__c", people) : ("Lead__c", people)
                    guard let id = ids.randomElement(using: &random), entry["Id"]?.stringValue != id else { continue }
                    try await world.kit.store.edit(entry.id, setting: [field: .string(id)], in: soup)
                }
            }
            let result = try await world.run("treeUp")
            let left = try await world.dirty()
            #expect(result.isComplete, "round \(round): \(left)")
            #expect(try world.orgLines() == (try await world.storeLines()))
            #expect(try await world.dirty() == [])
        }
        #expect(try world.orgLines().count == teams.count + people.count)
    }
}
