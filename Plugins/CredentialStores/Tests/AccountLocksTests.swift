// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import CredentialStores

@Suite struct AccountLocksTests {
    private let folder = TemporaryFolder()

    @Test func `A caller waits at most two minutes`() async throws {
        let store = SessionFolder(folder.path)
        let held = try #require(try store.tryLock("connection.crm.lock"))
        let clock = ManualClock.advancing()
        let locks = AccountLocks(folder: store, clock: clock)
        let error = await #expect(throws: SoupError.self) {
            try await locks.exclusively(for: .connection("crm")) { Issue.record("the lock is held") }
        }
        #expect(error?.code == .credentialsUnusable)
        #expect(
            error?.message == "another process has used the session of the connection \"crm\" for more than two minutes"
        )
        #expect(clock.sleeps.prefix(6).map { $0 } == [5, 10, 20, 40, 80, 100].map { .milliseconds($0) })
        // Callers for other accounts do not wait.
        #expect(try await locks.exclusively(for: .connection("other")) { 7 } == 7)
        #expect(closed(held))
        #expect(try await locks.exclusively(for: .connection("crm")) { 8 } == 8)
    }
}
