// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// What everybody wrote into the records of a history, by the titles of the records.
struct WrittenValues {
    /// A field of a record.
    private struct Field: Hashable {
        var title: String
        var name: String
    }

    /// The authors and values of each field, in order.
    private var written: [Field: [(author: String, value: JSONValue)]] = [:]
    /// The records that there were from the beginning, or that somebody made, with their makers.
    private(set) var made: [String: String] = [:]
    /// The records that somebody deleted.
    private var deleted: Set<String> = []
    /// The parents that records were under at some time.
    private var parents: [String: Set<String>] = [:]

    mutating func note(_ values: JSONObject, by author: String, in title: String) {
        for (name, value) in values.members {
            written[Field(title: title, name: name), default: []].append((author, value))
        }
    }

    mutating func noteMade(_ title: String, by author: String) { made[title] = author }

    mutating func noteDeleted(_ title: String) { deleted.insert(title) }

    mutating func note(parent: String, of title: String) { parents[title, default: []].insert(parent) }

    /// Whether somebody deleted the record, or one that it was under.
    func mayBeGone(_ title: String) -> Bool {
        deleted.contains(title) || parents[title]?.isDisjoint(with: deleted) == false
    }

    /// Whether somebody wrote this value there: no record has what was meant for another one.
    func contains(_ value: JSONValue?, of name: String, in title: String) -> Bool {
        guard let value, value != .null else { return true }
        return written[Field(title: title, name: name)]?.contains { $0.value == value } == true
    }

    /// The last value of each field of a record that nobody but this author wrote.
    func lastOnly(by author: String, in title: String, of names: [String]) -> JSONObject {
        var values: JSONObject = [:]
        for name in names {
            guard let all = written[Field(title: title, name: name)], all.allSatisfy({ $0.author == author }) else {
                continue
            }
            values[name] = all.last?.value
        }
        return values
    }
}
