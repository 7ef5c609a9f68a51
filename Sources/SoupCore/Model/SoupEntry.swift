// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// One record of a soup: its ID, its last write and its JSON, undecoded.
public struct SoupEntry: Sendable, Hashable {
    /// The entry's ID: unique in its soup, and never reused.
    public let id: Int64
    /// The time of the entry's last write, in milliseconds since 1970.
    ///
    /// Every write of an entry increases it by at least one, so that it also identifies a version of the entry.
    public let lastModified: Int64
    /// The record as stored, without the system fields.
    public let stored: JSONText

    /// Creates an entry from a row, for backends; `stored` must be an object.
    public init(id: Int64, lastModified: Int64, stored: JSONText) {
        self.id = id
        self.lastModified = lastModified
        self.stored = stored
    }

    /// The record for apps, with `_soupEntryId` and `_soupLastModifiedDate`.
    public var json: JSONText {
        var output: [UInt8] = []
        output.reserveCapacity(stored.bytes.count + 64)
        JSONSplice.append(
            stored.bytes, removing: [],
            adding: [(EntryField.entryId, .integer(id)), (EntryField.lastModified, .integer(lastModified))], to: &output
        )
        return JSONText(trusted: output[...])
    }

    /// The value at `path`, the system fields included.
    public subscript(path: JSONPath) -> JSONValue? {
        switch path.rawValue {
        case EntryField.entryId: .int(id)
        case EntryField.lastModified: .int(lastModified)
        default: stored[path]
        }
    }

    /// Decodes the record, system fields included, as a type of the app.
    ///
    /// - Throws: `DecodingError`.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T { try json.decode(type) }
}
