// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A test of the rules of ``SyncDownTarget``: an author provides a configuration and a server, the suite does the rest.
///
/// ```swift
/// @Test func `The target follows the rules`() async throws {
///     try await SyncDownTargetSuite(WeatherTarget.self, configuration: #"{"station": "EDDF"}"#) { request in
///         HTTPAnswer(readings(after: request[parameter: "after"]))
///     }.check()
/// }
/// ```
///
/// The server must contain a few records with different modification dates, on more than one page, and must always give
/// the same response to the same request. A check without data to test is a violation, so that a passing suite has
/// tested all rules. For a server without pages or dates, set ``singlePage`` or ``undated``; if it counts pages, set
/// ``numberedPages``. Let the server reject cursors and tokens that it does not know.
public struct SyncDownTargetSuite<Target: SyncDownTarget>: Sendable {
    /// The JSON target object from which the target is created.
    public var configuration: String
    /// Target objects that must be rejected, each with a place.
    public var badConfigurations: [String]
    /// The context for the target; its transport is replaced.
    public var context: SyncContext
    /// The server of the suite.
    ///
    /// ``context`` has a transport to it; later changes have no effect.
    public var server: ScriptedTransport.Server
    /// Whether the target's server has no pages: all records come at once, and paging and resuming are not tested.
    public var singlePage: Bool
    /// Whether the target's records have no modification date: every run fetches all records, and the high-water mark
    /// is not tested.
    public var undated: Bool
    /// Whether the number of records that the server announces is an estimate: then it is not compared with the number
    /// of received records.
    public var approximateTotal: Bool
    /// Whether the server counts pages or records, and the target can request the next page in no other way.
    ///
    /// A record is then never fetched if one before it is deleted while the list is read. State that in the
    /// documentation of the target.
    public var numberedPages: Bool
    /// The number of pages above which paging counts as endless.
    public var maximumPages = 1000

    /// Creates a suite; the default context has the soup `records`, a clock that does not advance, and no base path, so
    /// that the server receives the paths below it.
    ///
    /// - Parameter type: determines the target type, and is not used otherwise.
    public init(
        _ type: Target.Type, configuration: String, badConfigurations: [String] = [], singlePage: Bool = false,
        undated: Bool = false, approximateTotal: Bool = false, numberedPages: Bool = false,
        context: SyncContext? = nil,
        server: @escaping ScriptedTransport.Server
    ) {
        self.configuration = configuration
        self.badConfigurations = badConfigurations
        self.singlePage = singlePage
        self.undated = undated
        self.approximateTotal = approximateTotal
        self.numberedPages = numberedPages
        self.server = server
        self.context =
            context
            ?? SyncContext(transport: ScriptedTransport(server: server), clock: ManualClock(), soup: "records")
        self.context.transport = ScriptedTransport(server: server)
    }

    /// - Throws: ``ConformanceError`` with all violations; nothing if there are none.
    public func check() async throws { try ConformanceError.check("\(Target.name)", await violations()) }

    /// Returns every rule that the target violates, in the order of the checks.
    public func violations() async -> [String] {
        var report = SuiteReport()
        var registry = PluginRegistry()
        do { try registry.register(down: Target.self) } catch {
            return ["register(down:) threw \(error.quoted): give the target a unique name and unique aliases"]
        }
        let target: Target? = ConfigurationChecks.run(
            Target.self, configuration, bad: badConfigurations,
            make: { registry.downTarget($0, at: [.key("target")], problems: &$1) }, report: &report)
        guard let target else { return report.violations }
        let walk = await checkPaging(target, &report)
        if let walk {
            checkRecords(target, in: walk, &report)
            checkDeletedIds(target, in: walk, &report)
            await checkResuming(walk, &report)
            await checkHighWaterMark(target, after: walk, &report)
            await checkToken(target, after: walk, &report)
            await checkIdLookups(target, after: walk, &report)
            await checkChanges(target, after: walk, &report)
            await checkContradictions(target, after: walk, &report)
            await checkImpossibleIds(target, after: walk, &report)
        }
        let second = walk?.steps.dropFirst().first?.cursor
        await checkFailures(target, after: nil, &report)
        if let second { await checkFailures(target, after: second, &report) }
        await checkDeletions(target, after: walk, &report)
        if !singlePage { await checkForeignCursor(target, &report) }
        await checkCancellation(target, &report)
        return report.violations
    }

    /// Returns a new target, as every run creates one.
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
