// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupTesting
import Testing

@testable import LocalOrg

@Suite struct GzipPackerTests {
    /// What zlib makes of a text, with a code of its own.
    private let dynamic = """
        8dd4410ac2301046e1bda79823349999a43d8e60a485d6401aa8c71777da85cffdc08390ff5b97479141ea5daed2cbb3\
        cbb1f459f6ba15396abbed97f57d10ce075b6d5f07f17c50fb5cdae78552c3a8e1d848d4c8d418b131e15b0d1409012b\
        21624631639c71cc24cc64ce8c9899f0870d9889813231624639639871cc24ce64cc8c98997897387ec5f5eb1ff3c7fd\
        2b02a02c8022018a062823a0a880a102c60a182a60a880b102860a182a60ac80a102860a382be0a880a302ce0a382ae0\
        a880b3028e0a382ae03f157801
        """

    private func unpacked(_ bytes: [UInt8], from start: Int = 0, limit: Int = 1 << 20) -> [UInt8]? {
        var inflate = Inflate(bytes, from: start, limit: limit)
        return inflate.unpacked()
    }

    @Test func theUnpackerOfTheseTestsReadsZlib() throws {
        let bytes = stride(from: 0, to: dynamic.utf8.count, by: 2).map { index in
            UInt8(dynamic.dropFirst(index).prefix(2), radix: 16) ?? 0
        }
        let text = (0..<60).map { "line \($0) of a text with \(["some", "more", "other"][$0 % 3]) words\n" }.joined()
        #expect(unpacked(bytes) == Array(text.utf8))
        #expect(unpacked(bytes, limit: 100) == nil)
    }

    @Test func packedBytesUnpackToThemselves() {
        var random = SeededRandom(seed: 5)
        for round in 0..<300 {
            let letters = 1 + round % 200
            let bytes = (0..<Int.random(in: 0...3000, using: &random)).map { _ in
                UInt8(Int.random(in: 0..<letters, using: &random))
            }
            let packed = GzipPacker.packed(bytes)
            #expect(unpacked(packed, from: 10) == bytes)
        }
        let far = Array(repeating: UInt8(1), count: 300) + (0..<33_000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
        #expect(unpacked(GzipPacker.packed(far + far), from: 10) == far + far)
    }

    @Test func headAndTailAreThoseOfGzip() {
        let packed = GzipPacker.packed(Array("123456789".utf8))
        #expect(packed.prefix(3) == [0x1F, 0x8B, 8])
        // The check value that the polynomial is known by, and the length.
        #expect(packed.suffix(8) == [0x26, 0x39, 0xF4, 0xCB, 9, 0, 0, 0])
    }

    @Test func repetitionsMakeItShort() {
        let text = Array(String(repeating: "\"003000000000001AAA\",\"Smith\"\n", count: 1000).utf8)
        #expect(GzipPacker.packed(text).count < text.count / 20)
    }
}
