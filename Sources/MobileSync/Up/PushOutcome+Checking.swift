// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension PushOutcome {
    /// The outcome with the IDs that a server can give, for any target.
    ///
    /// A creation without such an ID may be on the server and cannot be found there, so it is unknown. For other
    /// changes the ID is ignored: the entry keeps its own.
    func checked(for change: RecordChange) -> PushOutcome {
        var outcome = self
        if children.count == change.children.count {
            outcome.children = zip(children, change.children).map { $0.checked(for: $1) }
        }
        guard case .ok = result, !(serverId.map(ServerId.isPossible) ?? false) else { return outcome }
        outcome.serverId = nil
        if change.kind == .create { outcome.result = .unknown(.noUsableId(serverId)) }
        return outcome
    }
}

extension PushFailure {
    /// - Parameter told: what the target gave in place of an ID; nil for nothing.
    static func noUsableId(_ told: String?) -> PushFailure {
        let what = told.map { "\"\($0.prefix(40))\", which cannot be an ID of a server" } ?? "no ID"
        return PushFailure(
            code: "NO_ID_IN_ANSWER",
            message:
                "the server created the record, and the target returned \(what): look for the record on the server and "
                + "resolve the entry")
    }
}
