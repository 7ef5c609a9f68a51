// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A test of the rules of ``KeyProvider``: an author provides a configuration, the suite does the rest.
///
/// ```swift
/// @Test func `The provider follows the rules`() async throws {
///     try await KeyProviderSuite(ServiceKey.self, configuration: #"{"service": "test"}"#).check()
/// }
/// ```
///
/// The suite asks for the secrets of files that do not exist, in a temporary folder, and removes them at the end. It
/// cannot end a process: test yourself that a new secret is stored permanently before it is returned.
public struct KeyProviderSuite<Provider: KeyProvider>: Sendable {
    /// The JSON object from which the provider is created.
    public var configuration: String
    /// Objects that must be rejected, each with a place.
    public var badConfigurations: [String]
    /// Whether each file has a secret of its own, which the provider creates.
    public var hasOwnSecrets: Bool

    /// - Parameters:
    ///   - type: determines the type of the provider, and is not used otherwise.
    ///   - hasOwnSecrets: false for a provider with one secret for all files.
    public init(
        _ type: Provider.Type, configuration: String, badConfigurations: [String] = [], hasOwnSecrets: Bool = true
    ) {
        self.configuration = configuration
        self.badConfigurations = badConfigurations
        self.hasOwnSecrets = hasOwnSecrets
    }

    /// - Throws: ``ConformanceError`` with all violations; nothing if there are none.
    public func check() async throws { try ConformanceError.check("\(Provider.name)", await violations()) }

    /// Returns every rule that the provider violates, in the order of the checks.
    public func violations() async -> [String] {
        var report = SuiteReport()
        var registry = PluginRegistry()
        do { try registry.register(keyProvider: Provider.self) } catch {
            return ["register(keyProvider:) threw \(error.quoted): give the provider a unique name and unique aliases"]
        }
        func make(_ report: inout SuiteReport) -> Provider? {
            ConfigurationChecks.run(
                Provider.self, kind: "key provider", configuration, bad: badConfigurations,
                make: { registry.keyProvider(KeyReference($0.json), problems: &$1) }, report: &report)
        }
        var other = SuiteReport()
        guard let first = make(&report), let second = make(&other) else { return report.violations }
        let folder: TemporaryFolder
        do { folder = try TemporaryFolder() } catch {
            report.note("the suite cannot create a folder: \(error)")
            return report.violations
        }
        defer { withExtendedLifetime(folder) {} }
        for name in ["a", "b"] {
            try? FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
        }
        let files = Self.names.map { "\(folder.path)/\($0)" }
        if hasOwnSecrets { await checkMissing(first, for: files[0], &report) }
        await checkConcurrency(first, and: second, for: "\(folder.path)/concurrent.db", &report)
        await checkSecrets(first, and: second, for: files, &report)
        await checkRemoval(first, and: second, for: files, &report)
        return report.violations
    }

    /// Names of files that a provider could confuse.
    private static var names: [String] {
        [
            "store.db", "Store.db", "store.db2", "store db", "\u{E9}%\"'.db", "store.db.key.db", "a/store.db",
            "b/store.db",
        ]
    }

    // MARK: The rules

    /// Checks that no secret is created for a file that exists.
    private func checkMissing(_ provider: Provider, for file: String, _ report: inout SuiteReport) async {
        for _ in 0..<2 {
            let outcome = await Self.outcome { try await provider.secret(for: KeyRequest(file: file)) }
            report.require(
                outcome == "threw \(SoupError.Code.keyUnavailable)",
                "without a secret for a file that exists, secret(for:) \(outcome): throw SoupError keyUnavailable, because a new "
                    + "secret cannot open the file")
        }
    }

    private func checkSecrets(
        _ provider: Provider, and other: Provider, for files: [String], _ report: inout SuiteReport
    ) async {
        var secrets: [StoreSecret] = []
        for file in files {
            let new = await report.expect("for a new file, secret(for:)", rule: "return a secret") {
                try await provider.secret(for: KeyRequest(file: file, isNew: true))
            }
            guard let new else { return }
            secrets.append(new)
        }
        for (file, secret) in zip(files, secrets) {
            for (provider, isNew) in [(provider, false), (other, false), (other, true)] {
                let again = await report.expect("for the same file, secret(for:)", rule: "return its secret") {
                    try await provider.secret(for: KeyRequest(file: file, isNew: isNew))
                }
                report.require(
                    again.map { $0.isSame(as: secret) } ?? true,
                    "secret(for:) returns another secret for the same file\(isNew ? ", which is still new" : ""): return the "
                        + "same one until the file is deleted, also from another provider of the same configuration")
            }
        }
        let areOwn = secrets.indices.allSatisfy { index in
            secrets[..<index].allSatisfy { !$0.isSame(as: secrets[index]) }
        }
        if hasOwnSecrets {
            report.require(
                areOwn,
                "two files have the same secret: keep files apart, whatever their characters, or set hasOwnSecrets")
        }
    }

    private func checkConcurrency(
        _ provider: Provider, and other: Provider, for file: String, _ report: inout SuiteReport
    ) async {
        let secrets = await report.expect("for a new file, concurrent calls of secret(for:)", rule: "return a secret") {
            try await withThrowingTaskGroup(of: StoreSecret.self) { group in
                for number in 0..<20 {
                    let mine = number.isMultiple(of: 2) ? provider : other
                    group.addTask { try await mine.secret(for: KeyRequest(file: file, isNew: true)) }
                }
                return try await group.reduce(into: [StoreSecret]()) { $0.append($1) }
            }
        }
        report.require(
            secrets.map { $0.allSatisfy($0[0].isSame) } ?? true,
            "concurrent calls of secret(for:) return different secrets for one file: create at most one")
        await remove(file, from: provider, &report)
    }

    private func checkRemoval(
        _ provider: Provider, and other: Provider, for files: [String], _ report: inout SuiteReport
    ) async {
        let file = files[0]
        let before = await secrets(of: files, provider)
        // The second time, there is nothing to remove.
        for _ in 0..<2 { await remove(file, from: provider, &report) }
        let after = await secrets(of: files, other)
        if hasOwnSecrets {
            let areKept = zip(before, after).dropFirst().allSatisfy { before, after in
                before.map { before in after?.isSame(as: before) ?? false } ?? true
            }
            report.require(areKept, "removeSecret(for:) removed the secret of another file: remove only this one")
            report.require(
                after[0] == nil, "secret(for:) returns a secret that was removed: remove it for every process")
            let new = await report.expect("after a removal, secret(for:) of a new file", rule: "create a secret") {
                try await provider.secret(for: KeyRequest(file: file, isNew: true))
            }
            report.require(
                new.flatMap { new in before[0].map { !$0.isSame(as: new) } } ?? true,
                "secret(for:) returns a removed secret for a new file: create another one")
        } else {
            report.require(
                before[0].flatMap { before in after[0].map { $0.isSame(as: before) } } ?? false,
                "removeSecret(for:) removed a secret that other files have, too: do nothing")
        }
        for file in files { await remove(file, from: provider, &report) }
    }

    private func remove(_ file: String, from provider: Provider, _ report: inout SuiteReport) async {
        _ = await report.expect("removeSecret(for:)", rule: "remove the secret, or do nothing if there is none") {
            try await provider.removeSecret(for: KeyRequest(file: file))
        }
    }

    /// Returns the secrets of existing files; nil for an error.
    private func secrets(of files: [String], _ provider: Provider) async -> [StoreSecret?] {
        var secrets: [StoreSecret?] = []
        for file in files { secrets.append(try? await provider.secret(for: KeyRequest(file: file))) }
        return secrets
    }

    private static func outcome(_ body: () async throws -> StoreSecret) async -> String {
        do {
            _ = try await body()
            return "returned one"
        } catch {
            return "threw \((error as? SoupError).map { "\($0.code)" } ?? error.quoted)"
        }
    }
}
