// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import SoupCore
import SoupTesting
import Testing

@testable import SoupEncryption

@Suite struct PassphraseKeyTests {
    @Test func `The function of the app is asked for each file`() async throws {
        let provider = PassphraseKey { "passphrase of \($0.file)" }
        let secret = try await provider.secret(for: KeyRequest(file: "/a"))
        #expect(secret.kind == .passphrase)
        #expect(secret.isSame(as: try StoreSecret(passphrase: "passphrase of /a")))
    }

    @Test func `The provider follows the rules`() async throws {
        // Any variable that the process has.
        try await KeyProviderSuite(
            PassphraseKey.self, configuration: #"{"variable": "PATH"}"#, badConfigurations: [#"{"variable": 7}"#],
            hasOwnSecrets: false
        ).check()
    }

    @Test func `An empty passphrase and a missing variable are errors`() async throws {
        let empty = await #expect(throws: SoupError.self) {
            try await PassphraseKey { _ in "" }.secret(for: KeyRequest(file: "/a"))
        }
        #expect(empty?.code == .badSecret)
        for (variable, name) in [("SOUPKIT_STORE_PASSPHRASE", nil), ("OTHER", "OTHER")] {
            let provider = PassphraseKey(.init(variable: name), environment: [variable: "correct horse"])
            let secret = try await provider.secret(for: KeyRequest(file: "/a"))
            #expect(secret.isSame(as: try StoreSecret(passphrase: "correct horse")))
        }
        let missing = await #expect(throws: SoupError.self) {
            try await PassphraseKey(.init(), environment: [:]).secret(for: KeyRequest(file: "/a"))
        }
        #expect(missing?.code == .keyUnavailable)
    }
}

#endif
