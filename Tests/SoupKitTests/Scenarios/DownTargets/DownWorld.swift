// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupLocalOrg
import Logging
import SoupSync
import SoupSalesforce
import SoupStore
import SoupCore
import SoupKit
import SoupTestApp
import SoupTesting
import Testing

/// A sync down with one target, and the records that it fetches.
struct DownScenario: Sendable, CustomTestStringConvertible {
    struct Level: Sendable {
        var soup: SoupName
        var object: String
        var fields: [String]
    }

    var testDescription: String
    var target: String
    var levels: [Level]
    /// Whether the soup must already contain the IDs.
    var startsFromIds = false
    /// Whether the user must have viewed the records before.
    var startsFromViews = false
    /// Whether each contact belongs to an account.
    var isTree = false
    /// The path of the description that is fetched instead of records; nil for records.
    var description: String?

    /// Whether a run is one request: a search, or a description.
    var hasOneRequest: Bool { description != nil || target.contains(#""sosl""#) }

    static let accounts = Level(soup: "accounts", object: "Account", fields: ["Name", "Description"])
    static let contacts = Level(soup: "contacts", object: "Contact", fields: ["LastName", "Title"])

    static let soql = soql()
    /// The same query by a job, whose result has pages of three that are read concurrently.
    static let bulk = soql("soql by a job", #", "maxBatchSize": 200, "bulkThreshold": 5"#)
    static let mru = DownScenario(
        testDescription: "mru",
        target: #"{"type": "mru", "sobjectType": "Account", "fieldlist": ["Name", "Description"]}"#,
        levels: [accounts], startsFromViews: true)
    static let tree = DownScenario(
        testDescription: "parent_children",
        target: #"""
            {"type": "parent_children", "parentFieldlist": ["Name", "Description"],
             "childrenFieldlist": ["LastName", "Title"], "parentSoqlFilter": "",
             "parent": {"sobjectType": "Account", "soupName": "accounts"},
             "children": {"sobjectType": "Contact", "soupName": "contacts", "sobjectTypePlural": "Contacts",
               "parentIdFieldName": "AccountId"}, "relationshipType": "LOOKUP"}
            """#,
        levels: [accounts, contacts], isTree: true)
    static let sosl = DownScenario(
        testDescription: "sosl",
        target: #"{"type": "sosl", "query": "FIND {Acme*} IN NAME FIELDS RETURNING Account(Name, Description)"}"#,
        levels: [accounts])
    static let refresh = refresh(3)
    static let layout = DownScenario(
        testDescription: "layout", target: #"{"type": "layout", "sobjectType": "Account", "mode": "Edit"}"#,
        levels: [accounts], description: "/ui-api/layout/Account?mode=Edit")
    static let metadata = DownScenario(
        testDescription: "metadata", target: #"{"type": "metadata", "sobjectType": "Account"}"#,
        levels: [accounts], description: "/sobjects/Account/describe")
    static let briefcase = briefcase(4)

    static func soql(_ name: String = "soql", _ more: String = "") -> DownScenario {
        DownScenario(
            testDescription: name,
            target: #"{"type": "soql", "query": "SELECT Name, Description FROM Account"\#(more)}"#,
            levels: [accounts])
    }

    static func refresh(_ count: Int) -> DownScenario {
        DownScenario(
            testDescription: "refresh",
            target: #"""
                {"type": "refresh", "soupName": "accounts", "sobjectType": "Account", "countIdsPerSoql": \#(count),
                 "fieldlist": ["Name", "Description"]}
                """#, levels: [accounts], startsFromIds: true)
    }

    static func briefcase(_ count: Int, objects: Int = 2) -> DownScenario {
        let contacts =
            #", {"soupName": "contacts", "sobjectType": "Contact", "fieldlist": ["LastName", "Title"]}"#
        return DownScenario(
            testDescription: "briefcase",
            target: #"""
                {"type": "briefcase", "countIdsPerRetrieve": \#(count), "infos": [
                  {"soupName": "accounts", "sobjectType": "Account", "fieldlist": ["Name", "Description"]}
                  \#(objects > 1 ? contacts : "")]}
                """#, levels: objects > 1 ? [accounts, Self.contacts] : [accounts])
    }
}

/// An app with one sync down, its org, and their common clock.
struct DownWorld {
    let scenario: DownScenario
    let folder: TemporaryFolder
    let clock: ManualClock
    let org: LocalOrg
    let transport: StallingTransport
    let kit: SoupClient
    /// The org's description at the scenario's path.
    private let described: String?

    /// - Parameters:
    ///   - accounts: the number of accounts in the org, and of contacts, of which there are at most 100.
    ///   - briefcasePageSize: the number of IDs on a page of the briefcase.
    ///   - bulkPageSize: the number of records on a page of a job's result.
    ///   - wrap: wraps the transport to the org.
    init(
        _ scenario: DownScenario, accounts: Int = 10, mergeMode: MergeMode = .leaveIfChanged,
        briefcasePageSize: Int = 7, bulkPageSize: Int = 50_000, clock: ManualClock = ManualClock(),
        log: LogLines = LogLines(from: .critical), wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) async throws {
        self.scenario = scenario
        self.clock = clock
        func soup(_ name: String) -> String {
            #"""
            {"soupName": "\#(name)", "indexes": [{"path": "Id", "type": "string"},
              {"path": "__local__", "type": "string"}, {"path": "__sync_id__", "type": "integer"}]}
            """#
        }
        folder = try TemporaryFolder([
            "userstore.json":
                #"{\#(SyncScenario.standardBackend)"soups": [\#(soup("accounts")), \#(soup("contacts"))]}"#,
            "usersyncs.json": #"""
            {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "accounts",
              "target": \#(scenario.target), "options": {"mergeMode": "\#(mergeMode.rawValue)"}}]}
            """#,
        ])
        var options = OrgOptions()
        options.briefcasePageSize = briefcasePageSize
        options.bulkPageSize = bulkPageSize
        org = try LocalOrg(seed: try Self.seed(accounts, isTree: scenario.isTree), clock: clock, options: options)
        transport = StallingTransport(wrap(org.authorizedTransport))
        kit = try await SoupClient.open(
            at: folder.url,
            options: .init(
                transport: transport, clock: clock, logger: Logger(label: "test") { _ in log }, environment: [:]))
        let user = SalesforceClient(
            SyncContext(
                transport: org.authorizedTransport, basePath: SalesforceCredentials.defaultAPIPath, soup: "accounts"))
        if let path = scenario.description {
            let answer = try await user.send(.get, user.apiPath + path)
            described = Self.line(of: try JSONValue(parsing: answer.body))
        } else {
            described = nil
        }
        if scenario.startsFromViews {
            _ = try await user.query("SELECT Id FROM Account FOR VIEW")
        }
        if scenario.startsFromIds {
            for level in scenario.levels {
                let ids = try org.state(of: level.object).compactMap { $0["Id"] }
                for id in ids { try await kit.store.upsert(["Id": id], into: level.soup) }
            }
        }
    }

    /// Returns the date of the last change of a record of the seed, by its number.
    static func seedTime(_ number: Int) -> Date {
        Date(millisecondsSince1970: 1_704_067_200_000 + Int64(number) * 1000)
    }

    private static func seed(_ count: Int, isTree: Bool) throws -> OrgSeed {
        var rows: [String] = []
        for number in 1...count {
            let time = DateText.format(seedTime(number), zone: "Z")
            rows.append(
                #"{"object": "Account", "key": "a\#(number)", "values": {"Name": "Acme \#(number)"}, "modified": "\#(time)"}"#
            )
            // No test needs more contacts.
            if number > 100 { continue }
            let account = isTree ? #", "AccountId": "@a\#(number)""# : ""
            rows.append(
                #"{"object": "Contact", "key": "c\#(number)", "values": {"LastName": "Ng \#(number)"\#(account)}, "modified": "\#(time)"}"#
            )
        }
        let text = #"""
            {"briefcase": [{"id": "r1", "object": "Account", "orderBy": "Id"},
              {"id": "r2", "object": "Contact", "orderBy": "Id"}], "seed": [\#(rows.joined(separator: ","))]}
            """#
        return try OrgSeed(json: Array(text.utf8))
    }

    /// Returns the ID of a record of the seed: `a3` is the third account, `c3` the third contact.
    func id(_ key: String) -> String { org.id(of: key) ?? "no \(key)" }

    func run() async throws -> SyncResult {
        clock.advance(by: .seconds(10))
        return try await kit.syncs.reSync(named: "down").result
    }

    /// Runs the sync, and returns the progress and the total of every state.
    func progress() async throws -> [String] {
        clock.advance(by: .seconds(10))
        var lines: [String] = []
        for await case .state(let state) in try await kit.syncs.reSync(named: "down").events() {
            lines.append("\(state.status.rawValue) \(state.progress)/\(state.totalSize)")
        }
        return lines
    }

    /// Edits, as another user, the field that is not the name.
    func edit(_ keys: String..., to text: String) throws {
        for key in keys {
            let isAccount = key.hasPrefix("a")
            try org.edit(
                isAccount ? "Account" : "Contact", id: id(key), [isAccount ? "Description" : "Title": .string(text)])
        }
    }

    func delete(_ keys: String...) throws {
        for key in keys { try org.delete(key.hasPrefix("a") ? "Account" : "Contact", id: id(key)) }
    }

    /// Returns the entry of a record.
    func entry(_ key: String) async throws -> SoupEntry? {
        let soup: SoupName = key.hasPrefix("a") ? "accounts" : "contacts"
        return try await kit.store.query(.exact(soup, "Id", equals: .string(id(key)), pageSize: 2)).entries.first
    }

    /// Returns the org's records as lines: the soup, the ID and the fields.
    func orgLines() throws -> [String] {
        if let described { return [described] }
        return try scenario.levels.flatMap { level in
            try org.state(of: level.object).filter { $0["IsDeleted"] != true }.map { row in
                Self.line(of: level, id: row["Id"], values: level.fields.map { row[$0] })
            }
        }.sorted()
    }

    /// Returns the entries of the soups in the same form; entries with local changes end with their flags.
    func storeLines() async throws -> [String] {
        var lines: [String] = []
        for level in scenario.levels {
            for try await entry in kit.store.entries(matching: .all(level.soup, pageSize: 500)) {
                if described != nil {
                    lines.append(Self.line(of: entry.stored.value))
                    continue
                }
                let flags = EntryField.localFlags.filter { entry[JSONPath($0)]?.boolValue == true }
                lines.append(
                    Self.line(of: level, id: entry["Id"], values: level.fields.map { entry[JSONPath($0)] })
                        + flags.map { " " + $0 }.joined())
            }
        }
        return lines.sorted()
    }

    /// Returns a description without the members that only entries have.
    private static func line(of description: JSONValue) -> String {
        let members = description.objectValue?.members ?? []
        return "\(JSONValue.object(JSONObject(members.filter { $0.key != "Id" && !EntryField.own.contains($0.key) })))"
    }

    private static func line(of level: DownScenario.Level, id: JSONValue?, values: [JSONValue?]) -> String {
        "\(level.soup) \(id?.stringValue ?? "?") \(JSONValue.array(values.map { $0 ?? .null }))"
    }
}
