// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// One record of a soup: its id, its last write and its JSON, undecoded.
public struct SoupEntry: Sendable, Hashable {
    /// The entry's id: unique in its soup, never given to another entry.
    public let id: Int64
    /// When the entry was last written, in milliseconds since 1970.
    ///
    /// Every write of an entry raises it, by at least one, so that it also tells one state of the entry from another.
    public let lastModified: Int64
    /// The record as it is stored: without the system fields.
    public let stored: JSONText

    /// Made by backends from a row; `stored` must be an object.
    public init(id: Int64, lastModified: Int64, stored: JSONText) {
        self.id = id
        self.lastModified = lastModified
        self.stored = stored
    }

    /// The record as apps see it: with `_soupEntryId` and `_soupLastModifiedDate`.
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

    /// The record, system fields included, as a type of the app.
    ///
    /// - Throws: `DecodingError`.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T { try json.decode(type) }
}
