// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupCore

private struct StationTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {
        var station: String
        var days: Int?
    }
    static let name: PluginName = "station"
    static let aliases: [PluginName] = ["com.example.StationTarget"]
    static let sample = try? JSONText(["type": "station", "station": "A1"])
    init(configuration: Configuration) {}
    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage { RecordPage(levels: []) }
}

/// Python compares the schemas with `soup validate`: see Tests/Schemas.
@Suite struct PluginRegistrySchemasTests {
    @Test func `The options of a registered target are a definition`() throws {
        var registry = PluginRegistry()
        try registry.register(down: StationTarget.self)
        let schema = registry.syncsSchema
        #expect(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema")
        let target = try #require(schema["$defs"]?["down.station"])
        #expect(target["required"] == ["station"] && target["properties"]?["days"]?["type"] == ["integer", "null"])
        #expect(target["examples"] == [["type": "station", "station": "A1"]])
        let chosen = schema["$defs"]?["downTargetByName"]?["then"]?["allOf"]?[0]
        let names: JSONValue = ["enum": ["station", "com.example.StationTarget"]]
        #expect(
            chosen == [
                "if": ["required": ["swiftImpl"], "properties": ["swiftImpl": names]],
                "then": ["$ref": "#/$defs/down.station"],
            ], "\(schema)")
    }

    @Test func `A backend that a function opens has any options`() throws {
        var registry = PluginRegistry()
        try registry.register(store: "drafts") { _, _ in throw SoupError.storeClosed }
        let schema = registry.storeSchema
        #expect(schema["$defs"]?["backend"]?["properties"]?["type"] == ["enum": ["drafts"]])
        #expect(schema["$defs"]?["backend.drafts"] == ["additionalProperties": true])
    }

    @Test func `Names that differ in one character have two definitions`() throws {
        var registry = PluginRegistry()
        for name in ["a/b", "ab", "a-b"] as [PluginName] {
            try registry.register(store: name) { _, _ in throw SoupError.storeClosed }
        }
        let schema = registry.storeSchema
        let names = schema["$defs"]?.objectValue?.keys.filter { $0.hasPrefix("backend.") } ?? []
        #expect(names.count == 3 && names.contains("backend.ab"), "\(names)")
        let references = schema["$defs"]?["backend"]?["allOf"]?.arrayValue?.compactMap {
            $0["then"]?["$ref"]?.stringValue
        }
        #expect(Set(references ?? []) == Set(names.map { "#/$defs/\($0)" }))
    }

    @Test func `Reserved names cannot be the name of a soup`() {
        let soup = PluginRegistry().storeSchema["properties"]?["soups"]?["items"]
        let reserved = soup?["properties"]?["soupName"]?["not"]?["enum"]?.arrayValue ?? []
        #expect(Set(reserved.compactMap(\.stringValue)) == Set(SoupName.reserved.map(\.rawValue)))
    }
}
