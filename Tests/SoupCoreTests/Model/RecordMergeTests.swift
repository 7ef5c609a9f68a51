// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@Suite struct RecordMergeTests {
    private static func text(_ json: String) throws -> JSONText { try JSONText(json) }

    @Test(arguments: [
        (#"{"a":1,"b":1}"#, #"{"a":2,"b":1}"#, #"{"a":1,"b":2}"#, #"{"a":2,"b":2}"#, [], true, true),
        (#"{"a":1}"#, #"{"a":1}"#, #"{"a":2}"#, #"{"a":2}"#, [], false, true),
        (#"{"a":1}"#, #"{"a":2}"#, #"{"a":1}"#, #"{"a":2}"#, [], true, false),
        (#"{"a":1}"#, #"{"a":2}"#, #"{"a":3}"#, #"{"a":2}"#, ["a"], true, true),
        (#"{"a":1}"#, #"{"a":2}"#, #"{"a":2.0}"#, #"{"a":2.0}"#, [], false, true),
        // Numbers are compared by all their digits, in any spelling.
        (#"{"a":1}"#, #"{"a":1E2}"#, #"{"a":100}"#, #"{"a":100}"#, [], false, true),
        (
            #"{"a":18446744073709551615}"#, #"{"a":18446744073709551615}"#, #"{"a":18446744073709551616}"#,
            #"{"a":18446744073709551616}"#, [], false, true
        ),
        (
            #"{"a":1}"#, #"{"a":0.12345678901234567890123}"#, #"{"a":0.12345678901234567890124}"#,
            #"{"a":0.12345678901234567890123}"#, ["a"], true, true
        ),
        // Times are compared as moments, in any spelling.
        (
            #"{"t":"2024-01-15T12:00:00.000+0000"}"#, #"{"t":"2024-01-15T12:00:00Z"}"#,
            #"{"t":"2024-01-15T13:00:00.000+01:00"}"#, #"{"t":"2024-01-15T13:00:00.000+01:00"}"#, [], false, false
        ),
        (
            #"{"t":"2024-01-15T12:00:00Z"}"#, #"{"t":"2024-01-15T12:00:01Z"}"#, #"{"t":"2024-01-15T12:00:00.000Z"}"#,
            #"{"t":"2024-01-15T12:00:01Z"}"#, [], true, false
        ),
        // A member that the server does not return stays, changed locally or not.
        (#"{"a":1,"own":1}"#, #"{"a":1,"own":1}"#, #"{"a":1}"#, #"{"a":1,"own":1}"#, [], false, false),
        (#"{"a":1,"own":1}"#, #"{"a":1,"own":2}"#, #"{"a":1}"#, #"{"a":1,"own":2}"#, [], true, false),
        // A member that the local version does not contain counts as unchanged.
        (#"{"a":1}"#, #"{}"#, #"{"a":2}"#, #"{"a":2}"#, [], false, true),
        (#"{}"#, #"{}"#, #"{"a":2}"#, #"{"a":2}"#, [], false, true),
        // Null is a value.
        (#"{"a":1}"#, #"{"a":null}"#, #"{"a":1}"#, #"{"a":null}"#, [], true, false),
        (#"{"a":1}"#, #"{"a":null}"#, #"{"a":2}"#, #"{"a":null}"#, ["a"], true, true),
        // Members that only the server sets have the server's value.
        (#"{"Id":"x","At":1}"#, #"{"Id":"x","At":1}"#, #"{"Id":"x","At":2}"#, #"{"Id":"x","At":2}"#, [], false, false),
        (#"{"Id":"x","At":1}"#, #"{"Id":"x","At":5}"#, #"{"Id":"x","At":2}"#, #"{"Id":"x","At":2}"#, [], false, false),
        // Objects are compared as a whole; the order of their members is ignored.
        (#"{"o":{"p":1,"q":2}}"#, #"{"o":{"q":2,"p":1}}"#, #"{"o":{"p":3}}"#, #"{"o":{"p":3}}"#, [], false, true),
        // A composed letter differs from a decomposed one.
        (
            "{\"\u{E9}\":1,\"e\u{301}\":1}", "{\"\u{E9}\":2,\"e\u{301}\":1}", "{\"\u{E9}\":1,\"e\u{301}\":2}",
            "{\"\u{E9}\":2,\"e\u{301}\":2}", [], true, true
        ),
        // Of a repeated member the first is used.
        (#"{"a":1,"a":5}"#, #"{"a":2,"a":1}"#, #"{"a":1}"#, #"{"a":2}"#, [], true, false),
    ])
    func `Two versions are merged member by member`(
        _ base: String, _ local: String, _ remote: String, _ merged: String, _ conflicts: [String], _ isLocal: Bool,
        _ isRemote: Bool
    ) throws {
        let merge = RecordMerge(
            base: try Self.text(base), local: try Self.text(local), remote: try Self.text(remote),
            serverMembers: ["Id", "At"])
        #expect(merge.record.description == merged)
        #expect(merge.conflicts == conflicts)
        #expect(merge.hasLocalChanges == isLocal)
        #expect(merge.hasRemoteChanges == isRemote)
    }

    @Test func `Without a base every difference is a conflict`() throws {
        let merge = RecordMerge(
            base: nil, local: try Self.text(#"{"a":1,"b":1,"own":1}"#), remote: try Self.text(#"{"a":1,"b":2,"c":3}"#),
            serverMembers: [])
        #expect(merge.record.description == #"{"a":1,"b":1,"c":3,"own":1}"#)
        #expect(merge.conflicts == ["b"])
        #expect(merge.localChanges == ["b", "own"])
    }

    /// The result is compared with the rules, field by field.
    @Test func `Merges of random records follow the rules`() throws {
        var random = SeededRandom(seed: 11)
        func record() -> [String: Int?] {
            var record: [String: Int?] = [:]
            for name in ["a", "b", "c", "d"] where Int.random(in: 0..<5, using: &random) > 0 {
                record[name] = .some(
                    Int.random(in: 0..<4, using: &random) == 0 ? nil : Int.random(in: 0...2, using: &random))
            }
            return record
        }
        func json(_ record: [String: Int?]) throws -> JSONText {
            try Self.text(
                "{"
                    + record.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1.map(String.init) ?? "null")" }
                    .joined(separator: ",") + "}")
        }
        for _ in 0..<5_000 {
            let (base, local, remote) = (record(), record(), record())
            let merge = RecordMerge(
                base: try json(base), local: try json(local), remote: try json(remote), serverMembers: [])
            let merged = merge.record.value
            for name in ["a", "b", "c", "d"] {
                let (old, mine, theirs) = (base[name], local[name], remote[name])
                let isChangedLocally = mine != nil && mine != old
                let isChangedRemotely = theirs != nil && theirs != old
                let isConflict = isChangedLocally && isChangedRemotely && mine != theirs
                #expect(merge.conflicts.contains(name) == isConflict)
                #expect(merge.localChanges.contains(name) == (isChangedLocally && mine != theirs))
                let expected: Int?? = isChangedLocally ? mine : theirs ?? mine
                let found: Int?? = merged[name].map { $0.intValue.map { Int($0) } }
                #expect(found == expected, "\(name) of \(base) \(local) \(remote)")
            }
        }
    }

    @Test func `An overlay replaces and adds members`() throws {
        let overlay = RecordMerge.overlay(try Self.text(#"{"b":9,"c":3}"#), over: try Self.text(#"{"a":1,"b":2}"#))
        #expect(overlay.description == #"{"a":1,"b":9,"c":3}"#)
    }
}
