// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupKit

/// The three versions of a field of a record in conflict.
struct FieldVersions: CustomStringConvertible {
    let field: String
    /// The value of the last sync.
    let base: JSONValue?
    let local: JSONValue?
    /// The server's value; nil if only another record of the tree changed there.
    let remote: JSONValue?

    init(of field: String, in conflict: RecordConflict) {
        self.field = field
        let path = JSONPath(field)
        (base, local, remote) = (conflict.base?[path], conflict.local?[path], conflict.remote?[path])
    }

    var isChangedOnServer: Bool { remote != nil && remote != base }

    var description: String {
        func text(_ value: JSONValue?) -> String { value?.stringValue ?? "none" }
        let server = isChangedOnServer ? "\(text(remote)) on the server" : "unchanged on the server"
        return "\(field): \(text(base)), now \(text(local)) here and \(server)"
    }
}
