// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The rules of ``SyncDownTarget`` as a test: an author brings a configuration and a server, the suite does the rest.
///
/// ```swift
/// @Test func keepsTheRules() async throws {
///     try await SyncDownTargetSuite(WeatherTarget.self, configuration: #"{"station": "EDDF"}"#) { request in
///         HTTPAnswer(readings(on: request[parameter: "page"] ?? "1"))
///     }.check()
/// }
/// ```
///
/// The server must hold a few records with different modification dates, on more than one page, and must give the same
/// answer to the same request every time. A check that finds nothing to check is a violation, so that a suite that
/// passes has tested what it promises; a target whose server has no pages or no dates says so with ``singlePage`` or
/// ``undated``.
public struct SyncDownTargetSuite<Target: SyncDownTarget>: Sendable {
    /// The target object that the target is made from, as JSON.
    public var configuration: String
    /// Target objects that must be refused, each with a place.
    public var badConfigurations: [String]
    /// What the target gets to work with; its transport is replaced.
    public var context: SyncContext
    /// The server that the suite was made with.
    ///
    /// ``context`` has a transport to it; a change afterwards has no effect.
    public var server: ScriptedTransport.Server
    /// Whether the target's server has no pages: everything comes at once, and paging and resuming are not tested.
    public var singlePage: Bool
    /// Whether the target's records carry no modification date: every run brings all, and the high-water mark is not
    /// tested.
    public var undated: Bool
    /// Whether the number of records that the target's server announces is an estimate: then it is not compared with
    /// the number of records that came.
    public var approximateTotal: Bool
    /// More pages than this count as paging without end.
    public var maximumPages = 1000

    /// Makes a suite; without a context, one of the soup `records` on a clock that stands still.
    ///
    /// - Parameter type: names the target, and is not used otherwise.
    public init(
        _ type: Target.Type, configuration: String, badConfigurations: [String] = [], singlePage: Bool = false,
        undated: Bool = false, approximateTotal: Bool = false, context: SyncContext? = nil,
        server: @escaping ScriptedTransport.Server
    ) {
        self.configuration = configuration
        self.badConfigurations = badConfigurations
        self.singlePage = singlePage
        self.undated = undated
        self.approximateTotal = approximateTotal
        self.server = server
        self.context =
            context
            ?? SyncContext(transport: ScriptedTransport(server: server), clock: ManualClock(), soup: "records")
        self.context.transport = ScriptedTransport(server: server)
    }

    /// - Throws: ``ConformanceError`` with all violations; nothing when there are none.
    public func check() async throws { try ConformanceError.check("\(Target.name)", await violations()) }

    /// Every rule that the target breaks, in the order of the checks.
    public func violations() async -> [String] {
        var report = SuiteReport()
        var registry = PluginRegistry()
        do { try registry.register(down: Target.self) } catch {
            return ["register(down:) threw \(error.quoted): give the target a name and aliases that nothing else has"]
        }
        let target: Target? = ConfigurationChecks.run(
            Target.self, configuration, bad: badConfigurations,
            make: { registry.downTarget($0, at: [.key("target")], problems: &$1) }, report: &report)
        guard let target else { return report.violations }
        let walk = await checkPaging(target, &report)
        if let walk {
            checkRecords(target, walk, &report)
            await checkResuming(walk, &report)
            await checkHighWaterMark(target, walk, &report)
            await checkSurvivors(target, walk, &report)
            await checkContradictions(target, walk, &report)
            await checkImpossibleIds(target, walk, &report)
        }
        let second = walk?.steps.dropFirst().first?.cursor
        await checkFailures(target, after: nil, &report)
        if let second { await checkFailures(target, after: second, &report) }
        await checkDeletionFailures(target, &report)
        await checkForeignCursor(target, &report)
        await checkCancellation(target, &report)
        return report.violations
    }

    /// A fresh target, as every run makes one.
    func fresh() -> Target? {
        guard let json = try? JSONValue(parsing: configuration),
            let configuration = try? JSONText(json).decode(Target.Configuration.self)
        else { return nil }
        return try? Target(configuration: configuration)
    }

    func context(_ transport: any HTTPTransport) -> SyncContext {
        var copy = context
        copy.transport = transport
        return copy
    }
}
