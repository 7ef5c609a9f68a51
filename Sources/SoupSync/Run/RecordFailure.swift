// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A local change that could not be pushed, as recorded in its entry.
public struct RecordFailure: Sendable, Hashable {
    /// The soup of the entry.
    public var soup: SoupName
    /// The ID of the entry in the soup.
    public var entryId: Int64
    /// The value of the ID field `Id`: the server's ID or a temporary one; `nil` if there is none.
    public var id: String?
    /// The action that follows from the local flags of the entry; `nil` if the flags name none.
    public var action: RecordOutcome.Action?
    /// The error of the last push, from `__last_error__`; `ENTRY_DAMAGED` for an unreadable entry.
    public var failure: PushFailure

    init?(_ entry: SoupEntry, in soup: SoupName) {
        if let failure = entry.failure(in: soup) {
            self.soup = soup
            entryId = entry.id
            self.failure = failure
            return
        }
        guard let text = entry[JSONPath(EntryField.lastError)]?.stringValue, !text.isEmpty else { return nil }
        self.soup = soup
        entryId = entry.id
        id = entry["Id"]?.idText
        action =
            switch entry.flags.change {
            case .create?: .create
            case .update?: .update
            case .delete?: .delete
            case nil, .some(.none): nil
            }
        failure = PushFailure(lastError: text)
    }

    /// The failure for scripts: `{"soup", "entryId", "id", "action", "error"}`; unknown values are null.
    public var json: JSONValue {
        [
            "soup": .string(soup.rawValue), "entryId": .int(entryId), "id": id.map { .string($0) } ?? .null,
            "action": action.map { .string($0.rawValue) } ?? .null, "error": failure.json,
        ]
    }
}
