// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An entry whose record the server no longer has, and which stays because of local changes in it or below it.
struct HeldDeletion: Sendable, Hashable {
    /// The position of its part in the layout of the sync.
    var part: Int
    var entryId: Int64
    /// The id of the record that is gone; an entry with another one by now is not meant.
    var recordId: String

    init(part: Int, entryId: Int64, recordId: String) {
        self.part = part
        self.entryId = entryId
        self.recordId = recordId
    }

    /// Reads what ``json`` wrote; nil when it is something else.
    init?(_ json: JSONValue) {
        guard let part = json["part"]?.intValue.flatMap({ Int(exactly: $0) }), part >= 0,
            let entryId = json["entryId"]?.intValue, let recordId = json["recordId"]?.stringValue
        else { return nil }
        self.init(part: part, entryId: entryId, recordId: recordId)
    }

    var json: JSONValue {
        ["part": .int(Int64(part)), "entryId": .int(entryId), "recordId": .string(recordId)]
    }

    /// A list of them as it is saved; nil for none.
    static func text(of held: [HeldDeletion]) -> JSONText? {
        held.isEmpty ? nil : try? JSONValue.array(held.map(\.json)).jsonText()
    }
}
