// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A test of the rules of ``SyncUpTarget``: an author provides a configuration, a server and a few changes.
///
/// ```swift
/// @Test func `The target follows the rules`() async throws {
///     try await SyncUpTargetSuite(
///         WeatherTarget.self, configuration: "{}",
///         batches: [
///             [RecordChange(.create, soup: "readings", entryId: 1, record: record)],
///             [RecordChange(.update, soup: "readings", entryId: 1, serverId: "a1", record: record)],
///             [RecordChange(.delete, soup: "readings", entryId: 1, serverId: "a1", record: record)],
///         ], missingRecords: { _ in HTTPAnswer(status: 404, #"{"code": "NO_READING"}"#) }
///     ) { request, refused in
///         refused.isEmpty ? HTTPAnswer(status: 201, #"{"id": "a1"}"#) : HTTPAnswer(status: 400, "[]")
///     }.check()
/// }
/// ```
///
/// The target must be able to distinguish the server's responses from those of gateways: the suite also responds with
/// HTML pages, redirects, empty bodies and unusable IDs, and none of them may count as the server's response.
///
/// A check without data to test is a violation, so that a passing suite has tested all rules. Provide creations,
/// updates and deletions, for trees also deletions of children without their parents, a ``recordCount`` for creations
/// that may be pushed twice, a server that answers all requests of the target, and one that does not have the records.
public struct SyncUpTargetSuite<Target: SyncUpTarget>: Sendable {
    /// A function that simulates the server: it accepts every change except `refused`, which must fail in this push.
    ///
    /// It must identify the changes of a request by the content of the request; it may be called concurrently.
    public typealias Server =
        @Sendable (_ request: RecordedRequest, _ refused: [RecordChange]) async throws -> HTTPAnswer

    /// The JSON target object from which the target is created.
    public var configuration: String
    /// Target objects that must be rejected, each with a place.
    public var badConfigurations: [String]
    /// Batches of changes, each of one kind, as the engine creates them.
    public var batches: [[RecordChange]]
    /// The number of records on the server; needed if the target reports a creation as idempotent
    /// (``SyncUpTarget/isIdempotent(_:)``): the suite pushes it twice, and the server must then have one record.
    public var recordCount: (@Sendable () async -> Int)?
    /// Whether the target implements ``SyncUpTarget/findCreated(_:in:)``, but returns nil for the creations of these
    /// batches: lookups are then not tested.
    public var withoutLookups: Bool
    /// The server's own response for a wrong path, version or object, if it is the same as for a missing record.
    ///
    /// The target must then confirm the path before a record counts as deleted. Default nil: the server has a distinct
    /// response for a missing record.
    public var wrongPath: HTTPAnswer?
    /// A server that does not have the records of ``batches``; needed for updates and deletions.
    ///
    /// Its response to a request for one of them is the server's own for a missing record. Requests with which the
    /// target confirms that the path is right must succeed.
    public var missingRecords: ScriptedTransport.Server?
    /// A server whose records have other versions than those of ``batches``; needed if
    /// ``SyncUpTarget/isConditional(_:under:)`` returns true for one of the changes.
    public var changedRecords: ScriptedTransport.Server?
    /// The context for the target; its transport is replaced.
    public var context: SyncContext
    /// Returns the response to every request, unless the suite drops the request.
    public var server: Server

    /// Creates a suite; the default context has the soup `records`, a clock whose sleeps end at once, and no base path,
    /// so that the server receives the paths below it.
    ///
    /// - Parameter type: determines the target type for the compiler.
    public init(
        _ type: Target.Type, configuration: String, badConfigurations: [String] = [], batches: [[RecordChange]],
        recordCount: (@Sendable () async -> Int)? = nil, withoutLookups: Bool = false, wrongPath: HTTPAnswer? = nil,
        missingRecords: ScriptedTransport.Server? = nil, changedRecords: ScriptedTransport.Server? = nil,
        context: SyncContext? = nil, server: @escaping Server
    ) {
        self.configuration = configuration
        self.badConfigurations = badConfigurations
        self.batches = batches
        self.recordCount = recordCount
        self.withoutLookups = withoutLookups
        self.wrongPath = wrongPath
        self.missingRecords = missingRecords
        self.changedRecords = changedRecords
        self.server = server
        self.context =
            context ?? SyncContext(transport: ScriptedTransport([]), clock: ManualClock.advancing(), soup: "records")
    }

    /// - Throws: ``ConformanceError`` with all violations; nothing if there are none.
    public func check() async throws { try ConformanceError.check("\(Target.name)", await violations()) }

    /// Returns every rule that the target violates, in the order of the checks.
    public func violations() async -> [String] {
        var report = SuiteReport()
        var registry = PluginRegistry()
        do { try registry.register(up: Target.self) } catch {
            return ["register(up:) threw \(error.quoted): give the target a unique name and unique aliases"]
        }
        let target: Target? = ConfigurationChecks.run(
            Target.self, configuration, bad: badConfigurations,
            make: { registry.upTarget($0, at: [.key("target")], problems: &$1) }, report: &report)
        guard let target else { return report.violations }
        checkBatches(target, &report)
        await checkEmpty(target, &report)
        var requests = 0
        var looksUp = false
        var states: [StateSupport] = []
        for batch in batches where !batch.isEmpty {
            guard let accepted = await checkAccepted(target, pushing: batch, &report) else { continue }
            requests += accepted.requests
            looksUp = await checkLookup(target, of: batch, accepted: accepted, &report) || looksUp
            await checkIdempotence(target, pushing: batch, &report)
            if let support = await checkStates(target, of: batch, &report) { states.append(support) }
            guard accepted.requests > 0 else { continue }
            await checkTemporaryIds(target, pushing: batch, &report)
            await checkMissingRecords(target, with: batch, &report)
            await checkConditions(target, pushing: batch, &report)
            await checkRefused(target, pushing: batch, &report)
            for number in 0..<accepted.requests {
                await checkFaults(target, pushing: batch, at: number, of: accepted.requests, &report)
                await checkForeignAnswers(target, pushing: batch, at: number, of: accepted.requests, &report)
                await checkGatewaySuccess(target, pushing: batch, at: number, of: accepted.requests, &report)
            }
            await checkUnusableIds(target, pushing: batch, accepted: accepted, &report)
            await checkWrongPath(target, with: batch, &report)
        }
        report.require(
            requests > 0,
            "no push made a request through context.transport, so nothing was tested: send every request through it")
        checkStateSupport(states, &report)
        let needsLookup = await hasLookup(target) && !withoutLookups
        report.require(
            looksUp || !needsLookup,
            "the target implements findCreated, but it was not tested: add creations to the suite that it can look up, or "
                + "set withoutLookups: true")
        return report.violations
    }

    /// Returns a transport to the author's server that refuses some changes and drops some requests.
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
