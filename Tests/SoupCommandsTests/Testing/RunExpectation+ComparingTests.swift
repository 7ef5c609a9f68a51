// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import Testing

@testable import SoupCommands

import SoupSync

@Suite struct RunExpectationComparingTests {
    private static func messages(
        _ counts: [(key: String, count: Int)], error code: String? = nil, found: [String: Int] = [:],
        failure: SoupError? = nil, outcomes: [RecordOutcome] = []
    ) -> [String] {
        RunExpectation(counts: counts, error: code).differences(from: found, error: failure, outcomes: outcomes)
            .map(\.message)
    }

    @Test func `Named counts are compared, and problems are 0`() {
        let found = ["saved": 3, "created": 1, "conflicts": 1, "failed": 0, "unknown": 0]
        #expect(Self.messages([("saved", 3), ("conflicts", 1)], found: found).isEmpty)
        #expect(
            Self.messages([("saved", 2), ("updated", 1)], found: found) == [
                "saved: expected 2, found 3", "updated: expected 1, found 0", "conflicts: expected 0, found 1",
            ])
        #expect(Self.messages([], found: ["removed": 4]).isEmpty)
    }

    @Test func `Records that were not synced are listed`() {
        let outcome = RecordOutcome(
            soup: "contacts", entryId: 2, id: "003A", action: .update, result: .failed,
            error: PushFailure(code: "REQUIRED_FIELD_MISSING", message: "LastName"))
        #expect(
            Self.messages([], found: ["failed": 1], outcomes: [outcome]) == [
                "failed: expected 0, found 1\n  update of contacts 2 (003A): failed: REQUIRED_FIELD_MISSING LastName"
            ])
    }

    @Test func `An error must have the expected code`() {
        let error = SoupError(.server, "no such object")
        #expect(Self.messages([], error: "server", failure: error).isEmpty)
        #expect(
            Self.messages([("saved", 7)], error: "server", found: ["saved": 2], failure: error)
                == ["saved: expected 7, found 2"])
        #expect(Self.messages([], failure: error) == ["expected success, found server: no such object"])
        #expect(
            Self.messages([("saved", 1)], error: "network", failure: error) == [
                "expected the error network, found server: no such object"
            ])
        #expect(Self.messages([], error: "server") == ["expected the error server, but the run succeeded"])
    }
}

#endif
