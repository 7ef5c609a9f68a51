// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SoupCore

/// Warnings about keys that are not read, and about sync downs that fetch different fields into one soup.
@Suite struct DecodingReportTests {
    private func warnings(
        _ syncs: String, outer: String = "", registering more: [any PluginModule] = []
    ) throws -> [String] {
        let text = "{\(outer)\"syncs\": [\(syncs)]}"
        let registry = try PluginRegistry([TestTargets()] + more)
        let (_, problems) = SyncsConfig.read(
            Array(text.utf8), file: "f", registry: registry, soups: .registered(SyncsConfigTests.store))
        #expect(problems.allSatisfy { $0.severity == .warning }, "\(problems)")
        return problems.map { "\($0.place.path ?? ""): \($0.message). \($0.hint ?? "")" }
    }

    private func down(_ target: String, name: String = "s", more: String = "", options: String = "") -> String {
        """
        {"syncName": "\(name)", "syncType": "syncDown", "soupName": "contacts"\(more), "target": {\(target)},
         "options": {"mergeMode": "OVERWRITE"\(options)}}
        """
    }
    private let query = #""type": "soql", "query": "SELECT Id FROM Contact""#
    private let ignored = "is not known and is ignored"

    @Test func `Every unread key is reported`() throws {
        let all = try warnings(
            down(
                query + #", "filter": 1, "querry": "x""#, more: #", "foo": 1"#,
                options: #", "resolver": "newest", "mergemode": "MERGE""#), outer: #""sync": [], "#)
        #expect(
            all == [
                #"sync: the key "sync" \#(ignored). Remove it: "syncs" is present too, and is used. Known: syncs."#,
                #"syncs[0].foo: the key "foo" \#(ignored). Known: syncName, syncType, soupName, target, options."#,
                #"syncs[0].target.filter: the key "filter" \#(ignored). Known: idFieldName, maxBatchSize, query."#,
                #"syncs[0].target.querry: the key "querry" \#(ignored). Remove it: "query" is present too, and is used. "#
                    + "Known: idFieldName, maxBatchSize, query.",
                #"syncs[0].options.resolver: the key "resolver" \#(ignored). "#
                    + "Known: mergeMode, fieldlist, conflictResolver, transforms, removeAllGhosts.",
                #"syncs[0].options.mergemode: the key "mergemode" \#(ignored). "#
                    + #"Remove it: "mergeMode" is present too, and is used. "#
                    + "Known: mergeMode, fieldlist, conflictResolver, transforms, removeAllGhosts.",
            ])
    }

    @Test func `The hint for a misspelled key is the right one`() throws {
        #expect(
            try warnings(down(query + #", "maxBatchSise": 200"#)) == [
                #"syncs[0].target.maxBatchSise: the key "maxBatchSise" \#(ignored). Did you mean "maxBatchSize"?"#
            ])
    }

    /// Files of the mobile SDKs have such keys, and users write notes into their files.
    @Test(arguments: [
        #""idFieldName": "Id", "modificationDateFieldName": "LastModifiedDate""#, #""_comment": "x""#, #""//": "x""#,
        ##""#": "x""##, ##""$schema": "x""##,
    ])
    func `Keys of the mobile SDKs and notes are not reported`(key: String) throws {
        #expect(try warnings(down(query + ", " + key)) == [])
    }

    @Test func `Targets of other platforms may have other keys`() throws {
        let target = #""iOSImpl": "SFSoqlSyncDownTarget", "query": "SELECT Id FROM Contact", "station": "north""#
        #expect(try warnings(down(target)) == [])
        let misspelled = try warnings(down(target + #", "maxBatchSise": 200"#))
        #expect(misspelled.count == 1 && misspelled[0].hasSuffix(#"Did you mean "maxBatchSize"?"#))
    }

    /// The objects inside such a target that SoupKit reads are its own, and only the target itself names classes.
    @Test func `Objects inside a target have no other keys`() {
        struct Outer: Decodable {
            struct Inner: Decodable { var name: String }
            var inner: Inner
        }
        let json: JSONValue = [
            "iOSImpl": "X", "idFieldName": "Id", "color": 1, "inner": ["name": "a", "shade": 2, "iOSImpl": "X"],
        ]
        var problems: [ConfigurationProblem] = []
        _ = ConfigurationDecoder.attempt(
            Outer.self, from: json, warnsOfAllUnread: true, readElsewhere: DecodingReport.pluginKeys,
            problems: &problems)
        #expect(problems.map(\.place.path) == ["inner.shade", "inner.iOSImpl"])
    }

    @Test func `A target that reads all keys has no unread one`() throws {
        let found = try warnings(
            down(#""type": "any", "whatever": 1, "known": {"deep": 1}"#), registering: [AnyKeys()])
        #expect(found == [])
    }

    @Test func `Unread keys of a store file are reported`() throws {
        let text = #"""
            {"soups": [], "sups": [], "_note": "x", "backend": {"type": "shelf", "path": "p", "boards": 3, "color": 1}}
            """#
        let (_, problems) = StoreConfig.read(
            Array(text.utf8), file: "f", registry: try TestTargets.registry())
        #expect(problems.map { $0.place.path } == ["sups", "backend.color"])
        #expect(problems.allSatisfy { $0.severity == .warning })
    }

    // MARK: - Fields

    private func list(_ name: String, _ fields: String, of type: String = "Contact") -> String {
        down(#""type": "mru", "sobjectType": "\#(type)", "fieldlist": [\#(fields)]"#, name: name)
    }

    @Test func `Different fields in one soup are reported with both syncs`() throws {
        let found = try warnings(
            [list("a", #""Name", "Phone", "Title""#), list("b", #""name", "Rating""#)].joined(separator: ","))
        #expect(
            found == [
                #"syncs[1].target.fieldlist: the syncs "a" and "b" fetch different fields of Contact into the soup "#
                    + #""contacts": only "a" has Phone, Title; only "b" has Rating. Fetch the same fields in "#
                    + "both: a sync replaces the entries that it fetches, so that an entry has only the fields of the sync "
                    + "that ran last."
            ])
    }

    @Test func `The one sync that differs is named`() throws {
        let syncs = [list("a", #""Name""#), list("b", #""Name""#), list("c", #""Name", "Phone""#)]
        let found = try warnings(syncs.joined(separator: ","))
        #expect(found.count == 1 && found[0].contains(#"only "c" has Phone"#) && !found[0].contains(#"only "a""#))
    }

    @Test func `Equal or incomparable fields are not reported`() throws {
        let cases = [
            [list("a", #""Name", "Phone""#), list("b", #""phone", "NAME", "Id", "LastModifiedDate""#)],
            [list("a", #""Name""#), list("b", #""Phone""#, of: "Account")], [list("a", #""Name""#), down(query)],
        ]
        for syncs in cases { #expect(try warnings(syncs.joined(separator: ",")) == []) }
    }
}

/// A target that accepts any configuration.
private struct AnyKeys: PluginModule, SyncDownTarget {
    let interfaceVersion = 1

    typealias Configuration = [String: JSONValue]
    static let name: PluginName = "any"
    init() {}
    init(configuration: Configuration) {}
    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage { RecordPage(.empty) }
    func register(in registry: inout PluginRegistry) throws { try registry.register(down: AnyKeys.self) }
}
