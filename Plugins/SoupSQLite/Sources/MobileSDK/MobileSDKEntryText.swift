// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The text of an entry of the mobile SDKs, converted to the text that SoupKit stores.
enum MobileSDKEntryText {
    private static let system = [EntryField.entryId, EntryField.lastModified]
    private static let projection = JSONProjection((system + EntryField.localFlags).map { JSONPath($0) })

    /// Returns the object without the system fields, which are columns in SoupKit, and with booleans for local flags.
    ///
    /// All other bytes are unchanged. A member that occurs twice keeps its first value, as in SQLite.
    ///
    /// - Throws: ``JSONError`` for a text that is not a JSON object.
    static func stored(_ bytes: [UInt8]) throws(JSONError) -> (text: JSONText, hasLocalChanges: Bool) {
        let text = try JSONText(bytes[...])
        guard text.bytes.first == UInt8(ascii: "{") else { throw JSONError(.notAnObject, at: 0) }
        var found = JSONProjected()
        try JSONScanner.project(projection, from: text.bytes.span, in: 0..<text.bytes.count, into: &found)
        var removed = found.repeated.map(\.member)
        var added: [(String, JSONText)] = []
        var hasLocalChanges = false
        for (position, field) in found.fields.enumerated() where !field.isMissing {
            guard position >= system.count else {
                removed.append(field.memberStart..<field.end)
                continue
            }
            let isSet = JSONText.text(of: field, in: text.bytes)?.value.isSetFlag ?? false
            if position == system.count { hasLocalChanges = isSet }
            guard field.isNonBooleanFlag else { continue }
            removed.append(field.memberStart..<field.end)
            added.append((EntryField.localFlags[position - system.count], isSet ? .true : .false))
        }
        guard !removed.isEmpty else { return (text, hasLocalChanges) }
        var output: [UInt8] = []
        JSONSplice.append(text.bytes, removing: removed, adding: added, to: &output)
        return (JSONText(trusted: output[...]), hasLocalChanges)
    }
}
