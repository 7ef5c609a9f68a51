// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension PushTree {
    /// The records whose server versions decide whether the tree can be pushed.
    ///
    /// Below a root that the server does not have yet, only changed records can also have been changed by another user.
    var recordsToCheck: [PushRecord] {
        guard !isEmpty else { return [] }
        return (records + (root.kind == .create ? [] : unchangedChildren))
            .filter { $0.kind != .create && $0.serverId != nil }
    }
}

extension PushRecord {
    /// Returns whether the change may replace the server's version.
    func mayReplace(_ state: ServerState?) -> Bool {
        switch state {
        case nil, .unknown: return true
        case .deleted: return kind == .delete
        case .modified(let text):
            guard let local = localDate.flatMap({ DateText.milliseconds($0) }) else { return true }
            guard let server = DateText.milliseconds(text) else { return false }
            return local >= server
        }
    }
}
