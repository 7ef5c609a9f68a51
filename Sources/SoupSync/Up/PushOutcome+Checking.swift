// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension PushOutcome {
    /// Returns the outcome with the server ID removed if no server can have issued it.
    ///
    /// A creation without a valid ID may be on the server but cannot be found there, so its outcome is unknown. For
    /// other changes the ID is ignored: the entry keeps its own.
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

    /// Returns the outcomes of a push, in which creations that got the same ID are unknown.
    ///
    /// At most one of these creations can have the ID.
    ///
    /// - Parameter mayShare: whether a creation may get the ID of another record, because it replaces the record with
    ///   the same external ID.
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

    /// - Parameter entryId: the entry that already has the ID.
    static func idOfAnotherEntry(_ id: String, _ entryId: Int64) -> PushFailure {
        PushFailure(
            code: "ID_OF_ANOTHER_RECORD",
            message: "the server gave the new record the ID \(id), which entry \(entryId) had before the creation was "
                + "sent: look for the record on the server and resolve the entry")
    }

    /// - Parameter told: the value that the target returned instead of an ID; `nil` for none.
    static func noUsableId(_ told: String?) -> PushFailure {
        let what = told.map { "\"\($0.excerpt(40))\", which cannot be an ID of a server" } ?? "no ID"
        return PushFailure(
            code: "NO_ID_IN_ANSWER",
            message:
                "the server created the record, and the target returned \(what): look for the record on the server and "
                + "resolve the entry")
    }
}
