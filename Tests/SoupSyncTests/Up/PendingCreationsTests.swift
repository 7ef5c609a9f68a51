// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupMemory
import SoupTesting
import Testing

@testable import SoupSync

@Suite struct PendingCreationsTests {
    private static let layout = RecordLayout(levels: [RecordLayout.Level(soup: "nodes")])

    /// Returns the creations with these IDs, each of which refers to others.
    private func pending(_ references: [Int: [Int]]) async throws -> PendingCreations {
        let store = MemoryStore()
        return try await store.write { writer in
            try writer.registerSoup("nodes", [IndexSpec("Id", .string), IndexSpec("__local__", .string)])
            for (node, others) in references.sorted(by: { $0.key < $1.key }) {
                var record: JSONObject = [
                    "Id": .string("local_\(node)"), "__local__": true, "__locally_created__": true,
                ]
                for (number, other) in others.enumerated() { record["f\(number)"] = .string("local_\(other)") }
                try writer.upsert(RecordBatch([try JSONText(.object(record))]), into: "nodes", matching: .entryId)
            }
            return try PendingCreations([Self.layout], in: writer)
        }
    }

    /// Two creations are in one group exactly if each can be reached from the other.
    @Test(arguments: 0..<40) func `Groups are the cycles of the references`(_ seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let count = Int.random(in: 1...12, using: &random)
        var references: [Int: [Int]] = [:]
        for node in 0..<count {
            let number = Int.random(in: 0...2, using: &random)
            references[node] = (0..<number).map { _ in Int.random(in: 0..<count, using: &random) }
        }
        let groups = try await pending(references).groups()
        func reached(from start: Int) -> Set<Int> {
            var seen: Set<Int> = [start]
            var open = [start]
            while let node = open.popLast() {
                for next in references[node] ?? [] where seen.insert(next).inserted { open.append(next) }
            }
            return seen
        }
        let reachable = (0..<count).map(reached)
        for a in 0..<count {
            for b in 0..<count {
                let isCycle = reachable[a].contains(b) && reachable[b].contains(a)
                #expect((groups["local_\(a)"] == groups["local_\(b)"]) == isCycle, "\(references): \(a), \(b)")
            }
        }
    }

    /// A recursive search would need a frame of the stack for each record.
    @Test func `A long chain has one group per record`() async throws {
        let references = Dictionary(uniqueKeysWithValues: (0..<5000).map { ($0, [$0 + 1]) })
        #expect(Set(try await pending(references).groups().values).count == 5000)
    }

    @Test(
        arguments: [
            (["a", "b"], ["a": ["b"]], ["b", "a"]),
            (["a", "down", "b"], ["a": ["b"]], ["b", "down", "a"]),
            (["a", "b", "c"], ["a": ["b"], "b": ["c"]], ["c", "b", "a"]),
            (["a", "b"], ["a": ["b"], "b": ["a"]], ["a", "b"]),
            (["a", "b", "c"], ["b": ["b", "missing"]], ["a", "b", "c"]),
            (["c", "a", "b"], ["a": ["b"], "b": ["a"], "c": ["a"]], ["a", "c", "b"]),
        ] as [([String], [String: Set<String>], [String])])
    func `Sync ups follow those that they need`(_ names: [String], needed: [String: Set<String>], expected: [String]) {
        #expect(SyncSequence.order(names, ups: ["a", "b", "c"], after: needed) == expected)
    }

    @Test func `Only whole values of members are references`() throws {
        let record = try JSONText(
            #"{"Id": "local_1", "a": "local_2", "b": "x local_3", "c": {"d": "local_4"}, "e": "local_1", "f": ["local_5"]}"#
        )
        #expect(record.localReferences(except: "local_1") == [LocalReference(field: "a", id: "local_2")])
        #expect(try JSONText(#"{"a": "local"}"#).localReferences(except: nil) == [])
        #expect(LocalReference(field: "a", id: LocalId.random()).isCertain)
        #expect(!LocalReference(field: "a", id: "local_council").isCertain)
    }
}
