// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension PushOutcome {
    /// Returns the outcomes of a push in a form that can be applied as they are.
    ///
    /// * If a record was not accepted, its outcome also applies to the records below it, unless the target returned
    ///   outcomes for them.
    /// * A creation is accepted only with an ID that a server can have issued. Otherwise it may be on the server but
    ///   cannot be found there, so it is unknown. For other changes such an ID is ignored.
    /// * Creations that got the same ID are unknown, because at most one of them can have it.
    ///
    /// - Parameters:
    ///   - outcomes: one for each change (``ServerQuestions/push(_:)``).
    ///   - mayShare: whether a creation may get the ID of another record, because it replaces the record with the same
    ///     external ID.
    static func checked(
        _ outcomes: [PushOutcome], for changes: [RecordChange], mayShareID mayShare: (RecordChange) -> Bool
    ) -> [PushOutcome] {
        let checked = zip(outcomes, changes).map { $0.checked(for: $1) }
        var counts: [String: Int] = [:]
        for (outcome, change) in zip(checked, changes) {
            outcome.forEachNewID(of: change, mayShareID: mayShare) { counts[$0, default: 0] += 1 }
        }
        let shared = Set(counts.filter { $0.value > 1 }.keys)
        guard !shared.isEmpty else { return checked }
        return zip(checked, changes).map { $0.withoutShared(shared, of: $1, mayShareID: mayShare) }
    }

    private func checked(for change: RecordChange) -> PushOutcome {
        var outcome = self
        outcome.children = zip(childOutcomes(of: change), change.children).map { $0.checked(for: $1) }
        guard case .ok = result, !(serverId.map(ServerId.isPossible) ?? false) else { return outcome }
        outcome.serverId = nil
        if change.kind == .create { outcome.result = .unknown(.noUsableId(serverId)) }
        return outcome
    }

    private func childOutcomes(of change: RecordChange) -> [PushOutcome] {
        guard result != .ok, children.isEmpty else { return children }
        var result = result
        if case .failed(var failure) = result {
            // The deletion of the parent does not imply that its children were deleted too.
            (failure.isGone, failure.isRelatedGone) = (false, false)
            result = .failed(failure)
        }
        return change.children.map { _ in PushOutcome(result) }
    }

    private func forEachNewID(
        of change: RecordChange, mayShareID mayShare: (RecordChange) -> Bool, _ body: (String) -> Void
    ) {
        if case .ok = result, change.kind == .create, let serverId, !mayShare(change) { body(serverId) }
        for (outcome, child) in zip(children, change.children) {
            outcome.forEachNewID(of: child, mayShareID: mayShare, body)
        }
    }

    private func withoutShared(
        _ shared: Set<String>, of change: RecordChange, mayShareID mayShare: (RecordChange) -> Bool
    ) -> PushOutcome {
        var outcome = self
        outcome.children = zip(children, change.children).map { $0.withoutShared(shared, of: $1, mayShareID: mayShare) }
        guard case .ok = result, change.kind == .create, let serverId, shared.contains(serverId), !mayShare(change)
        else { return outcome }
        outcome.serverId = nil
        outcome.result = .unknown(.sharedId(serverId))
        return outcome
    }

    /// Whether the server refused the change because of the record's version.
    var isConflict: Bool { if case .conflict = result { true } else { false } }

    /// Whether the server reports that it does not have the record.
    var isGone: Bool { failure?.isGone == true }

    /// Whether the server has saved the change, or may have.
    var mayBeSaved: Bool {
        switch result {
        case .ok, .unknown: true
        case .skipped, .failed, .conflict, .notSent: false
        }
    }

    /// The reason why the server refused the change; `nil` for any other result.
    var failure: PushFailure? { if case .failed(let failure) = result { failure } else { nil } }
}

extension PushFailure {
    /// Returns the failure of creations for which the server returned the same ID.
    fileprivate static func sharedId(_ id: String) -> PushFailure {
        PushFailure(
            code: "ID_OF_ANOTHER_RECORD",
            message: "the server returned the ID \(id) for several new records: look for the record on the server and "
                + "resolve the entry")
    }

    /// Returns the failure of a creation for which the server returned the ID of an existing entry.
    ///
    /// - Parameter entryId: the entry that already has the ID.
    static func idOfAnotherEntry(_ id: String, _ entryId: Int64) -> PushFailure {
        PushFailure(
            code: "ID_OF_ANOTHER_RECORD",
            message: "the server returned the ID \(id) for the new record, and entry \(entryId) had that ID before the "
                + "creation was sent: look for the record on the server and resolve the entry")
    }

    /// Returns the failure of a creation without a usable ID.
    ///
    /// - Parameter text: the value that the target returned instead of an ID; `nil` for none.
    static func noUsableId(_ text: String?) -> PushFailure {
        let answer = text.map { "\"\($0.excerpt(40))\", which cannot be an ID of a server" } ?? "no ID"
        return PushFailure(
            code: "NO_ID_IN_ANSWER",
            message:
                "the server created the record, and the target returned \(answer): look for the record on the server and "
                + "resolve the entry")
    }
}
