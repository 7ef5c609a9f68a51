// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import SoupCore

/// Runs sets of data cases against a backend and the targets of a registry.
///
/// ```swift
/// var registry = try PluginRegistry(PluginRegistry.standardModules)
/// try registry.register(store: MyStore.self)
/// let runner = ConformanceRunner(registry: registry, backend: "mine")
/// let report = await runner.run(try ConformanceSet.sets(at: URL(filePath: "Tests/Conformance")))
/// #expect(report.failed == 0)
/// ```
public struct ConformanceRunner: Sendable {
    /// The registry with the backend and the targets of the cases.
    public let registry: PluginRegistry
    /// The backend for cases on a store.
    public let backend: PluginName
    /// The options of the backend, as next to its `type` in a store configuration.
    public let configuration: JSONValue
    /// The expectations that replace those of cases.
    public let deviations: ConformanceDeviations
    /// The org for cases with requests; nil if these are not run.
    public let org: OrgUnderTest?

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - configuration: the options of the backend, an object; it need not repeat the type. Files without a path of
    ///     their own are in a new folder for each case.
    ///   - registry: must contain `backend`; cases with targets that it does not contain are not run.
    ///   - org: the org for cases with requests, which is reset before each case; nil if these are not run.
    public init(
        registry: PluginRegistry, backend: PluginName = "sqlite", configuration: JSONValue = [:],
        deviations: ConformanceDeviations = .standard, org: OrgUnderTest? = nil
    ) {
        self.configuration = configuration
        self.org = org
        self.registry = registry
        self.backend = backend
        self.deviations = deviations
    }

    /// Runs sets, one case after another, each on a new store.
    ///
    /// - Parameter onResult: called after each case.
    /// - Throws: ``SoupError`` with `registry` if the backend is not registered; `CancellationError`. An error in a
    ///   case is the result of that case.
    public func run(
        _ sets: [ConformanceSet], onResult: (ConformanceResult) -> Void = { _ in }
    ) async throws -> ConformanceReport {
        let stores = try TemporaryStores(of: backend, configuration, in: registry)
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
        of example: ConformanceCase, in set: ConformanceSet, _ stores: TemporaryStores
    ) async -> ConformanceResult.Outcome {
        do {
            switch example.kind {
            case .store:
                return try await stores.withStore { store, backend in
                    let runner = StoreCaseRunner(store: store, backend: backend)
                    if let reason = try await runner.setUp(example) { return .notRun(reason) }
                    return try await outcome(of: example) { await runner.result(of: $0) }
                }
            case .query: return try await outcome(of: example) { QueryCaseRunner.result(of: $0) }
            case .target:
                let runner = TargetCaseRunner(registry: registry, set: set)
                return try await outcome(of: example) { await runner.result(of: $0) }
            case .exchange:
                guard let org else { return .notRun("requests to a local org: no org is given") }
                var runner = ExchangeCaseRunner(org: org, set: set, deviations: deviations)
                return try await runner.outcome(of: example)
            case .prose: return .notRun("a description: covered by hand-written tests")
            }
        } catch {
            let found: JSONValue = ["error": .string(error.caseCode), "message": .string("\(error)")]
            return .failed([.init(operation: nil, expected: [], found: found, isDeviation: false)])
        }
    }

    /// The operations that change the store.
    private static let changing: Set<String> = [
        "registerSoup", "removeSoup", "clearSoup", "alterSoup", "reIndexSoup", "upsert", "remove", "removeByQuery",
    ]

    /// Runs the operations, and compares each result with the expectations.
    private func outcome(
        of example: ConformanceCase, _ run: (JSONValue) async -> OperationResult
    ) async throws -> ConformanceResult.Outcome {
        var mismatches: [ConformanceResult.Mismatch] = []
        var notRun: String?
        operations: for (index, operation) in example.operations.enumerated() {
            let deviation = try deviations.expectation(for: example, operation: index)
            switch await run(operation) {
            case .notRun(let reason):
                notRun = notRun ?? reason
                // The following operations expect a changed store.
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

/// The result of an operation.
enum OperationResult: Sendable {
    /// The result, in the format of the cases.
    case found(JSONValue)
    /// The reason why the operation was not run.
    case notRun(String)
}
