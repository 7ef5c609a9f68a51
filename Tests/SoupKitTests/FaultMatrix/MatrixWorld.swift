// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import LocalOrg
import MobileSync
import SalesforceAPI
import SmartStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// How an app syncs accounts, or accounts with their contacts, both ways.
struct MatrixScenario: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var down: String
    var up: String
    var mode: MergeMode
    /// Whether contacts come and go with their accounts.
    var isTree = false
    /// Whether each record is pushed by a request of its own.
    var isSingle: Bool { testDescription.hasPrefix("single ") }

    private static let accounts = #"{"type": "soql", "query": "SELECT Name, Description, Code__c FROM Account"}"#

    private static func rows(
        _ type: String, _ mode: MergeMode, byCode: Bool = false
    ) -> MatrixScenario {
        let code = byCode ? #", "externalIdFieldName": "Code__c""# : ""
        return MatrixScenario(
            testDescription: "\(type) \(mode.rawValue)\(byCode ? " by external id" : "")", down: accounts,
            up: #"""
                {"type": "\#(type)", "sobjectType": "Account", "createFieldlist": ["Name", "Description", "Code__c"],
                 "updateFieldlist": ["Name", "Description"]\#(code)}
                """#, mode: mode)
    }

    private static func trees(_ mode: MergeMode) -> MatrixScenario {
        let family = #"""
            "parent": {"sobjectType": "Account", "soupName": "accounts"},
            "children": {"sobjectType": "Contact", "soupName": "contacts", "sobjectTypePlural": "Contacts",
              "parentIdFieldName": "AccountId"}, "relationshipType": "LOOKUP"
            """#
        return MatrixScenario(
            testDescription: "parent_children \(mode.rawValue)",
            down: #"""
                {"type": "parent_children", "parentFieldlist": ["Name", "Description", "Code__c"],
                 "childrenFieldlist": ["LastName", "AccountId"], "parentSoqlFilter": "", \#(family)}
                """#,
            up: #"""
                {"type": "parent_children", "createFieldlist": ["Name", "Description", "Code__c"],
                 "updateFieldlist": ["Name", "Description"], "childrenCreateFieldlist": ["LastName"],
                 "childrenUpdateFieldlist": ["LastName"], \#(family)}
                """#, mode: mode, isTree: true)
    }

    static let all: [MatrixScenario] =
        ["rest", "batch", "single"].flatMap { type in
            [rows(type, .overwrite), rows(type, .leaveIfChanged), rows(type, .merge)]
        } + [rows("rest", .overwrite, byCode: true), rows("single", .leaveIfChanged, byCode: true)]
        + [trees(.overwrite), trees(.leaveIfChanged)]
}

/// An app with local changes, an org with changes of somebody else, and the time of both.
struct MatrixWorld {
    let scenario: MatrixScenario
    let folder: TemporaryFolder
    let clock = ManualClock.advancing()
    let org: LocalOrg
    let kit: SoupKit

    static let names = 1...5

    /// - Parameter wrap: puts something between the session and the org.
    init(
        _ scenario: MatrixScenario, wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) async throws {
        self.scenario = scenario
        func soup(_ name: String, _ path: String) -> String {
            #"""
            {"soupName": "\#(name)", "indexes": [{"path": "Id", "type": "string"}, {"path": "\#(path)", "type": "string"},
              {"path": "__local__", "type": "string"}, {"path": "__sync_id__", "type": "integer"}]}
            """#
        }
        // A pull with OVERWRITE is meant to replace what could not be pushed.
        let pull = scenario.mode == .merge ? MergeMode.merge : .leaveIfChanged
        func options(_ mode: MergeMode) -> String { #"{"mergeMode": "\#(mode.rawValue)"}"# }
        folder = try TemporaryFolder([
            "userstore.json": #"{"soups": [\#(soup("accounts", "Name")), \#(soup("contacts", "AccountId"))]}"#,
            "usersyncs.json": #"""
            {"syncs": [
              {"syncName": "down", "syncType": "syncDown", "soupName": "accounts", "target": \#(scenario.down),
               "options": \#(options(pull))},
              {"syncName": "up", "syncType": "syncUp", "soupName": "accounts", "target": \#(scenario.up),
               "options": \#(options(scenario.mode))}]}
            """#,
        ])
        org = try LocalOrg(seed: try Self.seed(), clock: clock)
        let session = SessionTransport(
            over: wrap(org.transport),
            credentials: SalesforceCredentials(
                instanceUrl: OrgOptions().instanceURL, clientId: "emu-client", username: "demo@example.org",
                password: "demo"),
            clock: clock, random: { 0.5 })
        kit = try await SoupKit.open(configuration: folder.path, transport: session, clock: clock, environment: [:])
    }

    private static func seed() throws -> Seed {
        var rows: [String] = []
        for number in names {
            rows.append(
                #"{"object": "Account", "key": "a\#(number)", "values": {"Name": "Acme \#(number)", "Code__c": "C\#(number)"}}"#
            )
            rows.append(
                #"{"object": "Contact", "key": "c\#(number)", "values": {"LastName": "Ng \#(number)", "AccountId": "@a\#(number)"}}"#
            )
        }
        let text = #"""
            {"objects": {"Account": {"fields": {"Code__c": {"type": "string", "length": 20, "externalId": true,
              "unique": true}}}}, "seed": [\#(rows.joined(separator: ","))]}
            """#
        return try Seed(json: Array(text.utf8))
    }

    // MARK: - What people do

    /// Somebody else changes the org, and the app changes its store without a network.
    func changeBothSides() async throws {
        clock.advance(by: 10_000)
        try org.edit("Account", id: id("a4"), ["Description": "theirs"])
        try org.delete("Account", id: id("a5"))
        _ = try org.insert("Account", ["Name": "New there", "Code__c": "T1"])
        if scenario.mode == .merge { try org.edit("Account", id: id("a1"), ["Name": "Acme 1 there"]) }
        clock.advance(by: 10_000)
        try await edit("a1", ["Description": "mine"])
        try await edit("a2", ["Description": "mine, too"])
        _ = try await kit.store.deleteLocally(entry("a3"), in: "accounts")
        for name in ["New here 1", "New here 2"] {
            let code = "H\(name.suffix(1))"
            let account = try await kit.store.create(
                ["Name": .string(name), "Code__c": .string(code)], type: "Account", in: "accounts")
            guard scenario.isTree, let parent = account["Id"] else { continue }
            _ = try await kit.store.create(
                ["LastName": .string("Child of \(name)"), "AccountId": parent], type: "Contact", in: "contacts")
        }
        guard scenario.isTree else { return }
        let child = try await entry("c2", in: "contacts")
        _ = try await kit.store.edit(child, setting: ["LastName": "Ng mine"], in: "contacts")
    }

    /// What both sides are to hold in the end: each record once, with the changes of both.
    var expected: [String] {
        let first = scenario.mode == .merge ? "Acme 1 there" : "Acme 1"
        var lines = [
            #"["\#(first)","mine"]"#, #"["Acme 2","mine, too"]"#, #"["Acme 4","theirs"]"#, #"["New here 1",null]"#,
            #"["New here 2",null]"#, #"["New there",null]"#,
        ]
        if scenario.isTree {
            lines += [
                #"["Child of New here 1","New here 1"]"#, #"["Child of New here 2","New here 2"]"#,
                #"["Ng 1","Acme 1"]"#, #"["Ng 4","Acme 4"]"#, #"["Ng mine","Acme 2"]"#,
            ]
        }
        return lines.sorted()
    }

    /// One push and one pull, however they end.
    func sync() async throws {
        for name in ["up", "down"] {
            clock.advance(by: 5_000)
            _ = try await kit.syncs.reSync(named: name).result()
        }
    }

    /// Says what became of creations whose answer was lost, as somebody does who looks at the org.
    func resolveUnknown() async throws {
        for (soup, ids) in try await kit.syncs.unknownCreations() {
            let (object, field) = soup == "accounts" ? ("Account", "Name") : ("Contact", "LastName")
            let rows = try org.state(of: object).filter { $0["IsDeleted"] != true }
            for entry in try await kit.store.retrieve(ids, from: soup) {
                let found = rows.first { $0[field] == entry[JSONPath(field)] }?["Id"]?.stringValue
                try await kit.syncs.resolveUnknown(
                    entryId: entry.id, soup: soup, as: found.map { .created($0) } ?? .resend)
            }
        }
    }

    /// What an app does after some trouble: it syncs until nothing is left, and cleans ghosts.
    func settle() async throws {
        for _ in 1...3 {
            try await sync()
            try await resolveUnknown()
        }
        try await sync()
        _ = try await kit.syncs.cleanResyncGhosts(named: "down")
    }

    // MARK: - State

    func id(_ key: String) -> String { org.id(of: key) ?? "no \(key)" }

    private func entry(_ key: String, in soup: SoupName = "accounts") async throws -> Int64 {
        try await kit.store.lookup(.string(id(key)), at: "Id", in: soup) ?? -1
    }

    private func edit(_ key: String, _ fields: JSONObject) async throws {
        _ = try await kit.store.edit(entry(key), setting: fields, in: "accounts")
    }

    /// The org's records as lines.
    func orgLines() throws -> [String] {
        let accounts = try org.state(of: "Account").filter { $0["IsDeleted"] != true }
        var lines = accounts.map { line($0["Name"], $0["Description"]) }
        if scenario.isTree {
            let names = Dictionary(uniqueKeysWithValues: accounts.map { ($0["Id"] ?? .null, $0["Name"] ?? .null) })
            lines += try org.state(of: "Contact").filter { $0["IsDeleted"] != true }.map {
                line($0["LastName"], names[$0["AccountId"] ?? .null])
            }
        }
        return lines.sorted()
    }

    /// The store's entries in the same form; those with local changes, or without an id of the org, say so.
    func storeLines() async throws -> [String] {
        let ids = Set(
            try (org.state(of: "Account") + org.state(of: "Contact")).filter { $0["IsDeleted"] != true }
                .compactMap { $0["Id"]?.stringValue })
        func marks(_ entry: SoupEntry) -> String {
            let isThere = ids.contains(entry["Id"]?.stringValue ?? "")
            return (entry["__local__"] == true ? " dirty \(entry["__last_error__"] ?? .null)" : "")
                + (isThere ? "" : " not in the org")
        }
        let accounts = try await kit.store.query(.all("accounts", pageSize: 500)).entries
        var lines = accounts.map { line($0["Name"], $0["Description"]) + marks($0) }
        if scenario.isTree {
            let names = Dictionary(
                accounts.map { ($0["Id"] ?? .null, $0["Name"] ?? .null) }, uniquingKeysWith: { first, _ in first })
            lines += try await kit.store.query(.all("contacts", pageSize: 500)).entries.map {
                line($0["LastName"], names[$0["AccountId"] ?? .null]) + marks($0)
            }
        }
        return lines.sorted()
    }

    private func line(_ name: JSONValue?, _ other: JSONValue?) -> String {
        "\(JSONValue.array([name ?? .null, other ?? .null]))"
    }
}
