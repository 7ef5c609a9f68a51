// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The rules of ``SyncUpTarget`` as a test: an author brings a configuration, a server and a few changes.
///
/// ```swift
/// @Test func keepsTheRules() async throws {
///     try await SyncUpTargetSuite(
///         WeatherTarget.self, configuration: "{}",
///         batches: [[RecordChange(.create, soup: "readings", entryId: 1, record: try JSONText(#"{"t": 7}"#)), ...]]
///     ) { request, refused in
///         refused.isEmpty ? HTTPAnswer(status: 201, #"{"id": "a1"}"#) : HTTPAnswer(status: 400, "[]")
///     }.check()
/// }
/// ```
public struct SyncUpTargetSuite<Target: SyncUpTarget>: Sendable {
    /// Plays the server: accepts everything but `refused`, the changes that this push must see fail.
    ///
    /// It must tell which of the changes a request carries by what the request says; it may be called concurrently.
    public typealias Server =
        @Sendable (_ request: RecordedRequest, _ refused: [RecordChange]) async throws -> HTTPAnswer

    /// The target object that the target is made from, as JSON.
    public var configuration: String
    /// Target objects that must be refused, each with a place.
    public var badConfigurations: [String]
    /// Batches of changes, each of one kind, as the engine makes them.
    public var batches: [[RecordChange]]
    /// What the target gets to work with; its transport is replaced.
    public var context: SyncContext
    /// Asked for the answer to every request, unless the suite loses the request on the way.
    public var server: Server

    /// Makes a suite; without a context, one of the soup `records` on a clock whose sleeps end at once.
    ///
    /// - Parameter type: tells the compiler which target is meant.
    public init(
        _ type: Target.Type, configuration: String, badConfigurations: [String] = [], batches: [[RecordChange]],
        context: SyncContext? = nil, server: @escaping Server
    ) {
        self.configuration = configuration
        self.badConfigurations = badConfigurations
        self.batches = batches
        self.server = server
        self.context =
            context ?? SyncContext(transport: ScriptedTransport([]), clock: ManualClock.advancing(), soup: "records")
    }

    /// - Throws: ``ConformanceError`` with all violations; nothing when there are none.
    public func check() async throws { try ConformanceError.check("\(Target.name)", await violations()) }

    /// Every rule that the target breaks, in the order of the checks.
    public func violations() async -> [String] {
        var report = SuiteReport()
        var registry = PluginRegistry()
        do { try registry.register(up: Target.self) } catch { return ["it cannot be registered: \(error)"] }
        let target: Target? = ConfigurationChecks.run(
            Target.self, configuration, bad: badConfigurations,
            make: { registry.upTarget($0, at: [.key("target")], problems: &$1) }, report: &report)
        guard let target else { return report.violations }
        report.require(target.maxBatchSize > 0, "it takes batches of \(target.maxBatchSize) changes")
        report.require(!batches.joined().isEmpty, "the suite was given no change to push")
        await checkEmpty(target, &report)
        for batch in batches where !batch.isEmpty {
            guard let requests = await checkAccepted(target, batch, &report) else { continue }
            await checkRefused(target, batch, &report)
            for number in 0..<requests { await checkFaults(target, batch, at: number, of: requests, &report) }
            await checkQuestions(target, batch, &report)
        }
        return report.violations
    }

    /// A transport to the author's server that refuses some changes and loses some requests.
    func transport(
        refusing refused: [RecordChange] = [],
        fault: @escaping @Sendable (Int, RecordedRequest) -> FaultyTransport.Fault? = { _, _ in nil }
    ) -> FaultyTransport {
        let server = self.server
        return FaultyTransport(ScriptedTransport { try await server($0, refused) }, fault: fault)
    }

    func context(_ transport: any HTTPTransport) -> SyncContext {
        var copy = context
        copy.transport = transport
        return copy
    }
}
