// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// Entries whose stored text was damaged by another program or a disk.
@Suite struct SoupEntryDamageTests {
    @Test(arguments: [
        (#"{"a": 1}"#, nil), ("{}", nil), (#"{"a": "#, "the text ends in the middle of a value, at byte 6"),
        ("", "the text ends in the middle of a value, at byte 0"), ("[]", "expected an object, at byte 0"),
        (#"{"a": 1} x"#, "there is more text after the end of the value, at byte 9"),
    ])
    func `The error names the soup, the entry and the position`(_ text: String, _ reason: String?) {
        let entry = SoupEntry(id: 7, version: 1, stored: JSONText(trusted: Array(text.utf8)[...]))
        let damage = entry.damage(in: "contacts")
        #expect(damage?.code == reason.map { _ in .entryDamaged })
        #expect(damage?.message == reason.map { "entry 7 of soup \"contacts\" is damaged: \($0)" })
        #expect(damage?.hint?.contains("soup retrieve contacts 7 --raw") == reason.map { _ in true })
    }
}
