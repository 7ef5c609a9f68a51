// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Configuration files that were edited after a store was created from them.
@Suite struct ConfigurationDriftTests {
    static let store = """
        {"soups": [{"soupName": "contacts", "indexes": [
            {"path": "Id", "type": "string"}, {"path": "LastName", "type": "string"}]}]}
        """
    static func syncs(_ query: String, mode: String = "OVERWRITE") -> String {
        """
        {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "contacts",
            "target": {"type": "soql", "query": "\(query)"}, "options": {"mergeMode": "\(mode)"}}]}
        """
    }

    /// Opens the folder twice, with changed files the second time, and returns the reported differences.
    static func drift(store: String = store, syncs: String) async throws -> [String] {
        let query = "select Id from Contact"
        let folder = try TemporaryFolder(["userstore.json": Self.store, "usersyncs.json": Self.syncs(query)])
        let first = try await SoupClient.open(at: folder.url, options: .init(environment: [:]))
        #expect(first.drift == [])
        try folder.write(store, to: "userstore.json")
        try folder.write(syncs, to: "usersyncs.json")
        let second = try await SoupClient.open(at: folder.url, options: .init(environment: [:]))
        #expect(try await second.syncs.status(named: "down") == (try await first.syncs.status(named: "down")))
        #expect(
            try await second.store.indexSpecs(of: "contacts").map(\.description) == ["Id string", "LastName string"])
        #expect(second.drift.allSatisfy { $0.severity == .warning && $0.hint != nil })
        return second.drift.map { "\($0.place): \($0.message)" }
    }

    @Test func `White space and the order of members are ignored`() async throws {
        let store = """
            {"soups":[{"indexes":[{"type":"string","path":"LastName"},{"type":"string","path":"Id"}],"soupName":"contacts"}]}
            """
        let syncs = """
            {"syncs": [{"target": {"query": "select Id from Contact", "type": "soql"}, "syncType": "syncDown",
                "soupName": "contacts", "syncName": "down"}]}
            """
        #expect(try await Self.drift(store: store, syncs: syncs) == [])
    }

    @Test func `A different target or options are reported`() async throws {
        #expect(
            try await Self.drift(syncs: Self.syncs("select Id, Name from Contact")) == [
                "usersyncs.json: syncs[0]: the store runs sync \"down\" as an earlier version of this file defined "
                    + "it; different members: target"
            ])
        #expect(
            try await Self.drift(syncs: Self.syncs("select Id from Contact", mode: "LEAVE_IF_CHANGED")) == [
                "usersyncs.json: syncs[0]: the store runs sync \"down\" as an earlier version of this file defined "
                    + "it; different members: options"
            ])
    }

    @Test func `Different indexes are reported`() async throws {
        let store = """
            {"soups": [{"soupName": "contacts", "indexes": [
                {"path": "Id", "type": "string"}, {"path": "LastName", "type": "full_text"}]}]}
            """
        #expect(
            try await Self.drift(store: store, syncs: Self.syncs("select Id from Contact")) == [
                "userstore.json: soups[0].indexes: the indexes of soup \"contacts\" in the store differ from the file; "
                    + "missing: LastName full_text; not in the file: LastName string"
            ])
    }
}
