// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Synchronization
import Testing

/// The fault of a key provider in these tests.
private enum ProviderFault: String, CaseIterable {
    case none
    case createsForExistingFiles
    case throwsOtherErrors
    case createsEachTime
    case ignoresCase
    case hasOneSecret
    case createsTwoAtOnce
    case removesNothing
    case removesOthers
    case throwsWithoutSecret
}

/// A key provider in memory, with a fault that its configuration selects.
private struct FaultyKey: KeyProvider {
    struct Configuration: Decodable, Sendable { var fault: String }
    static let name: PluginName = "faulty"
    /// Providers of one configuration have the same secrets.
    @TaskLocal static var secrets = Secrets()

    final class Secrets: Sendable {
        let values = Mutex<[String: StoreSecret]>([:])
        /// The number of secrets that were created at once.
        let creations = Mutex(0)
        let count = Mutex<UInt8>(0)
    }

    struct OtherError: Error {}

    private let fault: ProviderFault
    private let secrets = Self.secrets

    init(configuration: Configuration) throws {
        guard let fault = ProviderFault(rawValue: configuration.fault) else {
            throw SoupError(.badConfiguration, "unknown fault", place: SoupError.Place(path: "fault"))
        }
        self.fault = fault
    }

    private func key(_ request: KeyRequest) -> String {
        switch fault {
        case .ignoresCase: request.file.lowercased()
        case .hasOneSecret: ""
        default: request.file
        }
    }

    private func create() throws -> StoreSecret {
        let number = secrets.count.withLock { count in
            count &+= 1
            return count
        }
        return try StoreSecret(key: [number] + Array(1..<32))
    }

    func secret(for request: KeyRequest) async throws -> StoreSecret {
        let key = key(request)
        let found = secrets.values.withLock { $0[key] }
        guard request.isNew || fault == .createsForExistingFiles || found != nil else {
            if fault == .throwsOtherErrors { throw OtherError() }
            throw SoupError(.keyUnavailable, "there is no secret")
        }
        if let found, fault != .createsEachTime { return found }
        if fault == .createsTwoAtOnce, key.hasSuffix("concurrent.db") {
            let new = try create()
            secrets.creations.withLock { $0 += 1 }
            while secrets.creations.withLock({ $0 }) < 2 { await Task.yield() }
            secrets.values.withLock { $0[key] = new }
            return new
        }
        return try secrets.values.withLock { values in
            if let found = values[key], fault != .createsEachTime { return found }
            let new = try create()
            values[key] = new
            return new
        }
    }

    func removeSecret(for request: KeyRequest) async throws {
        let removed = secrets.values.withLock { values in
            if fault == .removesNothing { return true }
            let removed = values.removeValue(forKey: key(request)) != nil
            if fault == .removesOthers { values = [:] }
            return removed
        }
        if !removed, fault == .throwsWithoutSecret { throw SoupError(.keyUnavailable, "there is no secret") }
    }
}

@Suite struct KeyProviderSuiteTests {
    private func violations(_ fault: ProviderFault, hasOwnSecrets: Bool = true) async -> [String] {
        await FaultyKey.$secrets.withValue(FaultyKey.Secrets()) {
            await KeyProviderSuite(
                FaultyKey.self, configuration: #"{"fault": "\#(fault)"}"#, badConfigurations: [#"{"fault": "other"}"#],
                hasOwnSecrets: hasOwnSecrets
            ).violations()
        }
    }

    @Test func `A correct provider violates no rule`() async {
        #expect(await violations(.none) == [])
        #expect(
            await KeyProviderSuite(FixedKey.self, configuration: "{}", hasOwnSecrets: false).violations() == [])
    }

    @Test(arguments: [
        (ProviderFault.createsForExistingFiles, "a new secret cannot open the file"),
        (.throwsOtherErrors, "throw SoupError keyUnavailable"),
        (.createsEachTime, "returns another secret for the same file"),
        (.ignoresCase, "two files have the same secret"),
        (.hasOneSecret, "two files have the same secret"),
        (.createsTwoAtOnce, "concurrent calls of secret(for:) return different secrets"),
        (.removesNothing, "returns a secret that was removed"),
        (.removesOthers, "removed the secret of another file"),
        (.throwsWithoutSecret, "removeSecret(for:) threw"),
    ])
    private func `A broken rule is reported`(_ fault: ProviderFault, _ sentence: String) async {
        let violations = await violations(fault)
        #expect(violations.contains { $0.contains(sentence) }, "\(violations)")
    }

    @Test func `A secret of all files must not be removed with one of them`() async {
        let violations = await violations(.hasOneSecret, hasOwnSecrets: false)
        #expect(violations == ["removeSecret(for:) removed a secret that other files have, too: do nothing"])
    }
}
