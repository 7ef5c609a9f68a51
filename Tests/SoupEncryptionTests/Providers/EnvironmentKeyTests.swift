// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import SoupCore
import Testing

@testable import SoupEncryption

@Suite struct EnvironmentKeyTests {
    private static let digits = "000102030405060708090A0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    private let request = KeyRequest(file: "/store.sqlite")

    private func secret(_ environment: [String: String], variable: String? = nil) async throws -> StoreSecret {
        try await EnvironmentKey(.init(variable: variable), environment: environment).secret(for: request)
    }

    @Test(arguments: [digits, " \(digits)\n", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="])
    func `The variable contains the key`(text: String) async throws {
        let secret = try await secret(["SOUPKIT_STORE_KEY": text])
        #expect(secret.isSame(as: try StoreSecret(key: Array(0..<32))))
        #expect(try await self.secret(["OTHER": text], variable: "OTHER").isSame(as: secret))
    }

    @Test(arguments: [
        "0001", "secret", digits + "00", String(repeating: "é", count: 32), String(repeating: "0", count: 64),
    ])
    func `A text that is no key is an error without the text`(text: String) async throws {
        let error = await #expect(throws: SoupError.self) { try await secret(["SOUPKIT_STORE_KEY": text]) }
        #expect(error?.code == .badSecret)
        #expect(error?.message.contains("SOUPKIT_STORE_KEY") == true)
        #expect(error?.description.contains(text) == false)
    }

    @Test func `A missing variable is an error`() async throws {
        let error = await #expect(throws: SoupError.self) { try await secret([:]) }
        #expect(error?.code == .keyUnavailable)
    }
}

#endif
