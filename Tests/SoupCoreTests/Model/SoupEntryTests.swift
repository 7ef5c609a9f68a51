// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct SoupEntryTests {
    @Test func `Entries are identifiable`() throws {
        func ids<Element: Identifiable>(_ elements: [Element]) -> [Element.ID] { elements.map(\.id) }
        let text = try JSONText("{}")
        #expect(ids([SoupEntry(id: 7, version: 1, stored: text)]) == [7 as Int64])
    }
}
