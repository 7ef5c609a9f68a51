// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupStore

/// Entries of ported code with the deepest valid nesting, on a stack of 256 KiB.
@Suite struct GuideStackTests {
    @Test(arguments: ["[", #"{"a":"#]) func `Entries are written, read and released`(_ open: String) async throws {
        try await SmallStack.run {
            let close = open == "[" ? "]" : "}"
            let text = String(repeating: open, count: 512) + "1" + String(repeating: close, count: 512)
            let value = try JSONText(text).anyValue
            #expect(try JSONText(any: value).description == text)
            #expect(throws: JSONError.self) { try JSONText(any: [value]) }
            #expect(throws: JSONError.self) { try JSONText(any: [JSONText(text)]) }
        }
    }
}
