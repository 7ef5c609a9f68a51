// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import SoupCore

/// Plays sets of data cases against a backend and the targets of a registry.
///
/// ```swift
/// var registry = try PluginRegistry(PluginRegistry.standardModules)
/// try registry.register(store: MyStore.self)
/// let runner = ConformanceRunner(registry: registry, backend: "mine")
/// let report = await runner.run(try ConformanceSet.sets(at: "Tests/Conformance"))
/// #expect(report.failed == 0)
/// ```
public struct ConformanceRunner: Sendable {
    /// Knows the backend, and the targets that cases make.
    public let registry: PluginRegistry
    /// The backend that cases on a store are played on.
    public let backend: PluginName
    /// What holds in place of some cases' own expectations.
    public let deviations: Deviations
    /// What cases about requests are played against; nil runs none of them.
    public let org: OrgUnderTest?

    /// - Parameters:
    ///   - registry: must know `backend`; cases about targets that it does not know are not run.
    ///   - org: is reset before each case about a request; nil runs none of them.
    public init(
        registry: PluginRegistry, backend: PluginName = "sqlite", deviations: Deviations = .standard,
        org: OrgUnderTest? = nil
    ) {
        self.org = org
        self.registry = registry
        self.backend = backend
        self.deviations = deviations
    }

    /// Plays sets, one case after another, each on a fresh store.
    ///
    /// - Parameter onResult: called after each case.
    /// - Throws: ``SoupError`` with `registry` when the backend is not known; `CancellationError`. What goes wrong in a
    ///   case is a result of that case.
    public func run(
        _ sets: [ConformanceSet], onResult: (ConformanceResult) -> Void = { _ in }
    ) async throws -> ConformanceReport {
        let stores = try FreshStores(registry: registry, backend: backend)
        var report = ConformanceReport()
        for set in sets {
            report.problems += set.problems
            for example in set.cases {
                try Task.checkCancellation()
                let outcome = await outcome(of: example, in: set, stores)
                let result = ConformanceResult(set: set.name, example: example, outcome: outcome)
                report.results.append(result)
                onResult(result)
            }
        }
        return report
    }

    private func outcome(
        of example: ConformanceCase, in set: ConformanceSet, _ stores: FreshStores
    ) async -> ConformanceResult.Outcome {
        do {
            switch example.kind {
            case .store:
                return try await stores.withStore { store, backend in
                    let player = StoreCasePlayer(store: store, backend: backend)
                    if let reason = try await player.setUp(example) { return .notRun(reason) }
                    return try await outcome(of: example) { await player.outcome(of: $0) }
                }
            case .query: return try await outcome(of: example) { QueryCasePlayer.outcome(of: $0) }
            case .target:
                let player = TargetCasePlayer(registry: registry, set: set)
                return try await outcome(of: example) { await player.outcome(of: $0) }
            case .exchange:
                guard let org else { return .notRun("requests to a local org: none is given") }
                var player = ExchangeCasePlayer(org: org, set: set, deviations: deviations)
                return try await player.outcome(of: example)
            case .prose: return .notRun("written for people: covered by tests written by hand")
            }
        } catch {
            let found: JSONValue = ["error": .string(error.caseCode), "message": .string("\(error)")]
            return .failed([.init(operation: nil, expected: [], found: found, isDeviation: false)])
        }
    }

    /// The operations that leave the store different.
    private static let changing: Set<String> = [
        "registerSoup", "removeSoup", "clearSoup", "alterSoup", "reIndexSoup", "upsert", "remove", "removeByQuery",
    ]

    /// Plays the operations and compares each with what is expected of it.
    private func outcome(
        of example: ConformanceCase, _ play: (JSONValue) async -> CaseAnswer
    ) async throws -> ConformanceResult.Outcome {
        var mismatches: [ConformanceResult.Mismatch] = []
        var notRun: String?
        operations: for (index, operation) in example.operations.enumerated() {
            let deviation = try deviations.expectation(for: example, operation: index)
            switch await play(operation) {
            case .notRun(let reason):
                notRun = notRun ?? reason
                // What follows would be about another store.
                if Self.changing.contains(operation["op"]?.stringValue ?? "") { break operations }
            case .found(let found):
                let expected = deviation.map { [$0] } ?? operation.expectations
                guard !found.satisfies(anyOf: expected) else { continue }
                mismatches.append(
                    .init(
                        operation: example.kind == .store ? (index, operation["op"]?.stringValue ?? "") : nil,
                        expected: expected, found: found, isDeviation: deviation != nil))
            }
        }
        if !mismatches.isEmpty { return .failed(mismatches) }
        return notRun.map { .notRun($0) } ?? .passed
    }
}

/// What playing an operation gave.
enum CaseAnswer: Sendable {
    /// What came, in the words of the cases.
    case found(JSONValue)
    /// Why it was not played.
    case notRun(String)
}
