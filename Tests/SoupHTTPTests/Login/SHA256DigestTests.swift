// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupHTTP
import Testing

@Suite struct SHA256DigestTests {
    /// Published test values, and lengths around the size of a block.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (String(repeating: "a", count: 1_000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ])
    func `The hash equals the published one`(message: String, hash: String) {
        #expect(SHA256Digest.hexadecimal(of: message) == hash)
    }

    @Test func `Lengths around a block have different hashes`() {
        let hashes = (0...130).map { SHA256Digest.hash([UInt8](repeating: 0, count: $0)) }
        #expect(Set(hashes).count == 131)
        #expect(hashes.allSatisfy { $0.count == 32 })
    }

    @Test func `Base64 for URLs has no padding`() {
        #expect([0xFB, 0xFF, 0xFE].base64URL == "-__-")
        #expect([1].base64URL == "AQ")
    }
}
