// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupSQLite

@Suite struct MobileSDKEntryTextTests {
    @Test(arguments: [
        (#"{}"#, #"{}"#, false),
        (#" {"k" : 1} "#, #"{"k" : 1}"#, false),
        (#"{"_soupEntryId":1}"#, #"{}"#, false),
        (#"{"_soupEntryId":1,"k":1.10,"_soupLastModifiedDate":2}"#, #"{"k":1.10}"#, false),
        (#"{"k":1,"_soupEntryId":1 , "m":{"_soupEntryId":2}}"#, #"{"k":1,"m":{"_soupEntryId":2}}"#, false),
        (#"{"__local__":true,"k":1}"#, #"{"__local__":true,"k":1}"#, true),
        (#"{"__local__":1,"k":1}"#, #"{"k":1,"__local__":true}"#, true),
        (#"{"__local__":"0","__locally_deleted__":"true"}"#, #"{"__local__":false,"__locally_deleted__":true}"#, false),
        (#"{"__local__":null}"#, #"{"__local__":false}"#, false),
        // The first of several members counts, as in SQLite.
        (#"{"__local__":true,"k":1,"__local__":false}"#, #"{"__local__":true,"k":1}"#, true),
        (#"{"\u005fsoupEntryId":1,"k":1}"#, #"{"k":1}"#, false),
    ]) func `System fields are removed and flags are booleans`(
        _ source: String, _ expected: String, _ hasLocalChanges: Bool
    ) throws {
        let found = try MobileSDKEntryText.stored(Array(source.utf8))
        #expect(found.text.description == expected)
        #expect(found.hasLocalChanges == hasLocalChanges)
        _ = try JSONText(found.text.description)
    }

    @Test(arguments: ["", "{", "[]", "1", "null", "{} {}", #"{"k":NaN}"#, "{\"k\":\"\u{1}\"}"])
    func `Other texts than objects are refused`(_ source: String) {
        #expect(throws: JSONError.self) { try MobileSDKEntryText.stored(Array(source.utf8)) }
    }

    @Test func `Invalid UTF-8 is refused`() {
        #expect(throws: JSONError.self) {
            try MobileSDKEntryText.stored(Array(#"{"k":""#.utf8) + [0xFF] + Array(#""}"#.utf8))
        }
    }
}
