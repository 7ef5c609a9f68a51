// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// The checks of the transforms in a file of syncs.
@Suite struct TransformCheckTests {
    private func problems(
        down: String, up: String, fieldlist: String = #"["a"]"#, indexes: [String] = []
    ) throws -> [String] {
        var registry = PluginRegistry()
        try registry.register(down: PlainDown.self)
        try registry.register(up: PlainUp.self)
        try registry.register(transform: Reversible.self)
        try registry.register(transform: Lossy.self)
        try registry.register(transform: Removing.self)
        try registry.register(transform: Dropped.self)
        try registry.register(transform: Renamed.self)
        let text = """
            {"syncs": [
            {"syncName": "down", "syncType": "syncDown", "soupName": "s", "target": {"type": "plain"},
             "options": {"mergeMode": "OVERWRITE", "transforms": \(down)}},
            {"syncName": "up", "syncType": "syncUp", "soupName": "s", "target": {"type": "plain"},
             "options": {"mergeMode": "OVERWRITE", "fieldlist": \(fieldlist), "transforms": \(up)}}
            ]}
            """
        let specs = (["Id", "__local__"] + indexes).map { #"{"path": "\#($0)", "type": "string"}"# }
        let store = #"{"soups": [{"soupName": "s", "indexes": [\#(specs.joined(separator: ", "))]}]}"#
        let soups = StoreConfig.read(Array(store.utf8), file: "userstore.json", registry: registry).config
        let (config, problems) = SyncsConfig.read(
            Array(text.utf8), file: "usersyncs.json", registry: registry,
            soups: soups.map { .registered($0) } ?? .unknown)
        #expect(config.syncs.count == 2)
        return problems.map { "\($0)" }
    }

    @Test(arguments: [
        ("[]", "[]"), ("null", "null"), (#"[{"type": "both", "field": "a"}]"#, #"[{"type": "both", "field": "a"}]"#),
        (#"[{"type": "both", "field": "a", "soupName": "s"}]"#, #"[{"type": "both", "field": "a", "soupName": "s"}]"#),
        (#"[{"type": "lossy", "field": "b"}]"#, "[]"),
    ])
    func `Valid transforms have no problems`(down: String, up: String) throws {
        #expect(try problems(down: down, up: up) == [])
    }

    /// The faults of the transforms are found although the target is faulty, too.
    @Test func `Transforms of a sync without a target are checked`() throws {
        var registry = PluginRegistry()
        try registry.register(down: PlainDown.self)
        try registry.register(transform: Reversible.self)
        let text = #"""
            {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "s", "target": {"type": "none"},
              "options": {"mergeMode": "OVERWRITE", "transforms": [{"type": "both", "feld": "a"}, {"type": "x"}]}}]}
            """#
        let problems = SyncsConfig.read(
            Array(text.utf8), file: "usersyncs.json", registry: registry, soups: .unknown
        ).problems
        #expect(
            problems.map { "\($0.place.path ?? "") \($0.message)" } == [
                #"syncs[0].target.type no sync-down target "none" is registered"#,
                #"syncs[0].options.transforms[0].field "field" is missing"#,
                #"syncs[0].options.transforms[0].feld the key "feld" is not known and is ignored"#,
                #"syncs[0].options.transforms[1].type no record transform "x" is registered"#,
            ])
    }

    @Test(arguments: [
        (#"{"a": 1}"#, "[]", "usersyncs.json:3:"),
        (#"["x"]"#, "[]", #"options.transforms[0]: no record transform "x" is registered"#),
        (#"[{"type": "both"}]"#, "[]", "syncs[0].options.transforms[0].field"),
        (#"[{"type": "both", "field": "Id"}]"#, "[]", #"the transform changes "Id", which the sync needs"#),
        (#"[{"type": "both", "field": "LastModifiedDate"}]"#, "[]", #"the transform changes "LastModifiedDate""#),
        (#"[{"type": "both", "field": "a", "soupName": "t"}]"#, "[]", #"the sync has no soup "t". Use "s""#),
        (
            #"[{"type": "renamed", "field": "a"}, {"type": "lossy", "field": "new a"}]"#,
            #"[{"type": "renamed", "field": "a"}]"#, "the sync would send a of the soup \"s\" as the sync \"down\""
        ),
        (
            #"[{"type": "both", "field": "c"}, {"type": "lossy", "field": "b"}]"#, "[]",
            "warning: the sync has other transforms for the soup"
        ),
        (
            "[]", #"[{"type": "dropped", "field": "a"}]"#,
            #"syncs[1].options: warning: a field list names "a", which is never sent"#
        ),
        ("[]", #"[{"type": "lossy", "field": "b"}]"#, #"the transform "lossy" cannot be undone, and the sync pushes"#),
        (#"[{"type": "lossy", "field": "a"}]"#, "[]", "the sync would send a of the soup \"s\" as the sync \"down\""),
        (#"[{"type": "both", "field": "a"}]"#, "[]", "warning: the sync has other transforms for the soup"),
    ])
    func `Faults are reported`(down: String, up: String, text: String) throws {
        let found = try problems(down: down, up: up)
        #expect(found.contains { $0.contains(text) }, "\(found)")
    }

    @Test func `An index on a removed field is reported`() throws {
        let down = #"[{"type": "removing", "field": "a"}]"#
        let found = try problems(down: down, up: "[]", fieldlist: #"["c"]"#, indexes: ["a.b", "b"])
        #expect(
            found.map { $0.drop { $0 != " " } } == [
                #" syncs[0].options.transforms: warning: the soup "s" has an index on "a.b", and the transforms remove or rename this field. "#
                    + "Index the field by its name in the store, or remove the index."
            ], "\(found)")
        #expect(try problems(down: down, up: "[]", fieldlist: #"["c"]"#, indexes: ["b"]) == [])
    }

    @Test func `Unknown sent fields may be lost ones`() throws {
        let found = try problems(down: #"[{"type": "lossy", "field": "b"}]"#, up: "[]", fieldlist: "null")
        #expect(found.contains { $0.contains("the sync would send b of the soup") }, "\(found)")
    }
}

private struct PlainDown: SyncDownTarget {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "plain"
    init(configuration: Configuration) {}
    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage { RecordPage(levels: []) }
}

private struct PlainUp: SyncUpTarget {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "plain"
    init(configuration: Configuration) {}
    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] { [] }
    func pushedFields(level: Int, with options: SyncOptions) -> [PushedFields] {
        options.fieldlist.map { [PushedFields(.update, $0, at: nil)] } ?? []
    }
}

private struct FieldConfiguration: Decodable, Sendable { var field: String }

private struct Reversible: RecordTransform {
    static let name: PluginName = "both"
    let fields: [String]
    init(configuration: FieldConfiguration) { fields = [configuration.field] }
    func apply(to record: JSONText) throws -> JSONText { record }
    var inverse: (any RecordTransform)? { self }
}

private struct Lossy: RecordTransform {
    static let name: PluginName = "lossy"
    let fields: [String]
    init(configuration: FieldConfiguration) { fields = [configuration.field] }
    func apply(to record: JSONText) throws -> JSONText { record }
}

private struct Removing: RecordTransform {
    static let name: PluginName = "removing"
    let fields: [String]
    init(configuration: FieldConfiguration) { fields = [configuration.field] }
    func apply(to record: JSONText) throws -> JSONText { record.setting(fields.map { (name: $0, value: nil) }) }
}

private struct Dropped: RecordTransform {
    static let name: PluginName = "dropped"
    let fields: [String]
    init(configuration: FieldConfiguration) { fields = [configuration.field] }
    func apply(to record: JSONText) throws -> JSONText { record.setting(fields.map { (name: $0, value: nil) }) }
    var inverse: (any RecordTransform)? { self }
}

private struct Renamed: RecordTransform {
    static let name: PluginName = "renamed"
    let names: (server: String, store: String)
    init(configuration: FieldConfiguration) { names = (configuration.field, "new \(configuration.field)") }
    private init(_ names: (server: String, store: String)) { self.names = names }
    var fields: [String] { [names.server, names.store] }
    var inverse: (any RecordTransform)? { Renamed((names.store, names.server)) }
    func apply(to record: JSONText) throws -> JSONText {
        guard let value = record.members?.first(where: { $0.key == names.server })?.value else { return record }
        return record.setting([(name: names.server, value: nil), (name: names.store, value: value)])
    }
}
