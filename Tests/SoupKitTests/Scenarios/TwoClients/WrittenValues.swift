// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// The values that clients and the org wrote into the records of a history, by the titles of the records.
struct WrittenValues {
    /// A field of a record.
    private struct Field: Hashable {
        var title: String
        var name: String
    }

    /// The authors and values of each field, in order.
    private var written: [Field: [(author: String, value: JSONValue)]] = [:]
    /// The creators of all records, including the records of the beginning, by title.
    private(set) var creators: [String: String] = [:]
    /// The titles of the deleted records.
    private var deleted: Set<String> = []
    /// The titles of the records that left the conditions of the sync downs at some time.
    private var hidden: Set<String> = []
    /// The titles of the records whose creation had an unknown outcome.
    private var lost: Set<String> = []
    /// The titles of the records of which a client had two edited entries.
    private var copied: Set<String> = []
    /// The titles of all parents that a record has had, by title.
    private var parents: [String: Set<String>] = [:]

    mutating func note(_ values: JSONObject, by author: String, in title: String) {
        for (name, value) in values.members {
            written[Field(title: title, name: name), default: []].append((author, value))
        }
    }

    mutating func noteCreation(_ title: String, by author: String) { creators[title] = author }

    mutating func noteDeletion(_ title: String) { deleted.insert(title) }

    mutating func noteHiding(_ title: String) { hidden.insert(title) }

    /// Returns whether a store may lack the record, because it was deleted or hidden, or one of its parents was.
    func mayBeAbsent(_ title: String) -> Bool {
        mayBeDeleted(title) || hidden.contains(title) || parents[title]?.isDisjoint(with: hidden) == false
    }

    mutating func noteLostCreation(_ title: String) { lost.insert(title) }

    /// Returns whether the creation of the record had an unknown outcome.
    func wasLost(_ title: String) -> Bool { lost.contains(title) }

    mutating func noteTwoCopies(_ title: String) { copied.insert(title) }

    /// Returns whether a client had two edited entries of the record.
    ///
    /// A sync down fetches a record whose creation lost its response into an entry of its own, which the user can edit.
    /// No push takes such a creation as done: the user decides between the two entries.
    func hadTwoCopies(_ title: String) -> Bool { copied.contains(title) }

    mutating func note(parent: String, of title: String) { parents[title, default: []].insert(parent) }

    /// Returns whether the record, or one of its parents, was deleted.
    func mayBeDeleted(_ title: String) -> Bool {
        deleted.contains(title) || parents[title]?.isDisjoint(with: deleted) == false
    }

    /// Returns whether this value was written into the field; a null is always allowed.
    func contains(_ value: JSONValue?, of name: String, in title: String) -> Bool {
        guard let value, value != .null else { return true }
        return written[Field(title: title, name: name)]?.contains { $0.value == value } == true
    }

    /// Returns the last value of each field of a record that only this author wrote.
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
