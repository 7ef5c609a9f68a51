// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// An org and a store that share record trees; both sides can be compared as lines.
struct TreeWorld {
    /// A kind of record: its object, its soup, the field of its name, and the field of its parent's ID.
    struct Kind: Sendable {
        var object: String
        var soup: SoupName
        var name: String
        var parent: String?
    }

    static let accounts = Kind(object: "Account", soup: "accounts", name: "Name")
    static let contacts = Kind(object: "Contact", soup: "contacts", name: "LastName", parent: "AccountId")

    let clock: ManualClock
    let org: LocalOrg
    let kit: SoupClient
    let kinds: [Kind]
    private let folder: TemporaryFolder
    /// The names of the records that tests added, by ID.
    private(set) var names: [String: String] = [:]

    /// - Parameters:
    ///   - seed: the org's custom objects.
    ///   - syncs: the array of `usersyncs.json`.
    ///   - clock: the clock of the org and the engine.
    init(
        _ kinds: [Kind] = [accounts, contacts], seed: String = "{}", syncs: String, clock: ManualClock = ManualClock()
    ) async throws {
        self.kinds = kinds
        self.clock = clock
        org = try LocalOrg(seed: OrgSeed(json: Array(seed.utf8)), clock: clock)
        let soups = kinds.map { kind in
            let paths = (["Id", "__local__"] + [kind.parent].compactMap { $0 })
                .map { #"{"path": "\#($0)", "type": "string"}"# }
            let indexes = paths + [#"{"path": "__sync_id__", "type": "integer"}"#]
            return #"{"soupName": "\#(kind.soup)", "indexes": [\#(indexes.joined(separator: ","))]}"#
        }
        folder = try TemporaryFolder([
            "userstore.json": #"{"soups": [\#(soups.joined(separator: ","))]}"#,
            "usersyncs.json": #"{"syncs": \#(syncs)}"#,
        ])
        kit = try await SoupClient.open(
            at: folder.url, options: .init(transport: org.authorizedTransport, clock: clock, environment: [:]))
    }

    /// Adds a record to the org; the lines contain its name.
    @discardableResult
    mutating func add(_ name: String, _ kind: Kind, under parent: String? = nil) throws -> String {
        var values: JSONObject = [kind.name: .string(name)]
        if let parent, let field = kind.parent { values[field] = .string(id(parent)) }
        let id = try org.insert(kind.object, values)
        names[id] = name
        return id
    }

    func id(_ name: String) -> String { names.first { $0.value == name }?.key ?? "" }

    /// Advances the clock by ten seconds and runs a sync.
    @discardableResult
    func run(_ name: String) async throws -> SyncResult {
        clock.advance(by: .seconds(10))
        let result = try await kit.syncs.reSync(named: name).result
        #expect(result.state.status == .done, "\(name): \(result.state.error)")
        return result
    }

    /// Returns the ID of a record's entry.
    func entry(_ name: String, _ kind: Kind) async throws -> Int64 {
        let (soup, id) = (kind.soup, id(name))
        let found = try await kit.store.read { try $0.lookup(.string(id), at: "Id", in: soup) }
        return try #require(found)
    }

    func edit(_ name: String, _ kind: Kind, to value: String = "mine") async throws {
        try await kit.store.edit(entry(name, kind), setting: [kind.name: .string(value)], in: kind.soup)
    }

    func delete(_ name: String, _ kind: Kind) async throws {
        try await kit.store.delete(entry(name, kind), in: kind.soup)
    }

    /// Creates an entry in the store only, and returns its temporary ID.
    @discardableResult
    func create(
        _ name: String, _ kind: Kind, under parent: String? = nil, fields: JSONObject = [:]
    ) async throws -> String {
        var values: JSONObject = [kind.name: .string(name)]
        for member in fields.members { values[member.key] = member.value }
        if let parent, let field = kind.parent { values[field] = .string(parent) }
        let entry = try await kit.store.create(values, type: kind.object, in: kind.soup)
        return entry["Id"]?.stringValue ?? ""
    }

    /// Returns the org's records as lines: the object, the added name or `*`, the current name, and the parent's name.
    func orgLines() throws -> [String] {
        try kinds.flatMap { kind in
            try org.state(of: kind.object).filter { $0["IsDeleted"] != true }.map { line($0, kind) }.sorted()
        }
    }

    /// Returns the store's entries in the same form.
    func storeLines() async throws -> [String] {
        var lines: [String] = []
        for kind in kinds { lines += try await entries(kind).map { line($0.stored.value, kind) }.sorted() }
        return lines
    }

    /// Returns the entries that are not clean, with their flags.
    func dirtyLines() async throws -> [String] {
        var lines: [String] = []
        for kind in kinds {
            for entry in try await entries(kind) {
                let flags = EntryField.localFlags.filter { entry[JSONPath($0)] == .bool(true) }
                let error = entry[JSONPath(EntryField.lastError)]?.stringValue
                guard !flags.isEmpty || error != nil else { continue }
                lines.append("\(line(entry.stored.value, kind)) \(flags.joined(separator: " "))\(error ?? "")")
            }
        }
        return lines
    }

    /// Returns every entry as it is stored.
    func contents() async throws -> [String] {
        var texts: [String] = []
        for kind in kinds { texts += try await entries(kind).map { "\($0.stored)" }.sorted() }
        return texts
    }

    func entries(_ kind: Kind) async throws -> [SoupEntry] {
        var entries: [SoupEntry] = []
        for try await entry in kit.store.entries(matching: .all(kind.soup, pageSize: 500)) { entries.append(entry) }
        return entries
    }

    private func line(_ record: JSONValue, _ kind: Kind) -> String {
        func name(_ field: String) -> String? {
            record[field]?.stringValue.map { LocalId.isLocal($0) ? "local" : names[$0] ?? "*" }
        }
        let parent = kind.parent.flatMap(name).map { " under \($0)" } ?? ""
        return "\(kind.object) \(name("Id") ?? "-") \(record[kind.name]?.stringValue ?? "-")\(parent)"
    }

    /// Returns the requests after the first `count`, as method and path.
    func requests(since count: Int) -> [String] {
        org.journal.dropFirst(count).map { "\($0.method) \($0.path)" }
    }
}

extension TreeWorld {
    /// Checks that both sides are equal, and that no change remains to be pushed.
    func expectEqualSides(_ comment: Comment? = nil) async throws {
        #expect(try await storeLines() == orgLines(), comment)
        #expect(try await dirtyLines() == [], comment)
    }

    func editInOrg(_ name: String, _ kind: Kind, to value: String = "theirs") throws {
        try org.edit(kind.object, id: id(name), [kind.name: .string(value)])
    }
}
