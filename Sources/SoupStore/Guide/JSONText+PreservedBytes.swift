// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension JSONText {
    /// Returns a value from ported code, with the stored bytes of the parts that the code did not change.
    ///
    /// Swift's own types cannot represent every JSON number: `1E2` comes back as `100.0`, and `1e400` as the greatest
    /// double.
    ///
    /// - Parameters:
    ///   - stored: the value that the code read.
    ///   - given: the value that the code returned, as ``init(any:at:)`` writes it.
    static func preserving(_ stored: JSONText, in given: JSONText) -> JSONText {
        // Most values come back unchanged; this comparison does not need a stack for their depth.
        if given == stored || given.isWritten(as: stored) { return stored }
        return preserved(stored, in: given).text
    }

    /// Compares each part of a value once.
    ///
    /// - Returns: the value with the stored bytes, and whether it consists only of them.
    private static func preserved(_ stored: JSONText, in given: JSONText) -> (text: JSONText, isUnchanged: Bool) {
        if let old = stored.members, let new = given.members {
            let known = Dictionary(old.map { ($0.key, $0) }) { first, _ in first }
            var isUnchanged = known.count == new.count
            let members = new.map { name, value -> (name: String, value: JSONText) in
                guard let own = known[name] else {
                    isUnchanged = false
                    return (name, value)
                }
                let part = preserved(own.value, in: value)
                if !part.isUnchanged || !own.key.utf8.elementsEqual(name.utf8) { isUnchanged = false }
                return (name, part.text)
            }
            return isUnchanged ? (stored, true) : (.object(members), false)
        }
        if let old = stored.elements, let new = given.elements {
            guard old.count == new.count else { return (given, false) }
            let parts = zip(old, new).map { preserved($0, in: $1) }
            return parts.allSatisfy(\.isUnchanged) ? (stored, true) : (.array(parts.map(\.text)), false)
        }
        return given == stored || given.isWritten(as: stored) ? (stored, true) : (given, false)
    }

    /// Returns whether ported code that returns `stored` unchanged would produce this text.
    private func isWritten(as stored: JSONText) -> Bool { (try? JSONText(any: stored.anyValue)) == self }
}

extension StoreReader {
    /// Returns records from ported code, with the stored bytes of the unchanged parts of the entries that they replace.
    ///
    /// All entries are read at once.
    ///
    /// - Parameter path: an indexed path that identifies the entries; nil for the entries' own IDs.
    func preservingBytes(of soup: SoupName, in records: [JSONText], matching path: JSONPath?) throws -> [JSONText] {
        let ids = records.map { record -> Int64? in
            guard let path else { return record[JSONPath(EntryField.entryId)]?.intValue }
            // The write reports errors in the path or the value.
            return record[path].flatMap { try? lookup($0, at: path, in: soup) }
        }
        let found = Set(ids.compactMap { $0 })
        if found.isEmpty { return records }
        let entries = try retrieve(found.sorted(), from: soup)
        let stored = Dictionary(entries.map { ($0.id, $0.json) }) { first, _ in first }
        return zip(records, ids).map { record, id in
            guard let id, let members = stored[id]?.members else { return record }
            let known = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
            return .object(
                (record.members ?? []).map { name, value in
                    (name: name, value: known[name].map { JSONText.preserving($0, in: value) } ?? value)
                })
        }
    }
}
