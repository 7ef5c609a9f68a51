// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ConflictResolvers
import Foundation
import SoupCore
import Testing

@Suite struct ConflictResolverTests {
    private func conflict(here: Int64, there: Int64?) -> RecordConflict {
        RecordConflict(
            soup: "s", entryId: 1, base: nil, local: nil, remote: nil, fields: ["a"], localTime: here, remoteTime: there
        )
    }

    @Test func `The side that was named wins`() throws {
        var registry = PluginRegistry()
        try ConflictResolversModule().register(in: &registry)
        #expect(registry.conflictResolvers.map(\.name) == ["local", "newest", "remote"])
        var answers: [ConflictResolution?] = []
        for name in ["local", "remote", "newest"] as [PluginName] {
            var problems: [ConfigurationProblem] = []
            let resolver = registry.conflictResolver(ResolverReference(named: name), problems: &problems)
            for (here, there) in [(1, 2), (2, 1), (2, 2), (2, nil)] as [(Int64, Int64?)] {
                answers.append(try resolver?.resolve(conflict(here: here, there: there)))
            }
            #expect(problems == [])
        }
        let newest: [ConflictResolution] = [.remote, .local, .local, .unresolved]
        #expect(answers == Array(repeating: .local, count: 4) + Array(repeating: .remote, count: 4) + newest)
    }

    @Test func `The sample names resolvers that are there`() throws {
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
