// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupConformance
import Foundation
import SoupLocalOrg
import SoupCore
import SoupKit
import Testing

/// Tests the sets of `Tests/Conformance`, and the deviations from them.
@Suite struct ConformanceSetTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Conformance")

    static func sets() throws -> [ConformanceSet] { try ConformanceSet.sets(at: folder) }

    /// The stores of the cases; the composed ones have soups of the cases in different stores.
    static let stores: [StoreReference] = [
        StoreReference(type: "sqlite"), StoreReference(type: "memory"),
        StoreReference(["type": "metered", "store": ["type": "sqlite"]]),
        StoreReference([
            "type": "routed", "default": ["type": "sqlite"], "stores": ["second": ["type": "sqlite"]],
            "routes": ["employees": "second", "departments": "second", "s": ["type": "sqlite"]],
        ]),
        StoreReference([
            "type": "routed", "default": ["type": "metered", "store": ["type": "memory"]],
            "routes": ["s": ["type": "memory"]],
        ]),
        StoreReference(["type": "layered", "front": ["type": "memory"], "back": ["type": "sqlite"]]),
    ]

    /// The number of cases that a store can run: in memory, and over several stores, it has no Smart SQL.
    private static func minimum(of store: StoreReference) -> Int {
        if store.type == "layered" || store.type == "metered" { return 206 }
        if "\(store.json)".contains("memory") { return 100 }
        return store.type == "routed" ? 184 : 206
    }

    @Test(arguments: stores) func `Every case passes`(on store: StoreReference) async throws {
        let backend = try #require(store.type)
        var options = OrgOptions()
        options.admin = true
        let org = OrgUnderTest(transport: try LocalOrg(seed: .tiny, options: options).transport)
        let runner = ConformanceRunner(registry: .standard, backend: backend, configuration: store.json, org: org)
        let report = try await runner.run(try Self.sets())
        for result in report.results {
            guard case .failed(let mismatches) = result.outcome else { continue }
            let lines = mismatches.map(\.description).joined(separator: "\n")
            Issue.record("\(result.set) \(result.example): \(lines)")
        }
        #expect(report.problems.isEmpty)
        let sums = report.results.count { $0.set == "store/operations.json" }
        #expect(sums == 140)
        #expect(report.passed >= Self.minimum(of: store))
        #expect(report.results.count { $0.set == "rest/cases.jsonl" } == 20)
    }

    @Test func `The built-in deviations equal those of the file`() throws {
        let file = try Data(contentsOf: Self.folder.appending(path: "deviations.json"))
        let written = try ConformanceDeviations(Array(file), file: "deviations.json").entries
        let builtIn = ConformanceDeviations.standard.entries
        #expect(written.count > 0)
        #expect(written.mapValues(\.expectation) == builtIn.mapValues(\.expectation))
        #expect(written.mapValues(\.rule) == builtIn.mapValues(\.rule))
        #expect(written.mapValues(\.reason) == builtIn.mapValues(\.reason))
    }

    /// A deviation that is not necessary would hide a difference.
    @Test func `Every deviation is necessary`() async throws {
        let runner = ConformanceRunner(registry: .standard, deviations: .none)
        let report = try await runner.run(try Self.sets())
        var open: Set<String> = []
        for result in report.results {
            let operations = result.example.json["ops"]?.arrayValue ?? [result.example.json]
            for (index, operation) in operations.enumerated() where operation["expectIOS"] != nil {
                open.insert("\(result.example.id)/\(index)")
            }
            switch result.outcome {
            case .passed: break
            case .notRun: open.insert(result.example.id)
            case .failed(let mismatches):
                for mismatch in mismatches {
                    open.insert(result.example.id + (mismatch.operation.map { "/\($0.index)" } ?? ""))
                    #expect(ConformanceDeviations.standard.entries.keys.contains { $0.hasPrefix(result.example.id) })
                }
            }
        }
        #expect(ConformanceDeviations.standard.entries.keys.filter { !open.contains($0) } == [])
    }
}
