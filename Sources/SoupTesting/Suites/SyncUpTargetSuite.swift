// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The rules of ``SyncUpTarget`` as a test: an author brings a configuration, a server and a few changes.
///
/// ```swift
/// @Test func keepsTheRules() async throws {
///     try await SyncUpTargetSuite(
///         WeatherTarget.self, configuration: "{}",
///         batches: [
///             [RecordChange(.create, soup: "readings", entryId: 1, record: record)],
///             [RecordChange(.update, soup: "readings", entryId: 1, serverId: "a1", record: record)],
///             [RecordChange(.delete, soup: "readings", entryId: 1, serverId: "a1", record: record)],
///         ]
///     ) { request, refused in
///         refused.isEmpty ? HTTPAnswer(status: 201, #"{"id": "a1"}"#) : HTTPAnswer(status: 400, "[]")
///     }.check()
/// }
/// ```
///
/// The server's answers must be in a form that the target can tell from those of gateways: the suite also answers with
/// pages of HTML, redirects, empty bodies and unusable IDs, and none of them may count as the server's word.
///
/// A check that finds nothing to check is a violation, so that a suite that passes has tested what it promises: give it
/// creations, updates and deletions, a ``recordCount`` for creations that may be pushed twice, and a server that
/// answers what the target asks it.
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
    /// How many records the server holds; needed when the target calls a creation idempotent
    /// (``SyncUpTarget/isIdempotent(_:)``): the suite pushes it twice, and the server must hold one.
    public var recordCount: (@Sendable () async -> Int)?
    /// Whether the target, although it has a ``SyncUpTarget/findCreated(_:in:)``, cannot look up the creations of these
    /// batches and says `notSupported`: then looking up is not tested.
    public var withoutLookups: Bool
    /// The server's own answer for a wrong path, version or object, if it is also that for a missing record.
    ///
    /// Then the target must confirm the path before a record counts as gone. Default nil: a record that is gone has an
    /// answer of its own.
    public var wrongPath: HTTPAnswer?
    /// What the target gets to work with; its transport is replaced.
    public var context: SyncContext
    /// Asked for the answer to every request, unless the suite loses the request on the way.
    public var server: Server

    /// Makes a suite; without a context, one of the soup `records` on a clock whose sleeps end at once.
    ///
    /// - Parameter type: tells the compiler which target is meant.
    public init(
        _ type: Target.Type, configuration: String, badConfigurations: [String] = [], batches: [[RecordChange]],
        recordCount: (@Sendable () async -> Int)? = nil, withoutLookups: Bool = false, wrongPath: HTTPAnswer? = nil,
        context: SyncContext? = nil, server: @escaping Server
    ) {
        self.configuration = configuration
        self.badConfigurations = badConfigurations
        self.batches = batches
        self.recordCount = recordCount
        self.withoutLookups = withoutLookups
        self.wrongPath = wrongPath
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
        do { try registry.register(up: Target.self) } catch {
            return ["register(up:) threw \(error.quoted): give the target a name and aliases that nothing else has"]
        }
        let target: Target? = ConfigurationChecks.run(
            Target.self, configuration, bad: badConfigurations,
            make: { registry.upTarget($0, at: [.key("target")], problems: &$1) }, report: &report)
        guard let target else { return report.violations }
        checkBatches(target, &report)
        await checkEmpty(target, &report)
        var requests = 0
        var looksUp = false
        var tells = false
        for batch in batches where !batch.isEmpty {
            guard let accepted = await checkAccepted(target, batch, &report) else { continue }
            requests += accepted.requests
            looksUp = await checkLookup(target, batch, accepted, &report) || looksUp
            await checkIdempotence(target, batch, &report)
            tells = await checkStates(target, batch, &report) || tells
            guard accepted.requests > 0 else { continue }
            await checkRefused(target, batch, &report)
            for number in 0..<accepted.requests {
                await checkFaults(target, batch, at: number, of: accepted.requests, &report)
                await checkForeignAnswers(target, batch, at: number, of: accepted.requests, &report)
            }
            await checkUnusableIds(target, batch, accepted, &report)
            await checkWrongPath(target, batch, &report)
        }
        report.require(
            requests > 0,
            "no push made a request through context.transport, so that nothing was tested: send every request there")
        checkTelling(target, tells: tells, &report)
        if await hasLookup(target), !looksUp, !withoutLookups {
            report.note(
                "the target has a findCreated, and it was not tested: give the suite creations that it can look up, or say "
                    + "withoutLookups: true")
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
