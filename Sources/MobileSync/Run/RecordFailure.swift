// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A local change that could not be pushed, as its entry tells it.
public struct RecordFailure: Sendable, Hashable {
    /// The soup of the entry.
    public var soup: SoupName
    /// The entry in the soup.
    public var entryId: Int64
    /// The value of the id field `Id`: the server's, or a temporary one; nil when there is none.
    public var id: String?
    /// From the local flags of the entry; nil when they do not say.
    public var action: RecordOutcome.Action?
    /// The error of the last push, from `__last_error__`; `ENTRY_DAMAGED` for an entry that cannot be read.
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

    /// For scripts: `{"soup", "entryId", "id", "action", "error"}`; what is not known is null.
    public var json: JSONValue {
        [
            "soup": .string(soup.rawValue), "entryId": .int(entryId), "id": id.map { .string($0) } ?? .null,
            "action": action.map { .string($0.rawValue) } ?? .null, "error": failure.json,
        ]
    }
}
