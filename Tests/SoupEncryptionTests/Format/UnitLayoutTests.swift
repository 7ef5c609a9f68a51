// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import SoupTesting
import Testing

@testable import SoupEncryption

@Suite struct UnitLayoutTests {
    private static let layouts: [UnitLayout] = [.uniform(512), .uniform(1000), .log(pageSize: 512)]

    @Test(arguments: layouts) func `Units cover all content once, in order`(layout: UnitLayout) {
        var offset: Int64 = 0
        var stored: Int64 = 0
        for index in 0..<50 {
            let unit = layout.unit(at: offset)
            #expect(unit.index == UInt64(index))
            #expect(unit.start == offset)
            #expect(unit.storedStart == stored)
            #expect(layout.unit(at: unit.end - 1) == unit)
            offset = unit.end
            stored += Int64(unit.length + UnitCipher.overhead)
        }
    }

    @Test(arguments: layouts) func `Content and stored length belong together`(layout: UnitLayout) {
        for length in 0..<Int64(5000) {
            #expect(layout.contentLength(stored: layout.storedLength(content: length)) == length)
        }
    }

    @Test(arguments: layouts) func `A part of a stored unit counts only its content`(layout: UnitLayout) {
        var last: Int64 = 0
        for stored in 0..<Int64(5000) {
            let length = layout.contentLength(stored: stored)
            #expect(length >= last && length <= last + 1)
            last = length
        }
    }

    @Test func `A log has units for the header, and two for a frame`() {
        let layout = UnitLayout.log(pageSize: 4096)
        let lengths = sequence(first: layout.unit(at: 0)) { layout.unit(at: $0.end) }.prefix(5).map(\.length)
        #expect(lengths == [32, 24, 4096, 24, 4096])
    }
}

#endif
