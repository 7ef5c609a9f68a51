// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import SoupCore
import Testing

@testable import SoupEncryption

@Suite struct KeySlotTests {
    @Test func `A passphrase opens the slot that it sealed`() throws {
        let (key, secret) = (DataKey(), try StoreSecret(passphrase: "correct horse"))
        let slot = try KeySlot(sealing: key, with: secret, authenticating: [1, 2])
        #expect(slot.derivation == .scrypt(logCost: 15, blockSize: 8, parallelism: 3))
        #expect(slot.bytes.count == KeySlot.length)
        let read = try #require(KeySlot(bytes: slot.bytes))
        #expect(read == slot)
        #expect(try read.open(with: secret, file: key.file, authenticating: [1, 2])?.key == key.key)
        #expect(try read.open(with: secret, file: key.file, authenticating: [1, 3]) == nil)
        let other = try StoreSecret(passphrase: "Correct horse")
        #expect(try read.open(with: other, file: key.file, authenticating: [1, 2]) == nil)
    }

    @Test func `Changed parameters do not open the slot`() throws {
        let key = DataKey()
        for secret in [try StoreSecret(key: Array(0..<32)), try StoreSecret(passphrase: "correct horse")] {
            let bytes = try KeySlot(sealing: key, with: secret, authenticating: []).bytes
            for index in 0..<(secret.kind == .key ? KeySlot.length : 16) {
                var changed = bytes
                changed[index] ^= 1
                guard let slot = KeySlot(bytes: changed) else { continue }
                #expect(try slot.open(with: secret, file: key.file, authenticating: []) == nil, "byte \(index)")
            }
        }
    }

    @Test(arguments: [
        [UInt8(2), 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1], [2, 21, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1],
        [2, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], [2, 15, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0],
        [2, 20, 0, 0, 0, 0, 0, 16, 0, 0, 0, 1],
        [2, 19, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1], [2, 18, 0, 0, 0, 0, 0, 8, 0, 0, 0, 16],
        [2, 15, 0, 0, 255, 255, 255, 255, 0, 0, 0, 1],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ]) func `Unsupported and expensive derivations are refused`(parameters: [UInt8]) {
        #expect(KeySlot(bytes: parameters + [UInt8](repeating: 0, count: KeySlot.length - 12)) == nil)
    }
}

#endif
