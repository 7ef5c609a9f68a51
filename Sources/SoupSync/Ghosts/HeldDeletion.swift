// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An entry that is kept because of local changes in it or below it, although its record was deleted on the server.
struct HeldDeletion: Sendable, Hashable {
    /// The position of the entry's level in the layout of the sync.
    var level: Int
    var entryId: Int64
    /// The ID of the deleted record; if the entry has another ID by now, the note no longer applies.
    var recordId: String

    init(level: Int, entryId: Int64, recordId: String) {
        self.level = level
        self.entryId = entryId
        self.recordId = recordId
    }

    /// Reads the value that ``json`` returned; `nil` for any other value.
    init?(_ json: JSONValue) {
        guard let level = json["part"]?.intValue.flatMap({ Int(exactly: $0) }), level >= 0,
            let entryId = json["entryId"]?.intValue, let recordId = json["recordId"]?.stringValue
        else { return nil }
        self.init(level: level, entryId: entryId, recordId: recordId)
    }

    var json: JSONValue {
        ["part": .int(Int64(level)), "entryId": .int(entryId), "recordId": .string(recordId)]
    }

    /// Returns the list as it is saved; `nil` if it is empty.
    static func text(of held: [HeldDeletion]) -> JSONText? {
        held.isEmpty ? nil : try? JSONValue.array(held.map(\.json)).jsonText()
    }
}
