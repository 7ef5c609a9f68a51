// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A test of the rules of ``CredentialStore``: an author provides a configuration, the suite does the rest.
///
/// ```swift
/// @Test func `The store follows the rules`() async throws {
///     let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
///     defer { try? FileManager.default.removeItem(at: folder) }
///     try await CredentialStoreSuite(FileCredentialStore.self, configuration: #"{"path": "\#(folder.path)"}"#).check()
/// }
/// ```
///
/// The store must be empty at first. The suite cannot end a process: test yourself that a session which was saved
/// survives it, and that a write which is interrupted leaves the earlier session.
public struct CredentialStoreSuite<Store: CredentialStore>: Sendable {
    /// The JSON object from which the store is created.
    public var configuration: String
    /// Objects that must be rejected, each with a place.
    public var badConfigurations: [String]
    /// Whether two stores from the configuration have the same sessions, as those of two processes.
    public var sharesSessions: Bool

    /// - Parameters:
    ///   - type: determines the type of the store, and is not used otherwise.
    ///   - sharesSessions: false for a store in memory.
    public init(
        _ type: Store.Type, configuration: String, badConfigurations: [String] = [], sharesSessions: Bool = true
    ) {
        self.configuration = configuration
        self.badConfigurations = badConfigurations
        self.sharesSessions = sharesSessions
    }

    /// - Throws: ``ConformanceError`` with all violations; nothing if there are none.
    public func check() async throws { try ConformanceError.check("\(Store.name)", await violations()) }

    /// Returns every rule that the store violates, in the order of the checks.
    public func violations() async -> [String] {
        var report = SuiteReport()
        var registry = PluginRegistry()
        do { try registry.register(credentialStore: Store.self) } catch {
            return [
                "register(credentialStore:) threw \(error.quoted): give the store a unique name and unique aliases"
            ]
        }
        func make() -> Store? {
            var other = SuiteReport()
            return ConfigurationChecks.run(
                Store.self, kind: "credential store", configuration, bad: badConfigurations,
                make: { registry.credentialStore(CredentialStoreReference($0.json), problems: &$1) }, report: &other)
        }
        let first: Store? = ConfigurationChecks.run(
            Store.self, kind: "credential store", configuration, bad: badConfigurations,
            make: { registry.credentialStore(CredentialStoreReference($0.json), problems: &$1) }, report: &report)
        guard let first, let second = sharesSessions ? make() : first else { return report.violations }
        await checkEmpty(first, &report)
        await checkSaving(first, and: second, &report)
        await checkAccounts(first, and: second, &report)
        await checkTurns(first, and: second, &report)
        await checkWholeSessions(first, and: second, &report)
        return report.violations
    }

    // MARK: The sessions of the suite

    /// Accounts that differ only in parts that a store could confuse.
    static var accounts: [SessionAccount] {
        [
            .user(organization: "00D000000000001EAA", user: "005000000000001AAA"),
            .user(organization: "00D000000000001EAA", user: "005000000000002AAA"),
            .user(organization: "00D000000000002EAA", user: "005000000000001AAA"),
            .user(organization: "00D000000000001EAA", user: "005000000000001AAA", community: "0DB000000000001AAA"),
            .connection("crm"), .connection("CRM"), .connection("cr m"), .connection("../crm"), .connection("crm/x"),
            .connection(""), .connection("."), .connection("user.00D000000000001EAA.005000000000001AAA"),
            .connection("\u{E9}%\"'\\u{0}\n\u{1F511}"), .configuredToken(digest: "crm"),
            .connection("crm", owner: "00D000000000001EAA.005000000000001AAA"),
            .connection("crm", owner: "00D000000000001EAA.005000000000002AAA"),
            .connection("crm of 00D000000000001EAA.005000000000001AAA"),
        ]
    }

    static func session(_ number: Int) -> SavedSession {
        SavedSession(
            tokenURL: "https://login.example.com/\(number)", clientId: "client \u{E9}", accessToken: "access!\(number)",
            accessTokenExpiry: .init(timeIntervalSince1970: 1_705_320_000.125),
            refreshToken: String(repeating: "r", count: number * 1000) + "\(number)",
            instanceURL: "https://\(number).example.com", username: "user\"\(number)", scope: "api refresh_token",
            continuedToken: "digest", savedAt: .init(timeIntervalSince1970: Double(number)))
    }

    private static var minimal: SavedSession {
        SavedSession(tokenURL: "https://login.example.com", clientId: "c", savedAt: .init(timeIntervalSince1970: 0))
    }

    // MARK: The rules

    /// Runs a step that must not throw; if it throws, adds a violation that quotes the error.
    private func step(
        _ action: String, rule: String, _ report: inout SuiteReport,
        body: (inout SuiteReport) async throws -> Void
    ) async {
        do {
            try await body(&report)
        } catch {
            report.note("\(action) threw \(error.quoted): \(rule)")
        }
    }

    private func checkEmpty(_ store: Store, _ report: inout SuiteReport) async {
        let account = Self.accounts[0]
        await step("the suite begins, and a method", rule: "an empty store must not throw", &report) { report in
            report.require(
                try await store.accounts().isEmpty,
                "the store has accounts at the beginning: give the suite an empty store")
            report.require(
                try await store.session(of: account) == nil,
                "session(of:) returns a session that was never saved: return nil")
            report.require(
                try await !store.removeSession(of: account),
                "removeSession(of:) returns true without a session: return whether there was one")
        }
    }

    private func checkSaving(_ store: Store, and other: Store, _ report: inout SuiteReport) async {
        let account = Self.accounts[0]
        for session in [Self.session(1), Self.minimal, Self.session(2)] {
            await step("a session was saved or read, and the method", rule: "keep any session", &report) { report in
                try await store.save(session, for: account)
                for reader in [store, other] {
                    report.require(
                        try await reader.session(of: account) == session,
                        "session(of:) does not return the session that was saved last, with all its members: replace the "
                            + "earlier session as a whole, also for another store of the same configuration")
                }
            }
        }
        await step("a session was removed, and the method", rule: "remove the session", &report) { report in
            report.require(
                try await other.removeSession(of: account),
                "removeSession(of:) returns false for a saved session: return whether there was one")
            report.require(
                try await store.session(of: account) == nil, "session(of:) returns a removed session: return nil")
        }
    }

    private func checkAccounts(_ store: Store, and other: Store, _ report: inout SuiteReport) async {
        let accounts = Self.accounts
        await step("several accounts were saved, and a method", rule: "accept every account", &report) { report in
            for (number, account) in accounts.enumerated() { try await store.save(Self.session(number), for: account) }
            report.require(
                try await other.accounts() == accounts.sorted(),
                "accounts() does not return exactly the accounts with a session, in ascending order")
            for (number, account) in accounts.enumerated() {
                report.require(
                    try await other.session(of: account) == Self.session(number),
                    "the \(account) has the session of another account: keep accounts apart, whatever their characters")
            }
            for (number, account) in accounts.enumerated() {
                try await store.removeSession(of: account)
                let left = try await store.accounts()
                report.require(
                    left == accounts[(number + 1)...].sorted(),
                    "the removal of the \(account) left \(left): remove only this session")
            }
        }
    }

    private func checkTurns(_ store: Store, and other: Store, _ report: inout SuiteReport) async {
        let account = Self.accounts[4]
        let count = 20
        await step("tasks took turns, and a method", rule: "let them wait for each other", &report) { report in
            try await store.save(Self.session(0), for: account)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    let mine = number.isMultiple(of: 2) ? store : other
                    group.addTask {
                        try await mine.exclusively(for: account) {
                            let old = try await mine.session(of: account)?.clientId.dropFirst("client \u{E9}".count)
                            await Task.yield()
                            var new = Self.session(0)
                            new.clientId += String((old.flatMap { Int($0) } ?? 0) + 1)
                            try await mine.save(new, for: account)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let sum = try await store.session(of: account)?.clientId
            report.require(
                sum == Self.session(0).clientId + "\(count)",
                "of \(count) changes in exclusively(for:_:) some were lost: let one caller at a time read and save")
        }
        await checkOverlap(store, and: other, for: account, &report)
        do {
            try await store.exclusively(for: account) { throw BodyFailure() }
            report.note("exclusively(for:_:) does not throw the error of its body: rethrow it")
        } catch is BodyFailure {} catch {
            report.note("exclusively(for:_:) throws \(error.quoted) and not the error of its body: rethrow it")
        }
        await step("after an error, exclusively", rule: "end the turn when the body throws", &report) { report in
            try await other.exclusively(for: account) {}
        }
        await checkCancellation(store, and: other, for: account, &report)
    }

    /// Checks that a second caller does not begin while the first one is inside.
    private func checkOverlap(
        _ store: Store, and other: Store, for account: SessionAccount, _ report: inout SuiteReport
    ) async {
        let calls = BodyCalls()
        let overlaps = try? await store.exclusively(for: account) {
            let second = Task { try await other.exclusively(for: account) { calls.note() } }
            // Enough for a caller that does not wait.
            for _ in 0..<1000 where calls.count == 0 { await Task.yield() }
            defer { second.cancel() }
            return calls.count > 0
        }
        report.require(
            overlaps == false,
            "a second caller of exclusively(for:_:) begins while the first one is inside: let one caller at a time read "
                + "and save")
    }

    private func checkCancellation(
        _ store: Store, and other: Store, for account: SessionAccount, _ report: inout SuiteReport
    ) async {
        let calls = BodyCalls()
        let outcome: String? = try? await store.exclusively(for: account) {
            let waiting = Task {
                try await other.exclusively(for: account) { calls.note() }
            }
            waiting.cancel()
            switch await waiting.result {
            case .success: return "returned"
            case .failure(let error): return error is CancellationError ? nil : "threw \(error.quoted)"
            }
        }
        report.require(
            outcome == nil && calls.count == 0,
            "a cancelled caller of exclusively(for:_:) that waits \(outcome ?? "called its body"): throw CancellationError"
        )
        await step("after a cancelled caller, exclusively", rule: "give the turn to the next caller", &report) {
            report in
            try await other.exclusively(for: account) {}
        }
    }

    private func checkWholeSessions(_ store: Store, and other: Store, _ report: inout SuiteReport) async {
        let account = Self.accounts[5]
        let (short, long) = (Self.session(1), Self.session(9))
        let isWhole = await report.expect("sessions were read during writes, and a method", rule: "return one of them")
        {
            try await store.save(short, for: account)
            return try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        if number.isMultiple(of: 2) {
                            try await store.save(number.isMultiple(of: 4) ? long : short, for: account)
                            return true
                        }
                        let read = try await other.session(of: account)
                        return read == short || read == long
                    }
                }
                return try await group.reduce(true) { $0 && $1 }
            }
        }
        report.require(
            isWhole != false,
            "session(of:) returns a session that was never saved, or nil, during a write: replace the session at once")
        await step("the suite ends, and removeSession", rule: "remove the session", &report) { report in
            for account in try await store.accounts() { try await store.removeSession(of: account) }
        }
    }
}

/// The error that a body of the suite throws.
private struct BodyFailure: Error {}

/// The number of calls of a body.
private final class BodyCalls: Sendable {
    private let calls = Mutex(0)

    var count: Int { calls.withLock { $0 } }
    func note() { calls.withLock { $0 += 1 } }
}
