// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// Returns a change of an account with its children.
func parent(
    _ kind: RecordChange.Kind, _ id: String, children: [RecordChange] = [], extra: String = ""
) throws -> RecordChange {
    RecordChange(
        kind, soup: "accounts", entryId: 1, serverId: kind == .create ? nil : id,
        record: try JSONText(#"{"Id":"\#(id)","Name":"N"\#(extra)}"#), children: children)
}

/// Returns a change of a contact.
func child(_ kind: RecordChange.Kind, _ id: String, of parent: String, extra: String = "") throws
    -> RecordChange
{
    RecordChange(
        kind, soup: "contacts", entryId: 2, serverId: kind == .create ? nil : id,
        record: try JSONText(#"{"Id":"\#(id)","LastName":"L","AccountId":"\#(parent)"\#(extra)}"#), level: 1)
}
