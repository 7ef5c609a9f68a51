// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ConflictResolvers
import Foundation
import SoupCore
import SoupTesting
import Testing

@Suite struct ConflictResolversModuleTests {
    private func conflict(localTime: Int64, remoteTime: Int64?) -> RecordConflict {
        RecordConflict(
            soup: "s", entryId: 1, base: nil, local: nil, remote: nil, fields: ["a"],
            localTime: Date(millisecondsSince1970: localTime),
            remoteTime: remoteTime.map { Date(millisecondsSince1970: $0) }
        )
    }

    @Test func `Each resolver keeps its side`() throws {
        var registry = PluginRegistry()
        try ConflictResolversModule().register(in: &registry)
        #expect(registry.conflictResolvers.map(\.name) == ["local", "newest", "remote"])
        var results: [ConflictResolution?] = []
        for name in ["local", "remote", "newest"] as [PluginName] {
            var problems: [ConfigurationProblem] = []
            let resolver = registry.conflictResolver(ResolverReference(named: name), problems: &problems)
            for (local, remote) in [(1, 2), (2, 1), (2, 2), (2, nil)] as [(Int64, Int64?)] {
                results.append(try resolver?.resolve(conflict(localTime: local, remoteTime: remote)))
            }
            #expect(problems == [])
        }
        let newest: [ConflictResolution] = [.remote, .local, .local, .unresolved]
        #expect(results == Array(repeating: .local, count: 4) + Array(repeating: .remote, count: 4) + newest)
    }

    @Test func `Each resolver passes the conformance suite`() throws {
        var conflict = conflict(localTime: 2, remoteTime: 1)
        conflict.serverId = "a1"
        conflict.base = try JSONText(#"{"Id":"a1","a":1}"#)
        conflict.local = try JSONText(#"{"Id":"a1","a":2}"#)
        conflict.remote = try JSONText(#"{"Id":"a1","a":3}"#)
        try ConflictResolverSuite(LocalResolver.self, configuration: "{}", conflicts: [conflict]).check()
        try ConflictResolverSuite(RemoteResolver.self, configuration: "{}", conflicts: [conflict]).check()
        try ConflictResolverSuite(NewestResolver.self, configuration: "{}", conflicts: [conflict]).check()
    }

    @Test func `The sample names registered resolvers`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../sample.json")
        let syncs = try JSONValue(parsing: Array(Data(contentsOf: file)))["syncs"]?.arrayValue ?? []
        let registry = try PluginRegistry([ConflictResolversModule()])
        var problems: [ConfigurationProblem] = []
        let found = syncs.compactMap { $0["options"]?["conflictResolver"] }.compactMap {
            registry.conflictResolver(ResolverReference($0), problems: &problems)
        }
        #expect(found.count == 2 && problems == [])
    }
}
