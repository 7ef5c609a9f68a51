// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupConformance
import SoupCore
import Testing

/// Tests that cases which need a capability that the backend does not have are reported as not run, not as passed.
@Suite struct StoreCaseRunnerCapabilitiesTests {
    @Test func `Operations that need a missing capability are not run`() async throws {
        var registry = PluginRegistry()
        try registry.register(store: BareStore.self)
        let set = """
            [{"id": "1", "soups": [{"name": "s", "indexes": [{"path": "a", "type": "full_text"}]}], "ops": []},
             {"id": "2", "ops": [{"op": "registerSoup", "soup": "t", "indexes": [{"path": "a", "type": "json1"}]}]},
             {"id": "3", "ops": [{"op": "query", "spec": {"queryType": "smart", "smartSql": "select 1"}}]},
             {"id": "4", "ops": [{"op": "columns", "soup": "s"}, {"op": "soupExists", "soup": "s", "expect": {"exists": 1}}]},
             {"id": "5", "ops": [{"op": "alterSoup", "soup": "s", "indexes": [{"path": "a", "type": "string"}]}]},
             {"id": "7", "ops": [{"op": "alterSoup", "soup": "s", "indexes": [{"path": "a", "type": "string"}]},
                                 {"op": "soupExists", "soup": "s", "expect": {"exists": true}}]},
             {"id": "6", "ops": [{"op": "soupExists", "soup": "s", "expect": {"exists": false}}]}]
            """
        let runner = ConformanceRunner(registry: registry, backend: "bare")
        let report = try await runner.run([ConformanceSet(Array(set.utf8), name: "set.json")])
        let outcomes = report.results.map { result in
            switch result.outcome {
            case .passed: "passed"
            case .failed(let mismatches): "failed \(mismatches.count)"
            case .notRun(let reason): reason
            }
        }
        #expect(
            outcomes == [
                "the backend does not have the capability fullText",
                "the backend does not have the capability json1",
                "the backend does not have the capability smartSQL", "failed 1",
                "the backend does not have the capability soupAlteration",
                "the backend does not have the capability soupAlteration", "passed",
            ])
        #expect(report.reasonsNotRun.map(\.count) == [1, 1, 1, 2])
    }
}

/// An empty store without capabilities, which cannot be written to.
private struct BareStore: StoreBackend {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "bare"
    let capabilities: Set<StoreCapability> = []

    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> BareStore { BareStore() }
    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        throw SoupError(.notSupported, "nothing can be written")
    }
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try body(BareReader())
    }
    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { AsyncStream { $0.finish() } }
    func claimSyncs() async throws -> SyncLease? { nil }
    func close() async throws {}
}

private struct BareReader: StoreReader {
    private let missing = SoupError(.soupNotFound, "there are no soups")

    func soupNames() throws -> [SoupName] { [] }
    func indexSpecs(of soup: SoupName) throws -> [IndexSpec] { throw missing }
    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] { throw missing }
    func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64? { throw missing }
    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage { throw missing }
    func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int { throw missing }
    func dirtyIds(in soup: SoupName) throws -> [Int64] { throw missing }
    func cleanValues(
        at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?
    ) throws -> [(id: Int64, value: String)] { throw missing }
}
