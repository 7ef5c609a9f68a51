// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Synchronization
import Testing

/// The fault of a credential store in these tests.
private enum StoreFault: String, CaseIterable {
    case none
    case ignoresCase
    case ignoresUsers
    case losesMembers
    case keepsOldMembers
    case removesOthers
    case reportsNoRemoval
    case listsUnsorted
    case throwsWithoutSession
    case hasNoTurns
    case hidesErrors
    case ignoresCancellation
}

/// A credential store in memory, with a fault that its configuration selects.
private struct FaultyCredentialStore: CredentialStore {
    struct Configuration: Decodable, Sendable { var fault: String? }
    static let name: PluginName = "faulty"

    private let fault: StoreFault
    private let sessions = Box()
    private let turn = AsyncSemaphore(permits: 1)

    final class Box: Sendable { let values = Mutex<[String: SavedSession]>([:]) }

    init(configuration: Configuration) throws {
        guard let fault = StoreFault(rawValue: configuration.fault ?? "none") else {
            throw SoupError(.badConfiguration, "unknown fault", place: SoupError.Place(path: "fault"))
        }
        self.fault = fault
    }

    private func key(_ account: SessionAccount) -> String {
        switch account {
        case .connection(let name, nil) where fault == .ignoresCase: "connection.\(name.lowercased())"
        case .user(let organization, _, _) where fault == .ignoresUsers: "user.\(organization)"
        default: account.key
        }
    }

    func session(of account: SessionAccount) async throws -> SavedSession? {
        let found = sessions.values.withLock { $0[key(account)] }
        if found == nil, fault == .throwsWithoutSession { throw SoupError(.credentialsUnusable, "no session") }
        return found
    }

    func save(_ session: SavedSession, for account: SessionAccount) async throws {
        sessions.values.withLock { values in
            var session = session
            if fault == .losesMembers { session.scope = nil }
            if fault == .keepsOldMembers, session.refreshToken == nil {
                session.refreshToken = values[key(account)]?.refreshToken
            }
            values[key(account)] = session
        }
    }

    func removeSession(of account: SessionAccount) async throws -> Bool {
        sessions.values.withLock { values in
            let existed = values.removeValue(forKey: key(account)) != nil
            if fault == .removesOthers { values = [:] }
            return existed && fault != .reportsNoRemoval
        }
    }

    func accounts() async throws -> [SessionAccount] {
        let sorted = sessions.values.withLock { $0.keys.compactMap { SessionAccount(key: $0) } }.sorted()
        return fault == .listsUnsorted ? sorted.reversed() : sorted
    }

    func exclusively<Result: Sendable>(
        for account: SessionAccount, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        if fault == .hasNoTurns { return try await body() }
        do {
            try await turn.wait()
        } catch  where fault == .ignoresCancellation {
            return try await body()
        }
        defer { turn.signal() }
        do {
            return try await body()
        } catch  where fault == .hidesErrors {
            throw SoupError(.credentialsUnusable, "failed")
        }
    }
}

@Suite struct CredentialStoreSuiteTests {
    private func violations(_ fault: StoreFault) async -> [String] {
        await CredentialStoreSuite(
            FaultyCredentialStore.self, configuration: #"{"fault": "\#(fault.rawValue)"}"#,
            badConfigurations: [#"{"fault": "other"}"#], sharesSessions: false
        ).violations()
    }

    @Test func `A store without a fault passes`() async {
        #expect(await violations(.none) == [])
    }

    @Test(arguments: [
        (StoreFault.ignoresCase, "keep accounts apart"), (.ignoresUsers, "keep accounts apart"),
        (.losesMembers, "with all its members"), (.keepsOldMembers, "replace the earlier session as a whole"),
        (.removesOthers, "remove only this session"), (.reportsNoRemoval, "return whether there was one"),
        (.listsUnsorted, "in ascending order"), (.throwsWithoutSession, "an empty store must not throw"),
        (.hasNoTurns, "let one caller at a time read and save"), (.hidesErrors, "rethrow it"),
        (.ignoresCancellation, "throw CancellationError"),
    ])
    private func `Each fault is found`(fault: StoreFault, sentence: String) async {
        let found = await violations(fault)
        #expect(found.contains { $0.contains(sentence) }, "\(found)")
    }
}
