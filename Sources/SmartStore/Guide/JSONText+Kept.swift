// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension JSONText {
    /// A value that ported code read, changed in part and gave back, with the stored bytes where it did not change it.
    ///
    /// Swift's own types do not hold every JSON number: `1E2` comes back as `100.0`, and `1e400` as the greatest
    /// double.
    ///
    /// - Parameters:
    ///   - given: a value as ``init(anything:at:)`` writes it.
    ///   - stored: the value that was read.
    static func keeping(_ stored: JSONText, in given: JSONText) -> JSONText {
        if given == stored || (try? JSONText(anything: stored.anything)) == given { return stored }
        if let old = stored.members, let new = given.members {
            return .object(
                new.map { name, value in
                    (name: name, value: old.first { $0.key == name }.map { keeping($0.value, in: value) } ?? value)
                })
        }
        if let old = stored.elements, let new = given.elements, old.count == new.count {
            return .array(zip(old, new).map { keeping($0, in: $1) })
        }
        return given
    }
}

extension StoreReader {
    /// A record that ported code gives, with the bytes of the entry that it replaces where it does not change it.
    ///
    /// - Parameter path: an indexed path by which the entry is found; nil for the entry's own id.
    func keepingBytes(of soup: SoupName, in record: JSONText, matching path: JSONPath?) throws -> JSONText {
        let found: Int64?
        if let path {
            // What is wrong with the path or the value is for the write to report.
            found = record[path].flatMap { try? lookup($0, at: path, in: soup) }
        } else {
            found = record[JSONPath(EntryField.entryId)]?.intValue
        }
        guard let found, let entry = try retrieve([found], from: soup).first else { return record }
        let stored = entry.json.members ?? []
        return .object(
            (record.members ?? []).map { name, value in
                (
                    name: name,
                    value: stored.first { $0.key == name }.map { JSONText.keeping($0.value, in: value) } ?? value
                )
            })
    }
}
