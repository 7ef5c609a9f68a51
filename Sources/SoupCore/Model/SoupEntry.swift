// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One record of a soup: its ID, its last write and its JSON, undecoded.
public struct SoupEntry: Sendable, Hashable {
    /// The entry's ID: unique in its soup, and never reused.
    public let id: Int64
    /// The version of the entry: the time of its last write in milliseconds since 1970, as stored.
    ///
    /// Every write of an entry increases it by at least one.
    public let version: Int64
    /// The time of the entry's last write.
    public var lastModified: Date { Date(millisecondsSince1970: version) }
    /// The record as stored, without the system fields.
    public let stored: JSONText

    /// Creates an entry from a row, for backends; `stored` must be an object.
    public init(id: Int64, version: Int64, stored: JSONText) {
        self.id = id
        self.version = version
        self.stored = stored
    }

    /// The record for apps, with `_soupEntryId` and `_soupLastModifiedDate`.
    public var json: JSONText {
        var output: [UInt8] = []
        output.reserveCapacity(stored.bytes.count + 64)
        JSONSplice.append(
            stored.bytes, removing: [],
            adding: [(EntryField.entryId, .integer(id)), (EntryField.lastModified, .integer(version))], to: &output
        )
        return JSONText(trusted: output[...])
    }

    /// The value at `path`, the system fields included.
    public subscript(path: JSONPath) -> JSONValue? {
        switch path.rawValue {
        case EntryField.entryId: .int(id)
        case EntryField.lastModified: .int(version)
        default: stored[path]
        }
    }

    /// Decodes the record, system fields included, as a type of the app.
    ///
    /// - Throws: `DecodingError`.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T { try json.decode(type) }
}
