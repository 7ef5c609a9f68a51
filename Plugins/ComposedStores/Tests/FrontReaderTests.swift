// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import SoupCore
import Testing

@Suite struct FrontReaderTests {
    typealias Question = @Sendable (any StoreReader) throws -> String

    private static let named = QuerySpec(.like(path: "k", key: "k%"), soup: "a", orderPath: "k", pageSize: 2)

    /// All methods of a reader except `retrieve`.
    private static let questions: [(name: String, ask: Question)] = [
        ("soupNames", { "\(try $0.soupNames())" }),
        ("indexSpecs", { "\(try $0.indexSpecs(of: "a"))" }),
        ("generation", { try $0.generation(of: "a") }),
        ("lookup", { "\(String(describing: try $0.lookup("k2", at: "k", in: "a")))" }),
        ("query", { "\(try $0.query(named, page: 1).texts)" }),
        ("query after", { "\(try $0.query(named, after: nil, arguments: []).page.texts)" }),
        ("positionedPage", { "\(try $0.positionedPage(1, of: named, arguments: []).page.texts)" }),
        (
            "walk",
            { reader in
                var pages: [String] = []
                try reader.walk(named, arguments: []) { page in
                    pages.append("\(page.texts)")
                    return true
                }
                return "\(pages)"
            }
        ),
        ("plan", { "\(try $0.plan(of: named, arguments: []))" }),
        ("plan after", { "\(try $0.plan(of: named, after: nil, arguments: []))" }),
        ("count", { "\(try $0.count(named))" }),
        ("dirtyIds", { "\(try $0.dirtyIds(in: "a"))" }),
        ("cleanValues", { "\(try $0.cleanValues(at: "k", in: "a", writtenBy: nil))" }),
        ("syncedCopies", { "\(try $0.syncedCopies(of: [1, 2], in: "a"))" }),
    ]

    @Test(arguments: questions.indices) func `The back store answers everything else`(_ index: Int) async throws {
        let stores = try TemporaryStores()
        let layered = try await stores.layered()
        try await layered.store.alterSoup(
            "a", to: [IndexSpec("k", .string), IndexSpec("__local__", .string)], reIndex: true)
        for number in 1...3 { try await layered.store.add(#"{"k":"k\#(number)","__local__":false}"#, to: "a") }
        try await layered.store.add(#"{"_soupEntryId":2,"k":"k2","__local__":true}"#, to: "a")
        let (name, ask) = Self.questions[index]
        let expected = try await layered.losing.read(ask)
        let before = layered.back.metrics.reads.count
        #expect(try await layered.store.quickRead(ask) == expected, "\(name)")
        #expect(layered.back.metrics.reads.count == before + 1, "\(name)")
        // The result of the body is not used if it hides the error.
        let hidden = try await layered.store.quickRead { reader in (try? ask(reader)) ?? "hidden" }
        #expect(hidden == expected, "\(name)")
    }
}
