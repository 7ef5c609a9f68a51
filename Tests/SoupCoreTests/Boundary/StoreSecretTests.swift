// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct StoreSecretTests {
    @Test func `A secret has the bytes from which it was created`() throws {
        var bytes = Array(0..<32 as Range<UInt8>)
        let secret = try StoreSecret(key: bytes)
        bytes[0] = 99
        #expect(secret.kind == .key)
        #expect(secret.withBytes { Array($0) } == Array(0..<32))
        #expect(try StoreSecret(passphrase: "é").withBytes { Array($0) } == [0xC3, 0xA9])
    }

    @Test func `Secrets are the same if kind and bytes are`() throws {
        let text = String(repeating: "ab", count: 16)
        let (key, passphrase) = (try StoreSecret(key: text.utf8), try StoreSecret(passphrase: text))
        #expect(key.isSame(as: key))
        #expect(key.isSame(as: try StoreSecret(key: Array(text.utf8))))
        #expect(!key.isSame(as: passphrase))
        #expect(!key.isSame(as: try StoreSecret(key: text.utf8.reversed())))
        #expect(!passphrase.isSame(as: try StoreSecret(passphrase: text + "b")))
    }

    @Test func `Unusable secrets are refused`() {
        for bytes in [[], [UInt8](repeating: 7, count: 32), Array(0..<31), Array(0..<33)] {
            let error = #expect(throws: SoupError.self) { try StoreSecret(key: bytes) }
            #expect(error?.code == .badSecret)
        }
        let error = #expect(throws: SoupError.self) { try StoreSecret(passphrase: "") }
        #expect(error?.code == .badSecret)
    }

    @Test func `A description does not contain the secret`() throws {
        let secret = try StoreSecret(passphrase: "correct horse")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] { #expect(!text.contains("correct")) }
    }
}
