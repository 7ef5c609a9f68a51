// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension PushTree {
    /// Returns the records whose server versions decide whether the tree can be pushed.
    ///
    /// Below a root that the server does not have yet, only changed records can also have been changed by another user.
    /// The server itself compares the versions of conditional changes.
    func recordsToCheck(_ facts: TreeFacts) -> [PushRecord] {
        guard !isEmpty else { return [] }
        return (records + (root.kind == .create ? [] : unchangedChildren))
            .filter { $0.kind != .create && $0.serverId != nil && !facts.conditional.contains($0.key) }
    }
}

extension PushRecord {
    /// Returns whether the change may replace the known version of the server.
    func mayReplace(_ facts: TreeFacts) -> Bool {
        let state = facts.states[key]
        guard mayReplace(state) else { return false }
        guard facts.refused.contains(key), state != .deleted else { return true }
        // The refusal proves that the server has another version. If records have only dates, the server may have
        // compared another date than that of the modification, which then decides.
        guard !facts.versionedSoups.contains(key.soup), localTime != nil, case .modified? = state else { return false }
        return true
    }

    /// Returns whether the change may replace a version of the server.
    func mayReplace(_ state: ServerState?) -> Bool {
        switch state {
        case nil, .unknown: return true
        case .deleted: return kind == .delete
        case .modified(let text):
            guard let localTime else { return true }
            guard let server = DateText.milliseconds(text) else { return false }
            return localTime >= server
        }
    }
}
