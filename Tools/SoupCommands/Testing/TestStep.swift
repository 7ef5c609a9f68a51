// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// A step of a test.
struct TestStep: Sendable {
    /// The place of the step in its file.
    var path: [ConfigurationStep]
    /// The number of the step, counted from 1; nil for the expectation at the end.
    var number: Int?
    var action: Action

    /// The work of a step.
    enum Action: Sendable {
        case sync(String, RunExpectation)
        case cleanGhosts(String, RunExpectation)
        /// Creates an entry; the name stands for the ID of its record from then on.
        case create(SoupName, name: String?, JSONObject)
        case edit(SoupName, where: ExpectedRow, JSONObject)
        case delete(SoupName, where: ExpectedRow)
        case org([OrgChange])
        case expect([ExpectedRows])
    }

    /// A change on the server by another user.
    struct OrgChange: Sendable {
        enum Kind: String, Sendable, CaseIterable {
            case create
            case update
            case delete
        }
        var kind: Kind
        var object: String
        /// The ID of the record: `@` and its name, or an ID; for a new record only a name, or nil.
        var id: String?
        var fields: JSONObject
        var path: [ConfigurationStep]
    }
}

/// The expected result of a sync or of a ghost cleaning.
struct RunExpectation: Sendable {
    /// The expected numbers of records, by the names in the file; others are not compared.
    var counts: [(key: String, count: Int)] = []
    /// The code of the expected error; nil if the run must succeed.
    var error: String?

    /// The counts that are 0 unless the test names another number.
    static let problems = ["conflicts", "failed", "unknown"]
    /// The counts of a sync that a test can name.
    static let syncCounts =
        [
            "saved", "unchanged", "replaced", "merged", "ghosts", "created", "updated", "deleted", "skipped",
        ] + problems
}

/// The expected rows of a soup or of an object.
struct ExpectedRows: Sendable {
    enum Source: Sendable, Hashable {
        case soup(SoupName)
        case object(String)
    }
    var source: Source
    var path: [ConfigurationStep]
    var rows: [ExpectedRow]
}

/// An expected row: only the fields that it names are compared.
struct ExpectedRow: Sendable {
    var fields: JSONObject
    var path: [ConfigurationStep]
}

#endif
