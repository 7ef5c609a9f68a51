// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import CredentialStores
import SoupTesting
import Testing

@Suite struct MemoryCredentialStoreTests {
    @Test func `The store follows the rules`() async throws {
        try await CredentialStoreSuite(MemoryCredentialStore.self, configuration: "{}", sharesSessions: false).check()
    }
}
