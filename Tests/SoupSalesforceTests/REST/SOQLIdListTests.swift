// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

@Suite struct SOQLIdListTests {
    @Test func `Slices fit into a URL`() {
        let ids = (0..<1000).map { "001" + String(repeating: "0", count: 15 - "\($0)".count) + "\($0)" }
        let slices = SOQLIdList.slices(of: ids)
        #expect(slices.flatMap(\.ids) == ids)
        #expect(slices.count == 4)
        #expect(slices.allSatisfy { URLText.query($0.text).utf8.count <= 6002 })
    }

    @Test func `A text cannot end its quotes`() {
        #expect(SOQLIdList.slices(of: ["a', 'b"]).map(\.text) == [#"('a\', \'b')"#])
        #expect(SOQLIdList.slices(of: []) == [])
    }
}
