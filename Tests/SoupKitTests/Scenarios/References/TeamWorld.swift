// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An org and a store with people and teams that refer to each other, in two soups with syncs of their own.
struct TeamWorld {
    static let links: [SoupName: [String]] = ["people": ["Boss__c", "Team__c"], "teams": ["Lead__c", "Part_of__c"]]

    let clock = ManualClock.advancing()
    let org: LocalOrg
    let kit: SoupClient
    let options: SoupClient.Options
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - target: the target of the sync ups of people and of teams; a third one, `treeUp`, pushes both.
    ///   - peopleTarget: another target for people.
    ///   - fields: the fields of people that are sent.
    ///   - transforms: the transforms of `peopleUp`.
    ///   - requiresTeam: whether the org refuses people without a team.
    ///   - treeKeys: whether `treeUp` has client keys.
    ///   - childUpdates: the fields of people that updates of `treeUp` send.
    init(
        target: String = "{}", peopleTarget: String? = nil, mode: MergeMode = .overwrite,
        fields: [String] = ["Title__c", "Boss__c", "Team__c"], transforms: String = "[]", requiresTeam: Bool = false,
        treeKeys: Bool = false,
        childUpdates: [String] = ["Title__c", "Boss__c"],
        transport: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) async throws {
        let person = #""type": "reference", "referenceTo": ["Person__c"]"#
        let team = #""type": "reference", "referenceTo": ["Team__c"]"#
        org = try LocalOrg(
            seed: OrgSeed(
                json: Array(
                    #"""
                    {"objects": {
                      "Person__c": {"label": "Person", "labelPlural": "People", "keyPrefix": "a20", "fields": {
                        "Title__c": {"type": "string", "length": 40}, "Note__c": {"type": "string", "length": 80},
                        "Key__c": {"type": "string", "length": 40, "externalId": true, "unique": true},
                        "Boss__c": {\#(person), "childRelationshipName": "Staff__r"},
                        "Team__c": {\#(team), "childRelationshipName": "People__r", "required": \#(requiresTeam)}}},
                      "Team__c": {"label": "Team", "labelPlural": "Teams", "keyPrefix": "a21", "fields": {
                        "Title__c": {"type": "string", "length": 40}, "Key__c": {"type": "string", "length": 40},
                        "Lead__c": {\#(person), "childRelationshipName": "Leads__r"},
                        "Part_of__c": {\#(team), "childRelationshipName": "Parts__r"}}}}}
                    """#.utf8)), clock: clock)
        let indexes =
            #"[{"path": "Id", "type": "string"}, {"path": "Team__c", "type": "string"}, {"path": "__local__", "type": "string"}]"#
        let links = #"["Title__c", "Lead__c", "Part_of__c"]"#
        let key = treeKeys ? #", "clientKeyFieldName": "Key__c""# : ""
        let updates = childUpdates.map { #""\#($0)""# }.joined(separator: ", ")
        let list = fields.map { #""\#($0)""# }.joined(separator: ", ")
        folder = try TemporaryFolder([
            "userstore.json": #"""
            {"soups": [{"soupName": "people", "indexes": \#(indexes)}, {"soupName": "teams", "indexes": \#(indexes)}]}
            """#,
            "usersyncs.json": #"""
            {"syncs": [
              {"syncName": "peopleUp", "syncType": "syncUp", "soupName": "people",
                "target": \#(peopleTarget ?? target),
                "options": {"mergeMode": "\#(mode.rawValue)", "fieldlist": [\#(list)], "transforms": \#(transforms)}},
              {"syncName": "teamsUp", "syncType": "syncUp", "soupName": "teams", "target": \#(target),
                "options": {"mergeMode": "\#(mode.rawValue)", "fieldlist": \#(links)}},
              {"syncName": "treeUp", "syncType": "syncUp", "soupName": "teams",
                "options": {"mergeMode": "\#(mode.rawValue)"}, "target": {
                  "iOSImpl": "SFParentChildrenSyncUpTarget", "relationshipType": "LOOKUP",
                  "parent": {"sobjectType": "Team__c", "soupName": "teams"\#(key)},
                  "children": {"sobjectType": "Person__c", "sobjectTypePlural": "People__r", "soupName": "people",
                    "parentIdFieldName": "Team__c"\#(key)},
                  "createFieldlist": \#(links), "updateFieldlist": \#(links),
                  "childrenCreateFieldlist": ["Title__c", "Boss__c"],
                  "childrenUpdateFieldlist": [\#(updates)]}}]}
            """#,
        ])
        options = .init(transport: transport(org.authorizedTransport), clock: clock, environment: [:])
        kit = try await SoupClient.open(at: folder.url, options: options)
    }

    var url: URL { folder.url }

    static func object(of soup: SoupName) -> String { soup == "people" ? "Person__c" : "Team__c" }

    /// Creates an entry in the store only, and returns its temporary ID.
    @discardableResult
    func create(_ title: String, in soup: SoupName = "people", _ fields: JSONObject = [:]) async throws -> String {
        var values: JSONObject = ["Title__c": .string(title)]
        for member in fields.members { values[member.key] = member.value }
        return try await kit.store.create(values, type: Self.object(of: soup), in: soup)["Id"]?.stringValue ?? ""
    }

    /// Creates two people in the store only, each of whom is the boss of the other one.
    func createCycle(_ first: String = "ann", _ second: String = "bob") async throws {
        let boss = try await create(first)
        let id = try await create(second, ["Boss__c": .string(boss)])
        try await edit(first, ["Boss__c": .string(id)])
    }

    /// Sets fields of the entry with a title.
    func edit(_ title: String, in soup: SoupName = "people", _ fields: JSONObject) async throws {
        let entry = try #require(try await entries(soup).first { $0["Title__c"]?.stringValue == title })
        try await kit.store.edit(entry.id, setting: fields, in: soup)
    }

    @discardableResult
    func run(_ name: String) async throws -> SyncResult {
        let result = try await kit.syncs.reSync(named: name).result
        #expect(result.state.status == .done, "\(name): \(String(describing: result.error))")
        return result
    }

    /// Runs syncs as one call does, and returns the name of each run with the number of created and updated records.
    func runAll(_ names: [String]) async throws -> [String] {
        var lines: [String] = []
        var sequence = try await kit.syncs.sequence(of: names)
        while let name = sequence.next() {
            let result = try await run(name)
            sequence.finished(name, result)
            let waiting = result.waiting > 0 ? ", \(result.waiting) waiting" : ""
            lines.append("\(name) \(result.created)+\(result.updated)\(waiting)")
        }
        return lines
    }

    func entries(_ soup: SoupName) async throws -> [SoupEntry] {
        var entries: [SoupEntry] = []
        for try await entry in kit.store.entries(matching: .all(soup, pageSize: 500)) { entries.append(entry) }
        return entries
    }

    /// Returns the records of the org as lines: the title, and the titles of the records to which it refers.
    func orgLines() throws -> [String] {
        let rows = try Self.links.keys.map { ($0, try org.state(of: Self.object(of: $0))) }
        return lines(rows)
    }

    /// Returns the entries in the same form.
    func storeLines() async throws -> [String] {
        var rows: [(SoupName, [JSONValue])] = []
        for soup in Self.links.keys { rows.append((soup, try await entries(soup).map(\.stored.value))) }
        return lines(rows)
    }

    private func lines(_ rows: [(soup: SoupName, records: [JSONValue])]) -> [String] {
        var titles: [String: String] = [:]
        for record in rows.flatMap(\.records) {
            titles[record["Id"]?.stringValue ?? ""] = record["Title__c"]?.stringValue
        }
        return rows.flatMap { soup, records in
            records.map { record in
                let links = (Self.links[soup] ?? []).compactMap { field -> String? in
                    record[field]?.stringValue.map { "\(field) \(titles[$0] ?? $0)" }
                }
                return ([record["Title__c"]?.stringValue ?? "-"] + links).joined(separator: ", ")
            }
        }.sorted()
    }

    /// Returns the titles of the entries with local changes, each with the code of its last error.
    func dirty() async throws -> [String] {
        var lines: [String] = []
        let failures = try await kit.syncs.failures()
        for soup in Self.links.keys {
            for entry in try await entries(soup) where entry["__local__"] == true {
                let failure = failures.first { $0.soup == soup && $0.entryId == entry.id }
                lines.append("\(entry["Title__c"]?.stringValue ?? "-") \(failure?.failure.code ?? "-")")
            }
        }
        return lines.sorted()
    }

    /// Checks that both sides are equal, and that no change remains to be pushed.
    func expectEqualSides(_ lines: [String], _ comment: Comment? = nil) async throws {
        #expect(try orgLines() == lines.sorted(), comment)
        #expect(try await storeLines() == lines.sorted(), comment)
        #expect(try await dirty() == [], comment)
    }
}
