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

    /// The outcomes of a push, where creations that got the same ID are unknown: at most one of them has it.
    ///
    /// - Parameter mayShare: whether a creation can be answered with the ID of another record, because it replaces the
    ///   one with the same external ID.
    static func withoutSharedIds(
        _ outcomes: [PushOutcome], of changes: [RecordChange], mayShare: (RecordChange) -> Bool
    ) -> [PushOutcome] {
        var counts: [String: Int] = [:]
        for (outcome, change) in zip(outcomes, changes) {
            outcome.forEachNewId(of: change, mayShare) { counts[$0, default: 0] += 1 }
        }
        let shared = Set(counts.filter { $0.value > 1 }.keys)
        guard !shared.isEmpty else { return outcomes }
        return zip(outcomes, changes).map { $0.doubting(shared, of: $1, mayShare) }
    }

    private func forEachNewId(
        of change: RecordChange, _ mayShare: (RecordChange) -> Bool, _ body: (String) -> Void
    ) {
        if case .ok = result, change.kind == .create, let serverId, !mayShare(change) { body(serverId) }
        for (outcome, child) in zip(children, change.children) { outcome.forEachNewId(of: child, mayShare, body) }
    }

    private func doubting(
        _ shared: Set<String>, of change: RecordChange, _ mayShare: (RecordChange) -> Bool
    ) -> PushOutcome {
        var outcome = self
        if children.count == change.children.count {
            outcome.children = zip(children, change.children).map { $0.doubting(shared, of: $1, mayShare) }
        }
        guard case .ok = result, change.kind == .create, let serverId, shared.contains(serverId), !mayShare(change)
        else { return outcome }
        outcome.serverId = nil
        outcome.result = .unknown(.sharedId(serverId))
        return outcome
    }
}

extension PushFailure {
    fileprivate static func sharedId(_ id: String) -> PushFailure {
        PushFailure(
            code: "ID_OF_ANOTHER_RECORD",
            message: "the server gave several new records the ID \(id): look for the record on the server and resolve "
                + "the entry")
    }

    /// - Parameter entryId: the entry that has the ID.
    static func idOfAnotherEntry(_ id: String, _ entryId: Int64) -> PushFailure {
        PushFailure(
            code: "ID_OF_ANOTHER_RECORD",
            message: "the server gave the new record the ID \(id), which entry \(entryId) had before the creation was "
                + "sent: look for the record on the server and resolve the entry")
    }

    /// - Parameter told: what the target gave in place of an ID; nil for nothing.
    static func noUsableId(_ told: String?) -> PushFailure {
        let what = told.map { "\"\($0.excerpt(40))\", which cannot be an ID of a server" } ?? "no ID"
        return PushFailure(
            code: "NO_ID_IN_ANSWER",
            message:
                "the server created the record, and the target returned \(what): look for the record on the server and "
                + "resolve the entry")
    }
}
